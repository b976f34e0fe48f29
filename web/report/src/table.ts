// A table whose columns sort: by a click on the heading, or Enter on it. Where it is wider than its
// place, it is set tighter, and where that is not enough, every row becomes a card.
import {h, type Child} from "./dom";

const MOST_CARDS = 10;
const LONG = 20; // characters of a value and a word of its heading that have no room beside each other on a card

export interface Column<Row> {
  label: string;
  card?: string; // its heading on a card, where the columns beside it are not seen
  tip?: string;
  value: (row: Row) => number | string | null; // what it sorts by, and what is shown …
  show?: (row: Row) => Child; // … unless this says otherwise
  text?: boolean; // set left; numbers are set right
  wrap?: boolean; // long texts, in several lines
}

export interface TableOptions<Row> {
  caption: string; // for those who cannot see it
  onPick?: (row: Row) => void;
  footer?: Child[];
  limit?: number; // rows that are shown before the reader asks for all
}

function compare(a: number | string | null, b: number | string | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", {numeric: true});
}

// Sets the table so that nothing of it is cut, again whenever its place gets another width.
export function fitted(holder: HTMLElement, after: (cards: boolean) => void = () => {}): () => void {
  let width = 0;
  const fit = (): void => {
    width = holder.clientWidth;
    const sticksOut = (): boolean => holder.scrollWidth > holder.clientWidth + 1;
    holder.classList.remove("tight", "cards");
    if (sticksOut()) holder.classList.add("tight");
    if (sticksOut()) holder.classList.replace("tight", "cards");
    after(holder.classList.contains("cards"));
  };
  new ResizeObserver(() => {
    if (holder.clientWidth !== width) fit();
  }).observe(holder);
  return fit;
}

export function table<Row>(rows: Row[], columns: Column<Row>[], options: TableOptions<Row>): HTMLElement {
  let sorted: {column: number; descending: boolean} | null = null;
  let asked = false; // for all rows
  let limit = options.limit ?? Infinity;
  let fit: (() => void) | null = null;
  const body = h("tbody");
  const more = h("button", {type: "button", class: "more"});
  const headings = columns.map((column, index) => {
    const button = h("button", {type: "button", "data-tip": column.tip}, column.label);
    button.addEventListener("click", () => {
      const again: boolean = sorted?.column === index;
      // The first click shows what is large: that is what one looks for.
      sorted = {column: index, descending: again ? !sorted!.descending : !column.text};
      draw();
    });
    return h("th", {scope: "col", class: column.text ? "text" : null}, button);
  });

  const kind = (column: Column<Row>): string | null =>
    column.text ? (column.wrap ? "text wrap" : "text") : null;

  const heading = (column: Column<Row> | undefined): string | undefined => column?.card ?? column?.label;
  const isLong = (column: Column<Row>, child: Child): boolean => {
    const text = child instanceof Node ? (child.textContent ?? "") : String(child);
    const words = (heading(column) ?? "").split(" ").map((word) => word.length);
    return text.length + Math.max(...words) > LONG;
  };

  function line(row: Row): HTMLElement {
    const cells = columns.map((column, index) => {
      const child = (column.show ? column.show(row) : column.value(row)) ?? "·";
      return index === 0 && column.text
        ? h("th", {scope: "row", class: kind(column)}, child)
        : h(
            "td",
            {
              class: kind(column),
              "data-label": heading(column),
              "data-none": child === "·",
              "data-long": isLong(column, child),
            },
            child,
          );
    });
    const tr = h("tr", null, ...cells);
    const pick = options.onPick;
    if (pick) {
      tr.classList.add("pick");
      const name = cells[0]!;
      const button = h("button", {type: "button", class: "link"}, ...name.childNodes);
      name.replaceChildren(button);
      tr.addEventListener("click", () => {
        body.querySelector("[aria-current]")?.removeAttribute("aria-current");
        tr.setAttribute("aria-current", "true");
        pick(row);
      });
    }
    return tr;
  }

  function draw(): void {
    const order = rows.slice();
    if (sorted) {
      const {column, descending} = sorted;
      const by = columns[column]!.value;
      order.sort((a, b) => (descending ? -1 : 1) * compare(by(a), by(b)));
    }
    headings.forEach((heading, index) => {
      if (sorted?.column === index) {
        heading.setAttribute("aria-sort", sorted.descending ? "descending" : "ascending");
      } else {
        heading.removeAttribute("aria-sort");
      }
    });
    body.replaceChildren(...order.slice(0, limit).map(line));
    more.textContent = `Show all ${rows.length} rows`;
    fit?.();
  }
  // Cards take more room than rows: fewer are shown before the reader asks for all.
  function showFew(cards: boolean): void {
    const most = cards && !asked ? Math.min(MOST_CARDS, limit) : limit;
    more.hidden = rows.length <= most;
    [...body.children].forEach((row, i) => row.classList.toggle("later", i >= most));
  }
  more.addEventListener("click", () => {
    limit = Infinity;
    asked = true;
    draw();
  });
  draw();
  const holder = h(
    "div",
    {class: "table"},
    h(
      "table",
      null,
      h("caption", null, options.caption),
      h("thead", null, h("tr", null, ...headings)),
      body,
      options.footer &&
        h(
          "tfoot",
          null,
          h(
            "tr",
            null,
            ...options.footer.map((cell, index) =>
              h(
                "td",
                {class: columns[index]?.text ? "text" : null, "data-label": heading(columns[index])},
                cell,
              ),
            ),
          ),
        ),
    ),
    more,
  );
  fit = fitted(holder, showFew);
  showFew(false);
  return holder;
}
