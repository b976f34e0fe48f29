// A network as a drawing: nodes in ranks from top to bottom, broken into columns as text is. Drag or
// arrow keys move, wheel or + and − zoom, 0 shows all, N and P go from node to node, Enter chooses.
import {h, svg} from "../dom";
import {HELP, onKeys, zoomFactor} from "../keys";
import {endOf, shortNames} from "../names";
import {hideTip, showTip} from "../tip";
import {layered, type Digraph, type Layered} from "./layers";
import {lineOf, placed, type Placed, type Size} from "./place";

export interface DrawnNode {
  label: string;
  tip: string;
  pill?: boolean; // what comes in or goes out
}
// What a way to colour says of a node.
export interface Paint {
  colour: string;
  text: string; // below its name
}

const SIZE: Size = {width: 138, height: 32, gap: 14, line: 6, pitch: 54, gutter: 46};
const MOST_HEIGHT = 620;
const LEAST_SCALE_OF_LABELS = 0.5;
const LONGEST = 18;

export class GraphView {
  readonly element: HTMLElement;
  private readonly picture: SVGSVGElement;
  private readonly world = svg("g");
  private readonly nodes: SVGGElement[];
  private readonly lines: SVGPathElement[];
  private readonly said = h("span", {class: "said", role: "status"});
  private readonly layers: Layered;
  private where: Placed | null = null;
  private view = {x: 0, y: 0, scale: 1};
  private seen = {width: 0, height: 0};
  private current = -1;
  private whole = true; // all is shown, and goes on to be when the room changes

