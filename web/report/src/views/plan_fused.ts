// The fused steps of a plan: what each saves against its nodes apart, and of the one that is chosen
// the tree and its tiles in the memory.
import {h} from "../dom";
import {bytes, grouped, percent, plural, seconds} from "../format";
import {nodesText} from "../plan_steps";
import {table, type Column} from "../table";
import type {PlanFusedStep, PlanResult, PlanStep, PlanTile} from "../types";
import {nodeTable, treeView} from "./fused";

const time = (us: number): string => seconds(us * 1e-6);

interface Row {
  step: PlanStep;
  fused: PlanFusedStep;
}
const saved = ({step, fused}: Row): number => fused.apart_offchip_bytes - (step.offchip_bytes ?? 0);

function tileTable(plan: PlanResult, {step, fused}: Row): HTMLElement {
  const memory = step.workspace?.memory ?? "the memory";
  const columns: Column<PlanTile>[] = [
    {label: "tensor", text: true, value: (tile) => tile.tensor},
    {label: "words of a tile", value: (tile) => tile.tile_words, show: (tile) => grouped(tile.tile_words)},
    {
      label: `room in ${memory}`,
      tip: "Of the largest tile, twice where the next one comes while it is used. Tiles of different branches may lie in the same place.",
      value: (tile) => tile.bytes,
      show: (tile) => (tile.bytes > 0 ? bytes(tile.bytes) : (whereWhole(plan, tile.tensor, fused.step) ?? "·")),
    },
    {
      label: "words in all",
      tip: "That enter from off chip or start there; of what is made and read inside, words made",
      value: (tile) => tile.entered_words,
      show: (tile) => grouped(tile.entered_words),
    },
  ];
  return h("div", {"data-view": "buffers"}, table(fused.tiles, columns, {caption: "Tiles of the step"}));
}

// Of a tensor that needs no tile, for it lies in a memory during the step.
function whereWhole(plan: PlanResult, tensor: string, step: number): string | null {
  const stay = plan.residencies.find((one) => one.tensor === tensor && one.from <= step && step < one.to);
  return stay ? `whole in ${stay.memory}` : null;
}

export class FusedSteps {
  readonly element: HTMLElement | null;
  private readonly rows: Row[];
  private readonly detail = h("div", {class: "detail"});

  constructor(private readonly plan: PlanResult) {
    this.rows = (plan.fusion?.fused ?? []).flatMap((fused) => {
      const step = plan.steps[fused.step];
      return step ? [{step, fused}] : [];
    });
    const first = this.rows.reduce<Row | null>((a, b) => (a && saved(a) >= saved(b) ? a : b), null);
    this.element = first ? h("div", {"data-view": "fused-steps"}, this.list(), this.detail) : null;
    if (first) this.draw(first);
  }

  // Shows the tree of a step, if it is a fused one.
  show(step: number): void {
    const row = this.rows.find(({fused}) => fused.step === step);
    if (!row) return;
    this.draw(row);
    this.detail.scrollIntoView({block: "nearest"});
  }

  private draw(row: Row): void {
    const {step, fused} = row;
    this.detail.replaceChildren(
      h("h3", {class: "part"}, `Step ${fused.step}: ${nodesText(step)}`),
      treeView(
        {tree: step.tree ?? [], holds: fused.tiles, nodes: fused.nodes, room_words: fused.room_words},
        step.workspace ? `Its tiles take ${bytes(step.workspace.bytes)} in ${step.workspace.memory}` : "It needs no room",
      ),
      tileTable(this.plan, row),
      nodeTable(fused.nodes),
    );
  }

  private list(): HTMLElement {
    const columns: Column<Row>[] = [
      {label: "nodes", text: true, wrap: true, value: ({step}) => nodesText(step)},
      {label: "step", value: ({fused}) => fused.step},
      {
        label: "off chip",
        value: ({step}) => step.offchip_bytes ?? 0,
        show: ({step}) => bytes(step.offchip_bytes ?? 0),
      },
      {
        label: "apart",
        card: "off chip apart",
        tip: "Bytes off chip of the steps of these nodes in the best plan without fused steps",
        value: ({fused}) => fused.apart_offchip_bytes,
        show: ({fused}) => bytes(fused.apart_offchip_bytes),
      },
      {
        label: "saved",
        tip: "What fewer bytes go to and from off chip",
        value: saved,
        show: (row) =>
          row.fused.apart_offchip_bytes > 0
            ? `${bytes(saved(row))}, ${percent(saved(row) / row.fused.apart_offchip_bytes, 0)}`
            : bytes(saved(row)),
      },
      {label: "latency", value: ({step}) => step.latency_us ?? 0, show: ({step}) => time(step.latency_us ?? 0)},
      {
        label: "apart",
        card: "latency apart",
        tip: "Time of the steps of these nodes in the best plan without fused steps",
        value: ({fused}) => fused.apart_latency_us,
        show: ({fused}) => time(fused.apart_latency_us),
      },
      {
        label: "tiles",
        tip: "Room of the tiles in the memory",
        value: ({step}) => step.workspace?.bytes ?? 0,
        show: ({step}) => bytes(step.workspace?.bytes ?? 0),
      },
    ];
    return table(this.rows, columns, {
      caption: `${plural(this.rows.length, "fused step")}: several nodes under one tree`,
      onPick: (row) => this.draw(row),
      limit: 12,
    });
  }
}
