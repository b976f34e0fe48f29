// The architecture, the machine, the graph of a network, legends, and pictures as files.
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {after, before, describe, it} from "node:test";
import {close, inputs, launch, visit, Workshop} from "./support.mjs";

describe("drawings", () => {
  const shop = new Workshop();
  let browser;
  let mapped;
  let planned;
  before(async () => {
    browser = await launch();
    mapped = shop.run("map", "map", inputs("net.yaml"), "--arch", "eyeriss");
    planned = shop.run("plan", "plan", "resnet18", "--machine", "onsram-2pads", "--strategy", "greedy");
  });
  after(async () => {
    await browser?.close();
    shop.remove();
  });

  it("draws every level with what it holds and how full that makes it", () =>
    visit(browser, shop.report("map"), async (page) => {
      const layer = mapped.layers.reduce((a, b) =>
        b.cost.energy_pj * b.repeat > a.cost.energy_pj * a.repeat ? b : a,
      );
      const view = page.locator("[data-view=hardware]");
      const tips = await view.locator(".held").evaluateAll((all) => all.map((one) => one.dataset.tip));
      const text = await view.textContent();
      for (const level of layer.levels) {
        assert.ok(text.includes(level.name));
        if (level.filled !== undefined)
          assert.ok(text.includes(`${(100 * level.filled).toFixed(1)} % full`), `${level.name}: ${text}`);
        for (const [tensor, cost] of Object.entries(level.tensors)) {
          const told = tips.some((tip) => tip.startsWith(`${level.name} holds ${tensor}: tiles of `));
          assert.equal(told, cost.kept, `${level.name} ${tensor}`);
        }
      }
      // The lanes in use are the trips of the parallel loops.
      const [, y, x] = /parallel/.test(layer.mapping.join())
        ? ["", ...["y", "x"].map((axis) => trips(layer.mapping, axis))]
        : ["", 1, 1];
      const fanout = mapped.hardware.levels.find((level) => level.fanout.x * level.fanout.y > 1).fanout;
      assert.equal(await view.locator(".lane").count(), fanout.x * fanout.y);
      assert.equal(await view.locator(".lane.used").count(), x * y);
    }));
  const trips = (mapping, axis) =>
    mapping
      .map((line) => /^parallel \S+ in (\d+)(?: step (\d+))? on \S+\.(\S+)$/.exec(line))
      .filter((match) => match?.[3] === axis)
      .reduce((product, match) => product * Math.ceil(match[1] / (match[2] ?? 1)), 1);

  it("the shares that a level is full add up from its tiles", () => {
    const bits = new Map(mapped.hardware.levels.map((level) => [level.name, level]));
    let checked = 0;
    for (const layer of mapped.layers)
      for (const level of layer.levels) {
        const {capacity_words, partitions, tensor_bits} = bits.get(level.name);
        if (level.filled === undefined || partitions || tensor_bits || !capacity_words) continue;
        const words = Object.values(level.tensors).reduce((sum, t) => sum + (t.kept ? t.tile_words : 0), 0);
        assert.ok(Math.abs(level.filled - words / capacity_words) < 1e-9, level.name);
        ++checked;
      }
    assert.ok(checked > 0);
  });

  it("draws the machine with what moves in it", () =>
    visit(browser, shop.report("plan"), async (page) => {
      const view = page.locator("[data-view=machine]");
      const texts = (await view.locator("text").allTextContents()).join("\n");
      for (const memory of planned.memories)
        assert.ok(texts.includes(`${Math.round((100 * memory.peak_bytes) / memory.bytes)} % full`), texts);
      const sum = (test) => planned.transfers.filter(test).reduce((total, t) => total + t.bytes, 0);
      const [read, written] = /([\d.]+ \wiB) read, ([\d.]+ \w*B) written/.exec(texts).slice(1);
      close(read, sum((t) => t.from === "offchip"), "read");
      close(written, sum((t) => t.to === "offchip"), "written");
    }));

  it("draws every node of a network, coloured by what was decided", () =>
    visit(browser, shop.report("plan"), async (page) => {
      const view = page.locator("[data-view=network]");
      const {nodes, tensors} = planned.graph;
      const pills = tensors.filter((t) => t.role === "input" || t.role === "output").length;
      assert.equal(await view.locator(".node").count(), nodes.length + pills);
      // Where the results lie, from the plan itself.
      const written = new Set(
        planned.transfers.filter((t) => t.kind === "write-back").map((t) => t.tensor),
      );
      const wanted = new Map();
      planned.steps.forEach((step, at) => {
        const [output] = nodes.find((node) => node.name === step.node).outputs;
        const lies = planned.residencies.find(
          (r) => r.tensor === output && r.from <= at && at < r.to,
        )?.memory;
        const key = !lies
          ? "only off chip"
          : written.has(output)
            ? "on chip, and written off chip"
            : `only in ${lies}`;
        wanted.set(key, (wanted.get(key) ?? 0) + 1);
      });
      const told = await view
        .locator(".legend li")
        .evaluateAll((all) => all.map((item) => [...item.querySelectorAll("span")].map((s) => s.textContent)));
      assert.deepEqual(
        told.map(([, key, value]) => [key, Number.parseInt(value)]).sort(),
        [...wanted].sort(),
      );
      const colours = () =>
        view.locator(".node").evaluateAll((all) => all.map((node) => node.style.getPropertyValue("--own")));
      const before = await colours();
      await view.locator("select").selectOption({label: "time"});
      assert.notDeepEqual(await colours(), before);
      assert.match((await view.locator(".legend li").allTextContents()).join(), /\d m?µ?s/);
    }));

  it("draws every node of a mapped network, those that are not mapped too", async () => {
    const result = shop.run("nodes", "map", inputs("graph.yaml"), "--arch", "toy-16");
    const {nodes, other_nodes} = result.coverage;
    assert.ok(other_nodes > 0 && other_nodes < nodes);
    await visit(browser, shop.report("nodes"), async (page) => {
      const view = page.locator("[data-view=network]");
      const pills = result.graph.tensors.filter((t) => t.role === "input" || t.role === "output").length;
      assert.equal(await view.locator(".node").count(), result.graph.nodes.length + pills);
      assert.ok((await view.locator("h3").textContent()).startsWith(`${nodes - other_nodes} of ${nodes} nodes are mapped`));
      await view.locator("select").selectOption({label: "what limits it"});
      const told = await view
        .locator(".legend li")
        .evaluateAll((all) => all.map((item) => [...item.querySelectorAll("span")].map((s) => s.textContent)));
      assert.equal(Number.parseInt(told.find(([, key]) => key === "not mapped")[2]), other_nodes);
      // A click shows the mapping of the node.
      const last = result.layers.at(-1).name;
      await view.locator("input[type=search]").fill(last);
      await view.locator("svg.graph").focus();
      await page.keyboard.press("Enter");
      assert.equal(await page.locator(".choose select option:checked").textContent(), last);
    });
  });

  it("the graph is moved and zoomed by mouse and keys, and finds nodes", () =>
    visit(browser, shop.report("plan"), async (page) => {
      const graph = page.locator("svg.graph");
      await graph.scrollIntoViewIfNeeded();
      const world = () => graph.locator("> g").getAttribute("transform");
      const whole = await world();
      const box = await graph.boundingBox();
      await page.mouse.move(box.x + 200, box.y + 100);
      await page.mouse.wheel(0, -300);
      const zoomed = await world();
      assert.notEqual(zoomed, whole);
      await page.mouse.down();
      await page.mouse.move(box.x + 260, box.y + 140, {steps: 3});
      await page.mouse.up();
      assert.notEqual(await world(), zoomed);
      await graph.focus();
      let last = await world();
      for (const key of ["+", "ArrowRight", "ArrowDown", "-", "0"]) {
        await page.keyboard.press(key);
        assert.notEqual(await world(), last, key);
        last = await world();
      }
      assert.equal(last, whole);
      // Inputs come first, then the nodes in their order.
      const inputs = planned.graph.tensors.filter((t) => t.role === "input").length;
      for (let i = 0; i <= inputs; ++i) await page.keyboard.press("n");
      const first = planned.graph.nodes[0];
      assert.ok((await page.locator("#tip").textContent()).startsWith(`${first.name}\n${first.op}`));
      await page.keyboard.press("Enter");
      assert.ok((await page.locator("[data-view=network] .chosen").textContent()).startsWith(first.name));
      const target = planned.graph.nodes.at(-2);
      await page.locator("input[type=search]").fill(target.name);
      assert.equal(await page.locator(".node.current .label").first().textContent(), target.name);
    }));

  it("tells tensors and operators apart by kind on the timeline", () =>
    visit(browser, shop.report("plan"), async (page) => {
      const legend = await page.locator("[data-view=memories] .legend li").allTextContents();
      const {tensors, nodes} = planned.graph;
      const role = new Map(tensors.map((t) => [t.name, t.role]));
      const count = (kind) => planned.residencies.filter((r) => role.get(r.tensor) === kind).length;
      for (const [kind, label] of [
        ["weight", "weights"],
        ["activation", "activations"],
      ])
        assert.equal(
          legend.some((text) => text.startsWith(`${label}${count(kind)}, `)),
          count(kind) > 0,
          `${label}: ${legend.join("; ")}`,
        );
      const convs = nodes.filter((node) => node.op === "conv").length;
      assert.ok(legend.some((text) => text.startsWith(`convolutions${convs}, `)), legend.join("; "));
      await page.locator("[data-view=memories] select").selectOption({label: "how it came there"});
      const origins = (await page.locator("[data-view=memories] .legend li").allTextContents()).join();
      assert.match(origins, /made on chip\d+/);
    }));

  it("has figures beside the colours", async () => {
    for (const name of ["map", "plan"])
      await visit(browser, shop.report(name), async (page) => {
        for (const item of await page.locator(".legend li").allTextContents())
          assert.match(item, /\d|in |off chip/, `legend '${item}'`);
      });
  });

  it("saves every picture as SVG and as PNG", async () => {
    for (const name of ["map", "plan"])
      await visit(browser, shop.report(name), async (page) => {
        const figures = page.locator("figure:has(.save)");
        assert.ok((await figures.count()) >= 3);
        for (const figure of await figures.all()) {
          const view = await figure.getAttribute("data-view");
          const heading = await figure.locator("h3").textContent();
          const save = async (kind) => {
            const [download] = await Promise.all([
              page.waitForEvent("download"),
              figure.locator(".save button", {hasText: kind}).click(),
            ]);
            assert.equal(download.suggestedFilename(), `inlay-${view}.${kind.toLowerCase()}`);
            return readFileSync(await download.path());
          };
          const svg = (await save("SVG")).toString("utf8");
          assert.ok(svg.includes(heading.split(" ")[0]) && !svg.includes("var("), view);
          // What is drawn pixel by pixel is saved as shapes.
          if (view === "memories")
            assert.ok(!svg.includes("<image") && svg.split("<rect").length > planned.residencies.length);
          const png = await save("PNG");
          assert.equal(png.subarray(1, 4).toString("latin1"), "PNG");
          const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
          const size = /<svg[^>]* width="(\d+)" height="(\d+)"/.exec(svg);
          assert.deepEqual([width, height], [2 * Number(size[1]), 2 * Number(size[2])]);
        }
      });
  });
});
