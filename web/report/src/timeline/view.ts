// Lanes one above the other that share their time: drag or arrow keys move, wheel or + and − zoom,
// 0 shows all, N and P go from box to box.
import {h} from "../dom";
import {HELP, onKeys, zoomFactor} from "../keys";
import {COLOURS, onThemeChange, resolved, resolvedColour} from "../theme";
import {hideTip, showTip} from "../tip";
import {Lane, type LaneSpec} from "./lane";
import type {Ink, Range} from "./paint";
import {packed} from "./paint";

const MOST_OF_A_CLICK = 5; // pixels; a pointer that moves further drags

export interface TimelineSpec {
  describe: string;
  end: number; // of the time, which begins at 0
  lanes: LaneSpec[];
  tick: (x: number) => string;
  least: number; // the shortest time worth a whole window
}

export class Timeline {
  readonly element: HTMLElement;
  private readonly lanes: Lane[];
  private readonly said = h("span", {class: "said", role: "status"});
  private x: Range;
  private asked = false;

  constructor(private spec: TimelineSpec) {
    this.x = {from: 0, to: spec.end};
    this.lanes = spec.lanes.map(
      (lane, index) =>
        new Lane(lane, `${spec.describe}: ${lane.name}. ${HELP}`, index === spec.lanes.length - 1),
    );
    const tool = (text: string, label: string, act: () => void): HTMLElement => {
      const button = h("button", {type: "button", class: "tool", "aria-label": label}, text);
      button.addEventListener("click", act);
      return button;
    };
    this.element = h(
      "div",
      {class: "timeline"},
      h(
        "div",
        {class: "tools"},
        tool("+", "Zoom in", () => this.zoom(0.5, this.middle())),
        tool("−", "Zoom out", () => this.zoom(2, this.middle())),
        tool("All", "Show all", () => this.all()),
        h("span", {"data-tip": HELP, tabindex: 0}, "drag, scroll, keys"),
        this.said,
      ),
      ...this.lanes.map((lane) => lane.canvas),
    );
    for (const lane of this.lanes) this.listen(lane);
    new ResizeObserver(() => this.redraw()).observe(this.element);
    onThemeChange(() => this.redraw());
    addEventListener("beforeprint", () => this.draw());
  }

  // Something to press beside the other tools.
  addTool(tool: HTMLElement): void {
    this.said.before(tool);
  }

  // Time measured in another way, all else the same.
  retime(end: number, lanes: LaneSpec[], tick: (x: number) => string, least: number): void {
    this.spec = {...this.spec, end, tick, least};
    lanes.forEach((lane, i) => this.lanes[i]!.use(lane));
    this.all();
  }

  get window(): Range {
    return {...this.x};
  }

  show(from: number, to: number): void {
    const width = Math.min(this.spec.end, Math.max(this.spec.least, to - from));
    const start = Math.min(Math.max(0, from), this.spec.end - width);
    this.x = {from: start, to: start + width};
    this.redraw();
  }
  all(): void {
    for (const lane of this.lanes) lane.wholeHeight();
    this.show(0, this.spec.end);
  }
  private middle(): number {
    return (this.x.from + this.x.to) / 2;
  }
  private zoom(factor: number, around: number): void {
    this.show(around - (around - this.x.from) * factor, around + (this.x.to - around) * factor);
  }
  private pan(share: number): void {
    const by = share * (this.x.to - this.x.from);
    this.show(this.x.from + by, this.x.to + by);
  }

  private redraw(): void {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.draw();
    });
  }
  draw(): void {
    const ink: Ink = {
      colours: Array.from({length: COLOURS}, (_, i) => packed(resolvedColour(i))),
      paper: packed(resolved("--band")),
      text: resolved("--soft"),
      font: "",
    };
    for (const lane of this.lanes) lane.draw(this.x, ink, this.spec.tick);
  }

  private listen(lane: Lane): void {
    const canvas = lane.canvas;
    let drag: {x: number; y: number} | null = null;
    let moved = 0; // pixels since the pointer went down
    canvas.addEventListener("pointerdown", (event) => {
      drag = {x: event.clientX, y: event.clientY};
      moved = 0;
      canvas.setPointerCapture(event.pointerId);
      hideTip();
    });
    canvas.addEventListener("pointerup", (event) => {
      drag = null;
      if (moved < MOST_OF_A_CLICK) this.pick(lane, lane.indexAt(event.offsetX, event.offsetY, this.x));
    });
    canvas.addEventListener("pointerleave", hideTip);
    canvas.addEventListener("pointermove", (event) => {
      if (!drag) return this.point(lane, event);
      moved += Math.abs(drag.x - event.clientX) + Math.abs(drag.y - event.clientY);
      const share = (drag.x - event.clientX) / lane.plotWidth;
      lane.panHeight((event.clientY - drag.y) / lane.plotHeight);
      drag = {x: event.clientX, y: event.clientY};
      this.pan(share);
    });
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const factor = zoomFactor(event);
        if (event.shiftKey) lane.zoomHeight(factor, event.offsetY);
        this.zoom(event.shiftKey ? 1 : factor, lane.timeAt(event.offsetX, this.x));
      },
      {passive: false},
    );
    this.keys(lane);
    canvas.addEventListener("blur", hideTip);
  }

  private pick(lane: Lane, index: number): void {
    if (index < 0) return;
    lane.picked = index;
    this.redraw();
    lane.spec.pick?.(index);
  }

  private point(lane: Lane, event: PointerEvent): void {
    const index = lane.indexAt(event.offsetX, event.offsetY, this.x);
    const text = index < 0 ? "" : lane.spec.tip(index);
    if (text) showTip(text, event.clientX, event.clientY);
    else hideTip();
  }

  private keys(lane: Lane): void {
    onKeys(lane.canvas, {
      ArrowLeft: () => this.pan(-0.1),
      ArrowRight: () => this.pan(0.1),
      ArrowUp: () => {
        lane.panHeight(0.1);
        this.redraw();
      },
      ArrowDown: () => {
        lane.panHeight(-0.1);
        this.redraw();
      },
      "+": () => this.zoom(0.5, this.middle()),
      "=": () => this.zoom(0.5, this.middle()),
      "-": () => this.zoom(2, this.middle()),
      "0": () => this.all(),
      Home: () => this.all(),
      n: () => this.step(lane, 1),
      p: () => this.step(lane, -1),
      Enter: () => this.pick(lane, lane.picked),
    });
  }

  private step(lane: Lane, by: 1 | -1): void {
    const box = lane.step(by);
    if (!box) return;
    if (box.x0 < this.x.from || box.x1 > this.x.to)
      this.show(box.x0 - (box.x1 - box.x0), box.x1 + (box.x1 - box.x0));
    else this.redraw();
    const text = lane.spec.tip(lane.picked);
    this.said.textContent = text.replaceAll("\n", " · ");
    const at = lane.place(box, this.x);
    showTip(text, at.x, at.y);
  }
}