  constructor(
    describe: string,
    private readonly drawn: DrawnNode[],
    private readonly graph: Digraph,
    private readonly pick: (node: number) => void,
    more: HTMLElement[] = [],
  ) {
    this.layers = layered(graph);
    const short = shortNames(drawn.map((node) => node.label), LONGEST);
    this.nodes = drawn.map((node) =>
      svg(
        "g",
        {class: node.pill ? "node pill" : "node", "data-tip": node.tip},
        svg("rect", {
          class: "back",
          x: -SIZE.width / 2,
          y: -SIZE.height / 2,
          width: SIZE.width,
          height: SIZE.height,
          rx: node.pill ? SIZE.height / 2 : 3,
        }),
        svg("rect", {
          class: "mark",
          x: -SIZE.width / 2,
          y: -SIZE.height / 2,
          width: 9,
          height: SIZE.height,
        }),
        svg("text", {class: "label", x: -SIZE.width / 2 + 14, y: -2}, endOf(short(node.label), LONGEST)),
        svg("text", {class: "label small", x: -SIZE.width / 2 + 14, y: 11}),
      ),
    );
    this.lines = graph.edges.map(() => svg("path", {class: "line"}));
    this.world.append(svg("g", null, ...this.lines), svg("g", null, ...this.nodes));
    this.picture = svg(
      "svg",
      {
        class: "graph picture clipped",
        tabindex: 0,
        role: "application",
        "aria-label": `${describe}. ${HELP} Enter chooses a node.`,
      },
      this.world,
    );
    const tool = (text: string, label: string, act: () => void): HTMLElement => {
      const button = h("button", {type: "button", class: "tool", "aria-label": label}, text);
      button.addEventListener("click", act);
      return button;
    };
    this.element = h(
      "div",
      {class: "graph-holder"},
      h(
        "div",
        {class: "tools"},
        tool("+", "Zoom in", () => this.zoom(0.6)),
        tool("−", "Zoom out", () => this.zoom(1 / 0.6)),
        tool("All", "Show all", () => this.all()),
        this.finder(),
        ...more,
        this.said,
      ),
      this.picture,
    );
    this.listen();
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  paint(of: (node: number) => Paint | null): void {
    this.nodes.forEach((element, i) => {
      const paint = of(i);
      const colour = paint?.colour ?? "var(--line)";
      element.style.setProperty("--own", colour);
      element.lastElementChild!.textContent = endOf(paint?.text ?? "", LONGEST + 3);
    });
  }

  // A field that goes to the nodes whose names contain what is typed.
  private finder(): HTMLElement {
    const field = h("input", {type: "search", placeholder: "Find a node", "aria-label": "Find a node"});
    const go = (from: number): void => {
      const text = field.value.trim().toLowerCase();
      const found = (i: number): boolean => this.drawn[i]!.label.toLowerCase().includes(text);
      const all = this.drawn.map((_, i) => i).filter(found);
      this.nodes.forEach((node, i) => node.classList.toggle("dim", text !== "" && !found(i)));
      if (!text) return void (this.said.textContent = "");
      const next = all.find((i) => i >= from) ?? all[0];
      this.said.textContent = `${all.length} found`;
      if (next !== undefined) this.go(next, false);
    };
    field.addEventListener("input", () => go(0));
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") go(this.current + 1);
    });
    return field;
  }

  private resize(): void {
    const width = Math.floor(this.element.clientWidth);
    if (width < 50 || width === this.seen.width) return;
    const most = Math.min(MOST_HEIGHT, Math.max(320, 0.72 * innerHeight));
    this.where = placed(this.layers, SIZE, width / most);
    const margin = 12;
    const scale = Math.min(1, (width - 2 * margin) / this.where.width);
    const height = Math.ceil(Math.min(most, this.where.height * scale + 2 * margin));
    this.seen = {width, height};
    this.picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.picture.setAttribute("width", String(width));
    this.picture.setAttribute("height", String(height));
    this.nodes.forEach((node, i) => {
      const at = this.where!.items[i]!;
      node.setAttribute("transform", `translate(${at.x} ${at.y})`);
    });
    this.lines.forEach((line, e) =>
      line.setAttribute("d", lineOf(this.layers.routes[e]!, this.where!, SIZE)),
    );
    if (this.whole || this.current < 0) this.all();
    else this.go(this.current, false);
  }

  all(): void {
    if (!this.where) return;
    const {width, height} = this.seen;
    const margin = 10;
    const scale = Math.min(
      1,
      (width - 2 * margin) / this.where.width,
      (height - 2 * margin) / this.where.height,
    );
    this.view = {
      scale,
      x: (width - this.where.width * scale) / 2,
      y: Math.max(margin, (height - this.where.height * scale) / 2),
    };
    this.whole = true;
    this.show();
  }

  private zoom(factor: number, at = {x: this.seen.width / 2, y: this.seen.height / 2}): void {
    const scale = Math.min(3, Math.max(0.02, this.view.scale / factor));
    const grown = scale / this.view.scale;
    this.view = {
      scale,
      x: at.x - (at.x - this.view.x) * grown,
      y: at.y - (at.y - this.view.y) * grown,
    };
    this.whole = false;
    this.show();
  }
  private pan(dx: number, dy: number): void {
    this.view.x += dx;
    this.view.y += dy;
    this.whole = false;
    this.show();
  }
  private show(): void {
    const {x, y, scale} = this.view;
    this.world.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
    this.picture.classList.toggle("far", scale < LEAST_SCALE_OF_LABELS);
  }

  // Makes a node the current one, in the middle where it was not to be read.
  go(node: number, tell = true): void {
    this.mark(node);
    const at = this.where?.items[node];
    if (!at) return;
    const near = Math.max(this.view.scale, 0.9);
    const on = {x: this.view.x + at.x * this.view.scale, y: this.view.y + at.y * this.view.scale};
    const {width, height} = this.seen;
    const inside = on.x > 70 && on.x < width - 70 && on.y > 30 && on.y < height - 30;
    if (!inside || this.view.scale < LEAST_SCALE_OF_LABELS) {
      this.view = {scale: near, x: width / 2 - at.x * near, y: height / 2 - at.y * near};
      this.whole = false;
      this.show();
    }
    if (!tell) return;
    const tip = this.drawn[node]!.tip;
    this.said.textContent = tip.split("\n", 1)[0]!;
    const box = this.nodes[node]!.getBoundingClientRect();
    showTip(tip, box.left, box.bottom - 8);
  }

  private mark(node: number): void {
    this.nodes[this.current]?.classList.remove("current");
    this.current = node;
    this.nodes[node]?.classList.add("current");
    this.graph.edges.forEach(([from, to], e) => {
      const touches = from === node || to === node;
      this.lines[e]!.classList.toggle("on", touches);
    });
  }

  private listen(): void {
    const picture = this.picture;
    let drag: {x: number; y: number; moved: boolean} | null = null;
    picture.addEventListener("pointerdown", (event) => {
      drag = {x: event.clientX, y: event.clientY, moved: false};
    });
    picture.addEventListener("pointermove", (event) => {
      if (!drag) return;
      const by = {x: event.clientX - drag.x, y: event.clientY - drag.y};
      if (!drag.moved && Math.hypot(by.x, by.y) < 4) return;
      if (!drag.moved) picture.setPointerCapture(event.pointerId);
      hideTip();
      drag = {x: event.clientX, y: event.clientY, moved: true};
      this.pan(by.x, by.y);
    });
    const end = (): void => void (drag = null);
    picture.addEventListener("pointerup", (event) => {
      const node = drag && !drag.moved ? this.nodeOf(event.target) : -1;
      end();
      if (node < 0) return;
      this.mark(node);
      this.pick(node);
    });
    picture.addEventListener("pointercancel", end);
    picture.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const box = picture.getBoundingClientRect();
        this.zoom(zoomFactor(event), {x: event.clientX - box.left, y: event.clientY - box.top});
      },
      {passive: false},
    );
    picture.addEventListener("blur", hideTip);
    const step = (by: number): void => {
      if (this.drawn.length === 0) return;
      const next = this.current < 0 && by < 0 ? this.drawn.length - 1 : this.current + by;
      this.go(Math.min(this.drawn.length - 1, Math.max(0, next)));
    };
    const middle = (factor: number) => (): void => this.zoom(factor);
    onKeys(picture, {
      ArrowLeft: () => this.pan(60, 0),
      ArrowRight: () => this.pan(-60, 0),
      ArrowUp: () => this.pan(0, 60),
      ArrowDown: () => this.pan(0, -60),
      "+": middle(0.6),
      "=": middle(0.6),
      "-": middle(1 / 0.6),
      "0": () => this.all(),
      Home: () => this.all(),
      n: () => step(1),
      p: () => step(-1),
      Enter: () => {
        if (this.current >= 0) this.pick(this.current);
      },
    });
  }

  private nodeOf(target: EventTarget | null): number {
    const group = target instanceof Element ? target.closest(".node") : null;
    return group ? this.nodes.indexOf(group as SVGGElement) : -1;
  }
}
