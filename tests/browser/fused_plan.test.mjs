// A plan with fused steps: their nodes lie under one band, each has its tree and tiles, and every
// tensor between nodes its price.
import assert from "node:assert/strict";
import {after, before, describe, it} from "node:test";
import {close, launch, number, rowsOf, visit, Workshop} from "./support.mjs";

const nodesOf = (step) => [step.node, ...(step.fused ?? [])];

describe("fused plan", () => {
  const shop = new Workshop();
  let browser;
  let result; // with two fused steps
  let tight; // with tensors between nodes that go off chip
  let apart; // that network without fused steps
  before(async () => {
    browser = await launch();
    const plan = (kib, ...words) =>
      ["plan", shop.mixer(kib), "--machine", shop.mixer(kib), "--strategy", "greedy", ...words];
    result = shop.run("two", ...plan(10, "--fuse"));
    apart = shop.run("apart", ...plan(10));
    tight = shop.run("tight", ...plan(6, "--fuse"));
  });
  after(async () => {
    await browser?.close();
    shop.remove();
  });
  const fusedSteps = () => result.steps.flatMap((step, at) => (step.fused ? [{step, at}] : []));
  const headingOf = (page) => page.locator("[data-view=fused-steps] .detail > h3").textContent();

  it("has all nodes of a fused step below a band, which opens its tree", () =>
    visit(browser, shop.report("two"), async (page) => {
      assert.ok(fusedSteps().length > 1);
      const view = page.locator("[data-view=memories]");
      const lane = view.locator("canvas").first();
      await lane.focus();
      // From box to box: a band before the nodes below it.
      for (const [at, step] of result.steps.entries()) {
        const names = nodesOf(step);
        const texts = [];
        for (let i = 0; i < names.length + (step.fused ? 1 : 0); ++i) {
          await page.keyboard.press("n");
          texts.push(await view.locator(".said").textContent());
          if (i > 0 || !step.fused) continue;
          await page.keyboard.press("Enter");
          assert.equal(await headingOf(page), `Step ${at}: ${names.join(" → ")}`);
        }
        if (step.fused) assert.ok(texts.shift().startsWith(`fused step ${at}: ${names.length} nodes`));
        names.forEach((name, i) => {
          assert.ok(texts[i].startsWith(`${name} · step ${at}, `), texts[i]);
          for (const other of step.fused ? names : [])
            assert.equal(texts[i].includes(other), true, texts[i]);
        });
      }
      // A click on the band of the first.
      const first = fusedSteps()[0];
      const box = await lane.boundingBox();
      const x = 76 + ((first.at + 0.5) / result.steps.length) * (box.width - 76);
      await page.keyboard.press("0");
      await lane.click({position: {x, y: 18 + 8}});
      assert.equal(await headingOf(page), `Step ${first.at}: ${nodesOf(first.step).join(" → ")}`);
    }));

  it("says what each saves, and shows its tree and tiles", () =>
    visit(browser, shop.report("two"), async (page) => {
      const view = page.locator("[data-view=fused-steps]");
      const rows = await rowsOf(view.locator("table").first());
      assert.deepEqual(
        rows.map((row) => row.nodes),
        fusedSteps().map(({step}) => nodesOf(step).join(" → ")),
      );
      for (const [i, {step, at}] of fusedSteps().entries()) {
        // What the same nodes take in a plan that was made without fused steps.
        const alone = apart.steps.filter((other) => nodesOf(step).includes(other.node));
        const sum = alone.reduce((total, other) => total + other.offchip_bytes, 0);
        close(rows[i]["off chip"], step.offchip_bytes, "off chip");
        close(rows[i].apart, sum, "off chip apart");
        close(rows[i].saved.split(", ")[0], sum - step.offchip_bytes, "saved");
        close(rows[i]["apart 6"], alone.reduce((total, other) => total + other.latency_us * 1e-6, 0), "latency");
        await view.getByRole("button", {name: nodesOf(step).join(" → ")}).click();
        const lines = await view.locator("[data-view=tree] .nest .line").allTextContents();
        assert.equal(lines.length, step.tree.length);
        // A line is inside the boxes of the lines around it.
        const depths = await view
          .locator("[data-view=tree] .nest .line")
          .evaluateAll((all) => all.map((line) => {
            let depth = -1;
            for (let item = line.closest("li"); item; item = item.parentElement.closest("li")) ++depth;
            return depth;
          }));
        assert.deepEqual(
          depths,
          step.tree.map((line) => (line.length - line.trimStart().length) / 2),
        );
        const {tiles} = result.fusion.fused.find((one) => one.step === at);
        const buffers = await rowsOf(view.locator("[data-view=buffers] table"));
        const heading = `room in ${step.workspace.memory}`;
        assert.deepEqual(
          buffers.map((row) => [row.tensor, number(row["words of a tile"])]),
          tiles.map((tile) => [tile.tensor, tile.tile_words]),
        );
        tiles.forEach((tile, n) => {
          const kept = result.residencies.some((r) => r.tensor === tile.tensor && r.from <= at && at < r.to);
          if (kept) assert.equal(buffers[n][heading], `whole in ${step.workspace.memory}`);
          else close(buffers[n][heading], tile.bytes, tile.tensor);
          assert.equal(tile.bytes === 0, kept);
        });
      }
    }));

  it("says of every tensor between nodes whether it stays in tiles, or its price", () =>
    visit(browser, shop.report("tight"), async (page) => {
      const {nodes} = tight.graph;
      const between = nodes.flatMap(({name, outputs: [tensor]}) => {
        const readers = nodes.filter((node) => node.inputs.includes(tensor)).map((node) => node.name);
        return readers.length ? [{tensor, path: `${name} → ${readers.join(", ")}`}] : [];
      });
      const rows = await rowsOf(page.locator("[data-view=edges] table"));
      assert.deepEqual(
        rows.map((row) => `${row.tensor}: ${row["from → to"]}`).sort(),
        between.map(({tensor, path}) => `${tensor}: ${path}`).sort(),
      );
      let costly = 0;
      for (const row of rows) {
        const copies = tight.transfers.filter(
          ({tensor, from, to}) => tensor === row.tensor && [from, to].includes("offchip"),
        );
        const moved = copies.reduce((sum, copy) => sum + copy.bytes, 0);
        if (moved === 0) assert.equal(row["off chip"], "·");
        else close(row["off chip"], moved, row.tensor);
        costly += moved > 0 ? 1 : 0;
        const inOne = tight.steps.findIndex((step) =>
          row["from → to"].split(/ → |, /).every((node) => nodesOf(step).includes(node)),
        );
        assert.equal(row["fused?"] === `in tiles of step ${inOne}`, inOne >= 0);
        const edge = tight.fusion.edges.find((one) => one.tensor === row.tensor);
        assert.equal(row["as one: room"] === "·", edge.joined === undefined);
        if (edge.joined) close(row["as one: room"], edge.joined.room_bytes, row.tensor);
      }
      assert.ok(costly > 0);
      assert.ok(tight.fusion.edges.some((edge) => edge.joined));
    }));

  it("knows in the network that tiles stay on chip", () =>
    visit(browser, shop.report("two"), async (page) => {
      const tips = await page
        .locator("[data-view=network] .node")
        .evaluateAll((all) => all.map((node) => node.dataset.tip));
      const inside = new Set(result.fusion.edges.filter((edge) => edge.state === "fused").map((edge) => edge.tensor));
      assert.ok(inside.size > 0);
      for (const tip of tips)
        for (const [, tensor, place] of tip.matchAll(/^(?:reads|writes) (\w+) \(.*?\) (?:from|to) (.*)$/gm))
          assert.equal(place === "tiles on chip", inside.has(tensor), tip);
    }));
});
