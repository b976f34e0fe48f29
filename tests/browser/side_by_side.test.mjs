// A plan whose steps run several nodes: each of them is drawn and counted, on its own unit, with
// tensors as large as their own elements make them.
import assert from "node:assert/strict";
import {after, before, describe, it} from "node:test";
import {BITS, close, launch, number, SIDE, visit, Workshop} from "./support.mjs";

const bytesOf = (tensor) => (SIDE * SIDE * BITS[tensor]) / 8;

describe("side by side", () => {
  const shop = new Workshop();
  let browser;
  let result;
  let runs; // {node, unit, at}, of the first nodes of steps and of those beside them
  before(async () => {
    browser = await launch();
    const file = shop.branches();
    const plan = (...words) => ["plan", file, "--machine", file, ...words];
    result = shop.run("plan", ...plan("--strategy", "exact"));
    shop.run("none", ...plan("--strategy", "none"));
    runs = result.steps.flatMap((step, at) =>
      [step, ...(step.beside ?? [])].map(({node, unit}) => ({node, unit, at})),
    );
    assert.ok(runs.length > result.steps.length);
  });
  after(async () => {
    await browser?.close();
    shop.remove();
  });
  const legendOf = async (view) =>
    new Map(
      await view
        .locator(".legend li")
        .evaluateAll((all) =>
          all.map((item) => [...item.querySelectorAll("span")].slice(1).map((part) => part.textContent)),
        ),
    );

  it("counts steps by whole numbers", () =>
    visit(browser, shop.report("plan"), async (page) => {
      const labels = await page.locator("[data-view=steps] [aria-label^='x-axis tick label'] text").allTextContents();
      assert.deepEqual(labels.map(Number), Array.from({length: result.steps.length + 1}, (_, i) => i));
    }));

  it("every unit of the machine has the nodes that run on it", () =>
    visit(browser, shop.report("plan"), async (page) => {
      const boxes = await page
        .locator("[data-view=machine] .held")
        .evaluateAll((all) => all.map((one) => ({tip: one.dataset.tip, text: one.textContent})));
      for (const unit of ["one", "two"]) {
        const count = runs.filter((run) => run.unit === unit).length;
        assert.ok(count > 0);
        const box = boxes.find(({tip}) => tip.startsWith(`${unit} runs ${count} of ${runs.length} nodes`));
        assert.ok(box, `${unit}: ${boxes.map(({tip}) => tip).join("\n")}`);
        assert.ok(box.text.includes(`${count} node`), box.text);
      }
    }));

  it("what goes straight to a unit is said of the unit whose node reads or writes it", () =>
    visit(browser, shop.report("none"), async (page) => {
      const {transfers} = shop.result("none");
      const tips = await page
        .locator("[data-view=machine] .held")
        .evaluateAll((all) => all.map((one) => one.dataset.tip));
      for (const unit of ["one", "two"]) {
        const sum = transfers
          .filter(({from, to}) => from === unit || to === unit)
          .reduce((total, one) => total + one.bytes, 0);
        assert.ok(sum > 0, unit);
        const tip = tips.find((text) => text.startsWith(`${unit} runs `));
        close(/; ([\d.,]+ \w+) go between it and off chip/.exec(tip)[1], sum, tip);
      }
    }));

  it("every node of the network has its step, and results count with their own bytes", () =>
    visit(browser, shop.report("plan"), async (page) => {
      const view = page.locator("[data-view=network]");
      const tips = await view.locator(".node").evaluateAll((all) => all.map((node) => node.dataset.tip));
      for (const {node, unit, at} of runs) {
        const tip = tips.find((text) => text.startsWith(`${node}\n`));
        const others = runs.filter((run) => run.at === at && run.node !== node).map((run) => run.node);
        const beside = others.length ? `, side by side with ${others.join(", ")}` : "";
        assert.ok(tip.includes(`\nstep ${at} on ${unit}${beside}: `), tip);
        for (const [, tensor, size] of tip.matchAll(/^(?:reads|writes) (\w) \((.*?)\)/gm))
          close(size, bytesOf(tensor), tip);
      }
      const results = [...(await legendOf(view)).values()].map((value) => /^(\d+) nodes?, (.*)$/.exec(value));
      const counted = results.reduce((sum, [, count]) => sum + Number(count), 0);
      assert.equal(counted, runs.length);
      const written = results.reduce((sum, [, , size]) => sum + number(size), 0);
      assert.equal(written, result.graph.nodes.reduce((sum, {outputs: [one]}) => sum + bytesOf(one), 0));
      // Time is that of steps, however many nodes they run.
      await view.locator("select").selectOption({label: "what limits it"});
      const shares = [...(await legendOf(view)).values()].map((value) => Number.parseInt(/(\d+) %/.exec(value)[1]));
      const whole = shares.reduce((sum, share) => sum + share, 0);
      assert.ok(Math.abs(whole - 100) <= shares.length, `${shares}`);
    }));

  it("every unit has a lane with its nodes, and steps name all theirs", () =>
    visit(browser, shop.report("plan"), async (page) => {
      const view = page.locator("[data-view=memories]");
      const lanes = await view.locator("canvas").evaluateAll((all) => all.map((one) => one.ariaLabel));
      for (const unit of ["one", "two"]) {
        const own = runs.filter((run) => run.unit === unit);
        const at = lanes.findIndex((name) => name.includes(`: ${unit}: ${own.length} node`));
        assert.ok(at >= 0, lanes.join("\n"));
        await view.locator("canvas").nth(at).focus();
        for (const run of own) {
          await page.keyboard.press("n");
          assert.ok((await view.locator(".said").textContent()).startsWith(`${run.node} · step ${run.at}, `));
        }
      }
      const kinds = await legendOf(view);
      const products = result.graph.nodes.filter((node) => node.op === "gemm").length;
      assert.ok(kinds.get("matrix products").startsWith(`${products}, `), [...kinds].join("; "));
      // A residency of one step names the nodes of that step.
      const at = lanes.findIndex((name) => name.includes(": pad: "));
      await view.locator("canvas").nth(at).focus();
      const told = [];
      for (let i = 0; i < result.residencies.length; ++i) {
        await page.keyboard.press("n");
        told.push(await view.locator(".said").textContent());
      }
      const names = (step) =>
        runs
          .filter((run) => run.at === step)
          .map((run) => run.node)
          .join(" | ");
      for (const {tensor, from, to} of result.residencies) {
        const nodes = to - from > 1 ? `${names(from)} … ${names(to - 1)}` : names(from);
        assert.ok(
          told.some((text) => text.startsWith(`${tensor} · `) && text.endsWith(`: ${nodes}`)),
          `${tensor}: ${told.join("\n")}`,
        );
      }
    }));

  it("two plans are compared by steps with all their nodes", () =>
    visit(browser, shop.report("plan", "none"), async (page) => {
      assert.ok((await page.locator("[data-view=comparison]").textContent()).includes("left | right"));
    }));
});
