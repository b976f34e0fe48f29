// The result of a study: its figure, the claims of a paper beside ours, and every point.
import * as Plot from "@observablehq/plot";
import {chart, legend, logTicks} from "../chart";
import {h, note, type Child} from "../dom";
import {figure} from "../figure";
import {brief, grouped, percent, plural, quantity, significant} from "../format";
import {table, type Column} from "../table";
import {seriesColour} from "../theme";
import type {StudyClaim, StudyFigure, StudyPoint, StudyResult} from "../types";
import {certificateText, gapText} from "./certificate";

export function studyTitle(study: StudyResult): string {
  const count = (status: string): number => study.points.filter((point) => point.status === status).length;
  const all = study.points.length + (study.not_run ?? 0);
  const done = count("done");
  const cut = count("cut short");
  const text = done === all ? plural(all, "point") : `${done} of ${plural(all, "point")} done`;
  return `${study.study}: ${text}${cut ? `, ${cut} cut short` : ""}`;
}

interface Mark {
  x: number | string;
  y: number;
  series: string;
  front: boolean;
  status: string | null;
}

function marksOf(drawn: StudyFigure): Mark[] {
  return drawn.rows.flatMap((row) =>
    row.y.flatMap((y, s) =>
      y === null
        ? []
        : [
            {
              x: row.x,
              y,
              series: drawn.series[s] ?? "",
              front: row.on_front?.[s] ?? false,
              status: row.status?.[s] ?? null,
            },
          ],
    ),
  );
}

const manyTimes = (values: number[]): boolean =>
  values.every((v) => v > 0) && Math.max(...values) > 50 * Math.min(...values);

// The largest against the smallest, and between which.
function findingOf(
  marks: Mark[],
  what: string,
  show: (value: number) => string,
  place: (x: number | string) => string,
): string {
  const name = (mark: Mark): string => [mark.series, place(mark.x)].filter(Boolean).join(", ");
  const low = marks.reduce((a, b) => (b.y < a.y ? b : a));
  const high = marks.reduce((a, b) => (b.y > a.y ? b : a));
  if (low.y === high.y) return `${what} is ${show(low.y)} everywhere`;
  return `${what} from ${show(low.y)} (${name(low)}) to ${show(high.y)} (${name(high)})`;
}

// How much of what was searched is not proven; "" where all of it is.
function unproven(study: StudyResult): string {
  const searched = study.points.filter((point) => point.certificate);
  const open = searched.filter((point) => point.certificate!.status !== "optimal").length;
  if (open === 0) return "";
  return `${open} of ${plural(searched.length, "searched point")} not proven optimal: the table below tells how far each may be off.`;
}

function figureView(study: StudyResult): Child {
  const drawn = study.figure;
  const open = unproven(study);
  if (drawn?.left_out) return note(["The figure has too many cells to be drawn.", open].join(" "));
  if (!drawn || drawn.rows.length === 0) return note(["The study draws no figure.", open].join(" "));
  const marks = marksOf(drawn);
  if (marks.length === 0) return note("No point of the figure has a value yet.");
  const numeric = marks.every((mark) => typeof mark.x === "number");
  const pareto = drawn.rows.some((row) => row.on_front);
  const series = drawn.series;
  const range = series.map((_, i) => seriesColour(i));
  const log = manyTimes(marks.map((mark) => mark.y));
  const title = (mark: Mark): string =>
    `${mark.series}\n${over} ${place(mark.x)}\n${what.label} ${what.show(mark.y)}${mark.status ? `\n${mark.status}` : ""}`;
  const values = marks.map((mark) => mark.y);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const what = quantity(drawn.y);
  const short = what.show === grouped ? brief : what.show;
  const across = quantity(drawn.x);
  const over = across.label;
  const place = (x: number | string): string => (typeof x === "number" ? across.show(x) : x);
  const left = 16 + 7 * Math.max(...[low, high, (low + high) / 2].map((value) => short(value).length));
  const y = {
    label: `↑ ${what.label}`,
    tickFormat: short,
    grid: true,
    ticks: log ? logTicks(low, high) : 6,
    type: log ? ("log" as const) : ("linear" as const),
  };
  const finding = findingOf(marks, what.label, short, place);
  const options = (width: number): Plot.PlotOptions => {
    if (numeric) {
      const xs = marks.map((mark) => mark.x as number);
      return {
        height: 380,
        marginLeft: left,
        marginBottom: 42,
        marginTop: 24,
        x: {
          label: `${over} →`,
          tickFormat: across.show === grouped ? brief : across.show,
          type: manyTimes(xs) ? "log" : "linear",
          ticks: width / 100,
        },
        y,
        color: {domain: series, range},
        marks: [
          pareto ? null : Plot.line(marks, {x: "x", y: "y", stroke: "series", sort: "x", z: "series"}),
          Plot.dot(marks, {
            x: "x",
            y: "y",
            stroke: "series",
            fill: (m: Mark) => (pareto && !m.front ? "none" : range[series.indexOf(m.series)]!),
            r: 3.5,
          }),
          Plot.tip(marks, Plot.pointer({x: "x", y: "y", title})),
        ],
      };
    }
    const groups = drawn.rows.map((row) => String(row.x));
    const longest = Math.max(...groups.map((name) => name.length));
    const used = Math.min(width, 110 + groups.length * Math.max(46, series.length * 34)); // bars, not walls
    const room = used / groups.length;
    const turned = longest * 6.5 > room;
    const every = Math.ceil((turned ? 13 : 1) / room); // of so many names one is written
    // Dots where bars would be thinner than a line, or stand on a logarithm, which has no zero.
    const dots = log || room / series.length < 5;
    // Dots of a group fall together where it is narrow: then they lie inside each other, those behind larger.
    const nested = room / series.length < 8 ? Math.min(1, 3 / series.length) : 0;
    const radius = (m: Mark): number => 3.5 + nested * ((series.length - 1) / 2 - series.indexOf(m.series));
    return {
      marginRight: 20 + width - used,
      height: 360 + (turned ? Math.min(120, longest * 6) : 0),
      marginLeft: left,
      marginTop: 24,
      marginBottom: turned ? Math.min(160, 24 + longest * 6.2) : 40,
      fx: {
        domain: groups,
        label: null,
        axis: "bottom",
        ticks: groups.filter((_, i) => i % every === 0),
        tickRotate: turned ? -60 : 0,
        padding: 0.12,
      },
      x: {domain: series, axis: null, padding: 0.05},
      y: {...y, zero: !dots},
      color: {domain: series, range},
      r: {type: "identity"},
      marks: [
        dots
          ? Plot.dot(marks, {fx: (m: Mark) => String(m.x), x: "series", y: "y", fill: "series", r: radius})
          : Plot.barY(marks, {fx: (m: Mark) => String(m.x), x: "series", y: "y", fill: "series"}),
        Plot.tip(marks, Plot.pointer({fx: (m: Mark) => String(m.x), x: "series", y: "y", title})),
        log ? null : Plot.ruleY([0]),
      ],
    };
  };
  return figure(
    "study",
    finding,
    `${what.label} over ${over}${pareto ? "; full dots lie on the front" : ""}${log ? "; logarithmic" : ""}. ${open}`,
    series.length > 1 && legend(series.map((label, i) => ({label, colour: range[i]!}))),
    chart(`${drawn.y} over ${drawn.x}`, options),
  );
}

