// Light and dark: as the system says, until the button says otherwise.
import {h} from "./dom";

// Okabe and Ito's colours, distinct with any colour vision; style.css has the values for light and dark.
const SERIES = 8;
// Behind them stand as many of Paul Tol's muted ones, for things of another sort beside them.
export const COLOURS = 16;
export const colour = (index: number): string => `var(--c${index % COLOURS})`;
// Of more series than there are colours: the same again, darker on light and lighter on dark.
export const seriesColour = (index: number): string =>
  index < SERIES ? colour(index) : `color-mix(in srgb, ${colour(index)} 50%, var(--ink))`;
export const MUTED = "var(--muted)";

// For canvases, which know no variables.
export function resolved(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
export const resolvedColour = (index: number): string => resolved(`--c${index % COLOURS}`);

const listeners = new Set<() => void>();
export const onThemeChange = (listener: () => void): void => void listeners.add(listener);
const notify = (): void => listeners.forEach((listener) => listener());

export function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export function themeButton(): HTMLElement {
  const button = h("button", {type: "button", class: "theme"});
  const label = (): void => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", isDark() ? "Switch to light colours" : "Switch to dark colours");
  };
  button.addEventListener("click", () => {
    document.documentElement.dataset["theme"] = isDark() ? "light" : "dark";
    notify();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", notify);
  // Paper is white, for canvases too: they are drawn before the printer's colours hold.
  let before: string | undefined;
  addEventListener("beforeprint", () => {
    before = document.documentElement.dataset["theme"];
    document.documentElement.dataset["theme"] = "light";
  });
  addEventListener("afterprint", () => {
    if (before) document.documentElement.dataset["theme"] = before;
    else delete document.documentElement.dataset["theme"];
    notify();
  });
  onThemeChange(label);
  label();
  return button;
}
