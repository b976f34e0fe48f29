// One floating explanation for the whole page: an element with data-tip shows it while the pointer
// or the focus is on it. Escape hides it.
import {h} from "./dom";

const tip = h("div", {role: "tooltip", id: "tip", hidden: true});
let owner: Element | null = null;

function place(x: number, y: number): void {
  const margin = 8;
  const box = tip.getBoundingClientRect();
  const left = Math.min(Math.max(margin, x), innerWidth - box.width - margin);
  const below = y + margin + 8;
  const top = below + box.height > innerHeight ? y - box.height - margin : below;
  tip.style.left = `${Math.max(margin, left)}px`;
  tip.style.top = `${Math.max(margin, top)}px`;
}

export function showTip(text: string, x: number, y: number): void {
  tip.textContent = text;
  tip.hidden = false;
  place(x, y);
}

export function hideTip(): void {
  tip.hidden = true;
  owner?.removeAttribute("aria-describedby");
  owner = null;
}

function showFor(element: Element): void {
  const text = element.getAttribute("data-tip");
  if (!text) return;
  const box = element.getBoundingClientRect();
  hideTip();
  owner = element;
  element.setAttribute("aria-describedby", "tip");
  showTip(text, box.left, box.bottom - 8);
}

const holder = (event: Event): Element | null =>
  event.target instanceof Element ? event.target.closest("[data-tip]") : null;

export function startTips(): void {
  document.body.append(tip);
  document.addEventListener("pointerover", (event) => {
    const element = holder(event);
    if (element) showFor(element);
    else if (owner) hideTip();
  });
  document.addEventListener("focusin", (event) => {
    const element = holder(event);
    if (element) showFor(element);
  });
  document.addEventListener("focusout", hideTip);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hideTip();
  });
}
