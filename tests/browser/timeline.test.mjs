// Scratchpads over time: a hundred thousand residencies, moved by mouse and keys.
import assert from "node:assert/strict";
import {mkdirSync, writeFileSync} from "node:fs";
import {after, before, describe, it} from "node:test";
import {launch, visit, Workshop} from "./support.mjs";
import {manyResidencies} from "../../bench/many_residencies.mjs";

describe("timeline", () => {
  const shop = new Workshop();
  let browser;
  let result;
  before(async () => {
    browser = await launch();
    result = manyResidencies(100_000);
    mkdirSync(shop.path("many"));
    writeFileSync(shop.path("many/result.json"), JSON.stringify(result));
  });
  after(async () => {
    await browser?.close();
    shop.remove();
  });
  const picture = (page, lane = 0) =>
    page
      .locator("canvas")
      .nth(lane)
      .evaluate((canvas) => canvas.toDataURL());
  const frame = (page) =>
    page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

  it("draws, zooms, pans and comes back", () =>
    visit(browser, shop.report("many"), async (page) => {
      const canvas = page.locator("canvas").first();
      await frame(page);
      const whole = await picture(page);
      const box = await canvas.boundingBox();
      await canvas.hover({position: {x: box.width / 2, y: 80}});
      await page.mouse.wheel(0, -600);
      await frame(page);
      const zoomed = await picture(page);
      assert.notEqual(zoomed, whole);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width / 2 - 120, box.y + 80, {steps: 4});
      await page.mouse.up();
      await frame(page);
      assert.notEqual(await picture(page), zoomed);
      await canvas.focus();
      await page.keyboard.press("0");
      await frame(page);
      assert.equal(await picture(page), whole);
    }));

  it("is worked by keys alone, and says what is picked", () =>
    visit(browser, shop.report("many"), async (page) => {
      const canvas = page.locator("canvas").first();
      await canvas.focus();
      await frame(page);
      let last = await picture(page);
      for (const key of ["+", "+", "ArrowRight", "ArrowLeft", "-"]) {
        await page.keyboard.press(key);
        await frame(page);
        const next = await picture(page);
        assert.notEqual(next, last, key);
        last = next;
      }
      const own = result.residencies
        .filter((r) => r.memory === result.memories[0].name)
        .sort((a, b) => a.from - b.from);
      await page.keyboard.press("n");
      const said = await page.locator(".said").textContent();
      assert.ok(said.startsWith(own[0].tensor), said);
    }));

  it("has every residency at its place", () =>
    visit(browser, shop.report("many"), async (page) => {
      // Pointing into the middle of a long residency names it.
      const lane = result.memories[1].name;
      const longest = result.residencies
        .filter((r) => r.memory === lane)
        .reduce((a, b) => (b.to - b.from > a.to - a.from ? b : a));
      const canvas = page.locator("canvas").nth(1);
      await canvas.scrollIntoViewIfNeeded();
      await canvas.focus();
      const at = async () => {
        const box = await canvas.boundingBox();
        const left = 76;
        const x = left + ((longest.from + longest.to) / 2 / result.steps.length) * (box.width - left);
        const y = 18 + (1 - (longest.address + longest.bytes / 2) / result.memories[1].bytes) * 190;
        return {x, y};
      };
      await canvas.hover({position: await at()});
      for (let i = 0; i < 12; ++i) await page.mouse.wheel(0, -200); // the point stays under the pointer
      await frame(page);
      await canvas.hover({position: {x: (await at()).x + 1, y: (await at()).y}});
      assert.ok((await page.locator("#tip").textContent()).startsWith(`${longest.tensor}\n`));
    }));
});
