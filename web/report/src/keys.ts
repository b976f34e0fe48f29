// What the keys of a picture do that can be moved and zoomed; others go on to the page.
export function onKeys(element: Element, acts: Record<string, () => void>): void {
  element.addEventListener("keydown", (given) => {
    const event = given as KeyboardEvent;
    const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
}

// A wheel's turn as a factor of what is seen: more than 1 shows more.
export const zoomFactor = (event: WheelEvent): number =>
  Math.exp(Math.max(-1, Math.min(1, event.deltaY / 200)));

// How the pictures that can be moved are worked.
export const HELP =
  "Drag or use the arrow keys to move, scroll or + and − to zoom, 0 to see all, N and P to go from box to box.";