function ours(claim: StudyClaim): string {
  if (claim.ours === null) return "·";
  switch (claim.show) {
    case "percent":
      return percent(claim.ours).replace("-", "−");
    case "change":
      return `${claim.ours < 0 ? "−" : "+"}${percent(Math.abs(claim.ours))}`;
    case "ratio":
      return `${significant(claim.ours)}×`;
    default:
      return grouped(claim.ours);
  }
}

function claimsTable(study: StudyResult): Child {
  const measured = study.measured?.["claims"];
  const claims = [...(study.claims ?? []), ...(Array.isArray(measured) ? (measured as StudyClaim[]) : [])];
  if (claims.length === 0) return null;
  const columns: Column<StudyClaim>[] = [
    {label: "claim", text: true, wrap: true, value: (c) => c.what},
    {label: "paper", text: true, value: (c) => c.paper},
    {label: "ours", value: (c) => c.ours, show: ours},
    {
      label: "compared",
      tip: "How many points or layers it is taken over",
      value: (c) => c.compared,
      show: (c) => grouped(c.compared),
    },
    {label: "proof", text: true, value: (c) => (c.certificate ? certificateText(c.certificate) : null)},
    {label: "note", text: true, wrap: true, value: (c) => c.note ?? null},
  ];
  return h(
    "div",
    {"data-view": "claims", class: "wrap"},
    table(claims, columns, {caption: "What the paper claims, and what we find"}),
  );
}

// "optimal", "within 0.2 %", "cut short, within 3 %", "not run".
function proofOf(point: StudyPoint): string {
  if (!point.certificate) return point.status;
  const proof = certificateText(point.certificate);
  return point.status === "done" ? proof : `${point.status}, ${proof}`;
}

const knownGap = (gap: number): string => (gap < 1 ? gapText(gap) : "·"); // 1: unknown

function pointTable(study: StudyResult): Child {
  const run = study.points.filter((point) => point.status !== "not run");
  const left = study.points.length - run.length + (study.not_run ?? 0);
  const all = [...new Set(run.flatMap((point) => Object.keys(point.settings)))];
  // What is the same everywhere is said once.
  const common =
    run.length > 1 ? all.filter((axis) => new Set(run.map((point) => point.settings[axis])).size === 1) : [];
  const axes = all.filter((axis) => !common.includes(axis));
  const figures = [...new Set(study.points.flatMap((point) => Object.keys(point.figures ?? {})))];
  const columns: Column<StudyPoint>[] = [
    ...axes.map(
      (axis): Column<StudyPoint> => ({
        label: axis.replaceAll("_", " "),
        text: true,
        value: (p) => p.settings[axis] ?? null,
      }),
    ),
    {
      label: "status",
      text: true,
      value: proofOf,
      show: (p) => h("span", {"data-tip": p.reasons?.join("\n")}, proofOf(p)),
    },
    ...figures.map((name): Column<StudyPoint> => {
      const {label, show} = name === "gap" ? {label: name, show: knownGap} : quantity(name);
      const value = (p: StudyPoint): number | string | undefined => p.figures?.[name];
      return {
        label,
        value: (p) => (value(p) === undefined ? null : Number(value(p))),
        show: (p) => {
          const own = value(p);
          return own === undefined ? "·" : typeof own === "number" ? show(own) : own;
        },
      };
    }),
  ];
  return h(
    "div",
    {"data-view": "table"},
    table(run, columns, {caption: "Points", limit: 25}),
    common.length > 0 &&
      note(
        `In every point: ${common.map((axis) => `${axis.replaceAll("_", " ")} ${run[0]!.settings[axis]}`).join(", ")}.`,
      ),
    left > 0 && note(`${plural(left, "point")} not run.`),
  );
}

export function studyView(study: StudyResult): Child[] {
  return [figureView(study), claimsTable(study), pointTable(study)];
}
