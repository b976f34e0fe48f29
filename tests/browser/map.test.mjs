// Mappings on the page: the network, its layers, loop nests, fronts; numbers against result.json.
import assert from "node:assert/strict";
import {statSync} from "node:fs";
import {after, before, describe, it} from "node:test";
import {close, inputs, launch, number, rowsOf, visit, Workshop} from "./support.mjs";

describe("map", () => {
  const shop = new Workshop();
  let browser;
  let result;
  before(async () => {
    browser = await launch();
    result = shop.run("net", "map", inputs("net.yaml"), "--arch", "eyeriss");
  });
  after(async () => {
    await browser?.close();
    shop.remove();
  });

  it("shows every view", () =>
    visit(browser, shop.report("net"), async (page) => {
      const views = await page
        .locator("[data-view]")
        .evaluateAll((all) => all.map((view) => view.dataset.view));
      for (const view of ["layers", "roofline", "table", "nest"]) assert.ok(views.includes(view), view);
      assert.match(await page.locator("h1").textContent(), /^small-net on eyeriss takes/);
      for (const chart of await page.locator(".chart svg").all())
        assert.ok((await chart.boundingBox()).height > 100);
      assert.equal(
        await page.locator("[data-view=layers] svg").first().locator("[aria-label=bar] rect").count(),
        result.layers.reduce((sum, layer) => sum + layer.levels.length + 1, 0),
      );
    }));

  it("is small for ResNet-50 on eyeriss", () => {
    shop.run("resnet50", "map", "resnet50", "--arch", "eyeriss");
    const bytes = statSync(shop.report("resnet50")).size;
    assert.ok(bytes > 400_000 && bytes < 2_000_000, `${bytes} bytes`);
  });

  it("has the totals of result.json", () =>
    visit(browser, shop.report("net"), async (page) => {
      const tile = (name) => page.locator(`[data-tile="${name}"] dd`).first().textContent();
      close(await tile("energy"), result.total.energy_pj * 1e-12, "energy");
      close(await tile("cycles"), result.total.cycles, "cycles");
      close(await tile("EDP"), result.total.edp * 1e-12, "edp");
      close(
        await tile("off-chip words"),
        result.layers.reduce((sum, l) => sum + l.cost.offchip_words * l.repeat, 0),
        "words",
      );
    }));

  it("has the figures of every layer", () =>
    visit(browser, shop.report("net"), async (page) => {
      const rows = await rowsOf(page.locator("[data-view=table] table"));
      assert.equal(rows.length, result.layers.length);
      rows.forEach((row, i) => {
        const {name, cost, operations, certificate} = result.layers[i];
        assert.equal(row.layer, name);
        close(row.operations, operations, `operations of ${name}`);
        close(row.energy, cost.energy_pj * 1e-12, `energy of ${name}`);
        close(row["pJ/op"], cost.pj_per_op, `pJ/op of ${name}`);
        close(row.cycles, cost.cycles, `cycles of ${name}`);
        close(row["off-chip words"], cost.offchip_words, `words of ${name}`);
        close(row.EDP, cost.edp * 1e-12, `edp of ${name}`);
        assert.ok(Math.abs(number(row.used) - cost.utilization) < 6e-4);
        assert.equal(row["limited by"], cost.limited_by);
        assert.equal(row.certificate, certificate.status);
      });
    }));

  it("sorts by a click and by the keyboard", () =>
    visit(browser, shop.report("net"), async (page) => {
      const names = async () =>
        (await rowsOf(page.locator("[data-view=table] table"))).map((row) => row.layer);
      const byCycles = (sign) =>
        result.layers
          .slice()
          .sort((a, b) => sign * (a.cost.cycles - b.cost.cycles))
          .map((l) => l.name);
      const heading = page.locator("[data-view=table] thead button", {hasText: "cycles"});
      await heading.click();
      assert.deepEqual(await names(), byCycles(-1));
      assert.equal(await page.locator("th[aria-sort=descending]").count(), 1);
      await heading.focus();
      await page.keyboard.press("Enter");
      assert.deepEqual(await names(), byCycles(1));
    }));

  it("shows the counts of the layer that is chosen, each with an explanation", () =>
    visit(browser, shop.report("net"), async (page) => {
      for (const layer of result.layers) {
        await page.locator("[data-view=table] button.link", {hasText: new RegExp(`^${layer.name}$`)}).focus();
        await page.keyboard.press("Enter");
        assert.match(await page.locator("[data-view=nest] h3").textContent(), new RegExp(`^${layer.name}:`));
        const loops = await page.locator(".nest li").allTextContents();
        assert.equal(loops.length, layer.mapping.length + 1);
        const shown = await page.locator("table.counts [data-count]").allTextContents();
        const expected = layer.levels.flatMap((level) =>
          Object.values(level.tensors).flatMap((tensor) =>
            ["reads", "fills", "updates", "drains"].map((count) => tensor.total[count]),
          ),
        );
        assert.deepEqual(
          shown.map((text) => (text === "·" ? 0 : number(text))),
          expected,
        );
      }
      for (const count of await page.locator("table.counts .count").all()) {
        await count.focus();
        assert.ok((await page.locator("#tip").textContent()).length > 20);
      }
      assert.ok(await page.locator("#tip").isVisible());
      await page.keyboard.press("Escape");
      assert.ok(!(await page.locator("#tip").isVisible()));
      await page.locator(".ladder .amount").first().hover();
      assert.match(await page.locator("#tip").textContent(), /words of \w+ that/);
    }));

  it("explains a loop by the tensors that it moves on in", () =>
    visit(browser, shop.report("net"), async (page) => {
      const loop = page.locator(".nest li.for").first();
      await loop.hover();
      assert.match(await page.locator("#tip").textContent(), /Walks over .*\nMoves on in /);
    }));

  it("shows how a search went", async () => {
    const layer = shop.run("search", "map", "resnet50/conv3_1_shortcut", "--arch", "eyeriss").layers[0];
    const told = layer.measured.progress;
    assert.ok(told.length > 2);
    told.slice(1).forEach((moment, i) => {
      assert.ok(moment.incumbent <= told[i].incumbent && moment.bound >= told[i].bound);
      assert.ok(moment.bound <= layer.cost.edp && moment.seconds >= told[i].seconds);
    });
    await visit(browser, shop.report("search"), async (page) => {
      const dots = page.locator("[data-view=progress] [aria-label=dot] circle");
      assert.equal(await dots.count(), told.length + 1);
      assert.match(
        await page.locator("[data-view=progress] h3").textContent(),
        /: proven optimal after [\d.]+ m?s/,
      );
    });
  });

  it("shows the front with the point that is chosen", async () => {
    const front = shop.run(
      "front",
      "map",
      inputs("tiny.yaml"),
      "--arch",
      "eyeriss",
      "--front",
      "footprint,offchip,cycles",
    ).layers[0].front;
    await visit(browser, shop.report("front"), async (page) => {
      const slider = page.locator("input[type=range]");
      assert.equal(
        await page.locator("[data-view=front] [aria-label=dot]").first().locator("circle").count(),
        front.length,
      );
      await slider.focus();
      await page.keyboard.press("Home");
      for (const point of [front[0], front[1]]) {
        const text = await page.locator(".chosen").textContent();
        assert.deepEqual(
          text
            .match(/: (.*)/)[1]
            .split(" · ")
            .map((part) => number(part.match(/^[\d,]+/)[0])),
          [point.footprint_words, point.offchip_words, point.cycles],
        );
        assert.equal(await page.locator(".nest li").count(), point.mapping.length + 1);
        await page.keyboard.press("ArrowRight");
      }
    });
  });
});
