// Nothing of a page is cut, and no texts of a picture lie on each other: pages of all kinds, on a wide
// window and on a telephone.
import assert from "node:assert/strict";
import {after, before, describe, it} from "node:test";
import {writeFileSync} from "node:fs";
import {inputs, launch, visit, Workshop} from "./support.mjs";

const WIDTHS = [1400, 760, 390];

// What sticks out of the page, or of a table's place; texts that cover each other.
const faults = () => {
  const found = [];
  const edge = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > edge)
    found.push(`the page is ${document.documentElement.scrollWidth} wide`);
  for (const element of document.querySelectorAll("body *")) {
    const box = element.getBoundingClientRect();
    if (box.width === 0 || element.closest("svg.clipped")) continue;
    if (box.right > edge + 1 || box.left < -1)
      found.push(`${element.tagName} '${element.textContent.slice(0, 40)}' ends at ${box.right}`);
  }
  for (const place of document.querySelectorAll(".table"))
    if (place.scrollWidth > place.clientWidth + 1)
      found.push(`table '${place.querySelector("caption")?.textContent}' is cut`);
  for (const picture of document.querySelectorAll("svg:not(.graph)")) {
    const texts = [...picture.querySelectorAll("text")].filter(
      (text) =>
        text.textContent.trim() &&
        text.getClientRects().length &&
        !text.closest("[aria-label=tip]") &&
        !/rotate/.test(text.getAttribute("transform") ?? ""),
    );
    const boxes = texts.map((text) => text.getBoundingClientRect());
    boxes.forEach((a, i) =>
      boxes.slice(i + 1).forEach((b, j) => {
        const over =
          a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3;
        const [one, two] = [texts[i].textContent, texts[i + 1 + j].textContent];
        if (over && one !== two) found.push(`'${one}' lies on '${two}'`);
      }),
    );
  }
  return found;
};

// Names as exporters and Timeloop's containers give them.
const LONG_NAMES = `format: inlay/1
layers:
  name: encoder
  layers:
${[0, 1, 2]
  .flatMap((i) => ["attention/self/query", "attention/output/dense", "intermediate/dense"].map((part) => [i, part]))
  .map(([i, part], n) => `  - {name: /m/encoder/layer.${i}/${part}/MatMul, gemm: {P: ${8 + n}, K: 16, C: ${4 * n + 4}}}`)
  .join("\n")}
---
format: inlay/1
architecture:
  name: long
  word_bits: 16
  levels:
  - {name: DRAM, kind: dram, energy: {read: 100 pJ, write: 100 pJ}}
  - {name: the_global_buffer_of_everything, kind: sram, capacity: 4096 words, energy: {read: 5 pJ, write: 5 pJ}}
  - {name: inter_distributed_buffers_spatial, kind: register, energy: {read: 0 pJ, write: 0 pJ}, keep: [], bypass: all}
  - {fanout: inter_distributed_buffers_spatial_fanout, x: 1, y: 4}
  - {name: accumulation_buffer, kind: sram, capacity: 64 words, energy: {read: 1 pJ, write: 1 pJ}, keep: [Outputs], bypass: [Weights, Inputs]}
  - {compute: mac, energy: 1 pJ}
`;

