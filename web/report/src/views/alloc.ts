// The result of `alloc`: every buffer at its address during its life.
import {note, type Child} from "../dom";
import {figure} from "../figure";
import {brief, grouped, percent, plural, seconds} from "../format";
import {Timeline} from "../timeline/view";
import type {AllocResult} from "../types";
import {tiles} from "./tiles";

export function allocTitle(result: AllocResult): string {
  const count = plural(Object.keys(result.offsets).length, "buffer");
  if (result.status !== "placed" || result.height === null)
    return `${result.capacity === null ? "The buffers" : `${grouped(result.capacity)} are`} not enough (${result.status})`;
  return `${count} fit into ${grouped(result.height)}`;
}

export function allocView(result: AllocResult): Child[] {
  const time = result.measured?.["seconds"];
  const above = result.height === null ? 0 : result.height / Math.max(1, result.lower_bound) - 1;
  const out: Child[] = [
    tiles([
      {
        label: "status",
        value: result.status,
        below: typeof time === "number" ? `after ${seconds(time)}` : "",
      },
      {
        label: "height",
        value: result.height === null ? "·" : grouped(result.height),
        below: "in the unit of the sizes",
      },
      {
        label: "lower bound",
        value: grouped(result.lower_bound),
        below:
          result.height === null ? "" : above === 0 ? "reached: none is less" : `${percent(above, 2)} below`,
      },
      {label: "capacity", value: result.capacity === null ? "·" : grouped(result.capacity), below: ""},
    ]),
  ];
  const buffers = result.buffers ?? [];
  if (result.status !== "placed" || buffers.length === 0)
    return [...out, note("There is no placement to draw.")];
  const height = Math.max(result.height ?? 0, result.capacity ?? 0);
  const end = buffers.reduce((last, b) => Math.max(last, b.upper), 0);
  const boxes = buffers.map((b, i) => ({
    x0: b.lower,
    x1: b.upper,
    y0: result.offsets[b.id]!,
    y1: result.offsets[b.id]! + b.size,
    colour: [0, 4, 2, 1, 5, 3][i % 6]!,
    label: b.id,
  }));
  const timeline = new Timeline({
    describe: "Buffers over time, address upward",
    end,
    least: 2,
    tick: grouped,
    lanes: [
      {
        name: `memory of ${grouped(height)}`,
        boxes,
        height,
        pixels: 340,
        tick: brief,
        tip: (i) =>
          `${buffers[i]!.id}\n${grouped(buffers[i]!.size)} at ${grouped(result.offsets[buffers[i]!.id]!)}\nlives from ${grouped(buffers[i]!.lower)} to ${grouped(buffers[i]!.upper)}`,
      },
    ],
  });
  const load = result.peak_load;
  return [
    ...out,
    figure(
      "memories",
      load
        ? `Most is live from ${grouped(load.lower)} to ${grouped(load.upper)}: ${grouped(load.bytes)}`
        : "Every buffer has its address",
      "Address upward, time to the right: a box is a buffer. Colours only tell neighbours apart.",
      timeline.element,
    ),
  ];
}
