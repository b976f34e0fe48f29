// The picture of a figure as a file: its heading, its legend and all that is drawn, as SVG or PNG.
// What is drawn keeps its place and its present colours; HTML beside it (tables, loop nests) stays
// away.
import {h, svg} from "./dom";
import {resolved} from "./theme";
import {shapesOf} from "./timeline/lane";

const MARGIN = 12;
const SCALE = 2; // pixels of a PNG per pixel of the page
// What a picture needs of its style where no style sheet goes with it.
const PROPERTIES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-opacity",
  "stroke-width",
  "stroke-dasharray",
  "opacity",
  "color",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "dominant-baseline",
  "paint-order",
];

const DRAWN = ".chart svg, svg.picture, .timeline canvas";

interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

const isSeen = (element: Element): boolean => element.getClientRects().length > 0;

// A copy that looks the same by itself; tips and what cannot be seen are left out.
function standalone(original: SVGSVGElement, place: Place): SVGElement {
  const copy = original.cloneNode(true) as SVGSVGElement;
  const from = [original, ...original.querySelectorAll("*")];
  const to = [copy, ...copy.querySelectorAll("*")];
  const gone: Element[] = [];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    if (style.display === "none" || style.visibility === "hidden" || element.tagName === "style") {
      gone.push(to[i]!);
      return;
    }
    const target = to[i]!;
    const declarations = PROPERTIES.map((name) => `${name}:${style.getPropertyValue(name)}`);
    // Attributes that only the page understands go; the declarations say the same.
    for (const name of target.getAttributeNames())
      if (/^(data-|aria-|tabindex|class)/.test(name) || target.getAttribute(name)!.includes("var("))
        target.removeAttribute(name);
    target.setAttribute("style", declarations.join(";"));
  });
  gone.forEach((element) => element.remove());
  copy.setAttribute("x", String(place.x));
  copy.setAttribute("y", String(place.y));
  copy.setAttribute("width", String(place.width));
  copy.setAttribute("height", String(place.height));
  copy.setAttribute("overflow", original.classList.contains("clipped") ? "hidden" : "visible");
  return copy;
}

// A line of text where the page has it, however the page breaks it.
function linesOf(element: Element, at: (box: DOMRect) => Place): SVGElement[] {
  const style = getComputedStyle(element);
  const lines: {top: number; box: DOMRect; text: string}[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (const word of (node.textContent ?? "").matchAll(/\S+/g)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const box = range.getBoundingClientRect();
      const line = lines.find((one) => Math.abs(one.top - box.top) < 3);
      if (line) line.text += ` ${word[0]}`;
      else lines.push({top: box.top, box, text: word[0]});
    }
  }
  return lines.map((line) => {
    const place = at(line.box);
    return svg(
      "text",
      {
        x: place.x,
        y: place.y + place.height * 0.78,
        style: `fill:${style.color};font-family:${style.fontFamily};font-size:${style.fontSize};font-weight:${style.fontWeight}`,
      },
      line.text,
    );
  });
}

// The picture, and its size.
export function pictureOf(figure: Element): SVGSVGElement {
  const drawn = [...figure.querySelectorAll(DRAWN)].filter(isSeen);
  const heading = figure.querySelector("h3")!;
  const legends = [...figure.querySelectorAll(".legend li")].filter(isSeen);
  const all = [heading, ...legends, ...drawn].map((element) => element.getBoundingClientRect());
  const frame = figure.getBoundingClientRect();
  const left = Math.min(...all.map((box) => box.left)) - MARGIN;
  const right = Math.max(...all.map((box) => box.right), frame.right) + MARGIN;
  // The text between the heading and the picture is left out, and so is its room.
  const top = heading.getBoundingClientRect().top - MARGIN;
  const below = Math.min(...[...legends, ...drawn].map((element) => element.getBoundingClientRect().top));
  const gap = Math.max(0, below - heading.getBoundingClientRect().bottom - MARGIN);
  const bottom = Math.max(...all.map((box) => box.bottom)) - gap + MARGIN;
  const at = (box: DOMRect, moved: number): Place => ({
    x: box.left - left,
    y: box.top - top - moved,
    width: box.width,
    height: box.height,
  });
  const width = Math.ceil(right - left);
  const height = Math.ceil(bottom - top);
  const parts: SVGElement[] = [
    svg("rect", {width, height, fill: resolved("--paper")}),
    ...linesOf(heading, (box) => at(box, 0)),
  ];
  for (const item of legends) {
    const swatch = item.querySelector(".swatch");
    if (swatch) {
      const place = at(swatch.getBoundingClientRect(), gap);
      parts.push(svg("rect", {...place, rx: 2, fill: getComputedStyle(swatch).backgroundColor}));
    }
    for (const text of item.querySelectorAll("span:not(.swatch)"))
      parts.push(...linesOf(text, (box) => at(box, gap)));
  }
  for (const element of drawn) {
    const place = at(element.getBoundingClientRect(), gap);
    if (element instanceof HTMLCanvasElement) {
      const shapes = shapesOf(element);
      parts.push(
        shapes
          ? svg("g", {transform: `translate(${place.x} ${place.y})`}, ...shapes)
          : svg("image", {...place, href: element.toDataURL(), preserveAspectRatio: "none"}),
      );
    } else parts.push(standalone(element as SVGSVGElement, place));
  }
  return svg(
    "svg",
    {xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}`},
    ...parts,
  );
}

const textOf = (picture: SVGSVGElement): string => new XMLSerializer().serializeToString(picture);

async function pngOf(picture: SVGSVGElement): Promise<Blob> {
  const [width, height] = [picture.width.baseVal.value, picture.height.baseVal.value];
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(textOf(picture))}`;
  await image.decode();
  const canvas = h("canvas", {width: width * SCALE, height: height * SCALE});
  const context = canvas.getContext("2d")!;
  context.scale(SCALE, SCALE);
  context.drawImage(image, 0, 0, width, height);
  return new Promise((done, failed) =>
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("no picture")))),
  );
}

function download(blob: Blob, name: string): void {
  const link = h("a", {href: URL.createObjectURL(blob), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const hasPicture = (figure: Element): boolean => figure.querySelector(`.chart, ${DRAWN}`) !== null;

// Gives a figure that draws something the buttons to save it.
export function addSaving(figure: HTMLElement, name: string): void {
  if (!hasPicture(figure)) return;
  const button = (kind: "SVG" | "PNG"): HTMLElement => {
    const element = h(
      "button",
      {type: "button", class: "tool", "aria-label": `Save this figure as ${kind}`},
      kind,
    );
    element.addEventListener("click", async () => {
      const picture = pictureOf(figure);
      const blob =
        kind === "PNG" ? await pngOf(picture) : new Blob([textOf(picture)], {type: "image/svg+xml"});
      download(blob, `${name}.${kind.toLowerCase()}`);
    });
    return element;
  };
  figure.querySelector("figcaption")!.append(h("div", {class: "save"}, button("SVG"), button("PNG")));
}