describe("fit", () => {
  const shop = new Workshop();
  let browser;
  before(async () => {
    browser = await launch();
    writeFileSync(shop.path("long.yaml"), LONG_NAMES);
    shop.run("long", "map", "long.yaml", "--arch", "long.yaml");
    shop.run("nodes", "map", inputs("graph.yaml"), "--arch", "toy-16");
    shop.run("fused", "eval", "flash-attention");
    shop.run("space", "mapspace", "resnet18", "--arch", "eyeriss");
    shop.run("layer", "map", inputs("net.yaml"), "--arch", "eyeriss");
    shop.run("other", "map", inputs("net.yaml"), "--arch", "eyeriss", "--mapspace", "perfect");
    shop.run("network", "map", "resnet18", "--arch", "eyeriss", "--strategy", "random");
    shop.run(
      "front",
      "map",
      inputs("tiny.yaml"),
      "--arch",
      "eyeriss",
      "--front",
      "footprint,offchip,cycles",
    );
    shop.run("eval", "eval", inputs("tiny.yaml"), "--semantics", "exact,timeloop");
    shop.run("plan", "plan", "resnet50", "--machine", "onsram-2pads", "--strategy", "eager");
    shop.run("none", "plan", "resnet50", "--machine", "onsram-2pads", "--strategy", "none");
    shop.run("npu", "plan", inputs("graph.yaml"), "--machine", inputs("graph.yaml"), "--strategy", "greedy");
    shop.run("bits", "plan", inputs("graph.yaml"), "--machine", inputs("graph.yaml"), "--bits", "weights=4,all=8");
    shop.run("beside", "plan", shop.branches(), "--machine", shop.branches(), "--strategy", "exact");
    for (const kib of [6, 10])
      shop.run(`steps${kib}`, "plan", shop.mixer(kib), "--machine", shop.mixer(kib), "--strategy", "greedy", "--fuse");
    shop.run("fuse", "fuse", inputs("fused.yaml"), "--pad", "128B..1KiB");
    shop.run("tree", "fuse", inputs("fused.yaml"));
    shop.run("batch", "batch", inputs("mix.yaml"));
    shop.run("study", "study", "ruby-table1", "--limit", "24");
    shop.run("alloc", "alloc", shop.buffers());
    shop.run("systolic", "systolic", "alexnet", "--array", "16x16", "--dataflow", "os");
    shop.run(
      "family",
      "codesign",
      inputs("net.yaml"),
      "--technology",
      "thistle-45nm",
      "--area",
      "200000",
      "--scope",
      "layer",
    );
  });
  after(async () => {
    await browser?.close();
    shop.remove();
  });

  for (const names of [
    ["layer"],
    ["network"],
    ["long"],
    ["nodes"],
    ["fused"],
    ["space"],
    ["front"],
    ["eval"],
    ["plan"],
    ["npu"],
    ["bits"],
    ["beside"],
    ["steps6"],
    ["steps10"],
    ["fuse"],
    ["tree"],
    ["batch"],
    ["study"],
    ["alloc", "systolic"],
    ["family"],
    ["layer", "other"],
    ["plan", "none"],
  ])
    it(`shows all of ${names.join(" and ")}`, async () => {
      for (const width of WIDTHS) {
        await visit(
          browser,
          shop.report(...names),
          async (page) => {
            await page.waitForTimeout(50);
            assert.deepEqual(await page.evaluate(faults), [], `${width} px`);
          },
          {viewport: {width, height: 900}},
        );
      }
    });

  it("tells layers with long names apart", () =>
    visit(browser, shop.report("long"), async (page) => {
      const names = await page
        .locator("[data-view=layers] svg")
        .first()
        .locator("[aria-label^='y-axis tick label'] text")
        .allTextContents();
      assert.equal(names.length, 9);
      assert.equal(new Set(names).size, 9, names.join());
    }));

  it("labels more of an axis than its beginning, on a telephone too", () =>
    visit(
      browser,
      shop.report("long"),
      async (page) => {
        const pictures = page.locator("[data-view=layers] svg[class*=plot]");
        assert.equal(await pictures.count(), 2);
        for (const picture of await pictures.all())
          assert.ok((await picture.locator("[aria-label^='x-axis tick label'] text").count()) >= 2);
      },
      {viewport: {width: 390, height: 900}},
    ));

  it("labels every tick of a comparison, however far results are apart", () =>
    visit(
      browser,
      shop.report("plan", "none"),
      async (page) => {
        const labels = await page
          .locator("[data-view=difference] [aria-label^='x-axis tick label'] text")
          .allTextContents();
        assert.equal(labels.length, 5);
        for (const label of labels) assert.match(label, /^[\d.,e-]+×$|%$|^same$/);
      },
      {viewport: {width: 1400, height: 900}},
    ));

  it("draws the partitions of a level as full as they are", () =>
    visit(browser, shop.report("layer"), async (page) => {
      const bars = await page.locator("[data-view=hardware] .held rect[fill]").evaluateAll((all) =>
        all.map((bar) => {
          const room = [...document.querySelectorAll("[data-view=hardware] .room")].find(
            (one) => one.getAttribute("y") === bar.getAttribute("y") && one.getAttribute("x") === bar.getAttribute("x"),
          );
          const tip = bar.parentElement.dataset.tip;
          return {tip, share: room && Number(bar.getAttribute("width")) / Number(room.getAttribute("width"))};
        }),
      );
      const parts = bars.filter((bar) => bar.tip.includes("of its part"));
      assert.equal(parts.length, 3); // of the registers: weights, inputs, outputs
      for (const {tip, share} of parts) {
        const told = Number(/([\d.]+) % of its part/.exec(tip)[1]) / 100;
        assert.ok(Math.abs(share - told) < 0.08, `${tip}: ${share}`); // as wide as two pixels at least
      }
      // How full the level is said to be, its fullest part is.
      const fullest = parts.reduce((a, b) => (b.share > a.share ? b : a)).tip;
      const [, level, tensor] = /^(\S+) holds (\S+):/.exec(fullest);
      const text = await page.locator("[data-view=hardware]").textContent();
      assert.match(text, new RegExp(`${tensor} [\\d.]+ % full`));
      const title = await page.locator("[data-view=hardware] h3").textContent();
      assert.ok(!new RegExp(`(^|\\s)${level} is [\\d.]+ % full`).test(title), title);
    }));

  it("makes cards of the rows of a wide table, each cell with its heading", () =>
    visit(
      browser,
      shop.report("layer"),
      async (page) => {
        const cell = page.locator("[data-view=table] tbody tr").first().locator("td").nth(2);
        assert.equal(
          await cell.evaluate((td) => getComputedStyle(td, "::before").content),
          `"${await cell.getAttribute("data-label")}"`,
        );
        // The headings still sort.
        const names = () => page.locator("[data-view=table] tbody th").allTextContents();
        const before = await names();
        await page.locator("[data-view=table] thead button", {hasText: "operations"}).click();
        assert.notDeepEqual(await names(), before);
      },
      {viewport: {width: 390, height: 900}},
    ));

  it("names the files of this machine by where they lie from the page", () => {
    const page = shop.read(shop.report("layer"));
    const data = page.slice(page.indexOf('id="inlay-data"'));
    assert.ok(!data.includes(inputs("net.yaml")), "no absolute path");
    assert.ok(data.includes("net.yaml"));
  });
});
