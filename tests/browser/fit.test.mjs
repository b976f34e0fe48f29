// Nothing of a page is cut, and no texts of a picture lie on each other: pages of all kinds, on a wide
// window and on a telephone.
import assert from "node:assert/strict";
import {after, before, describe, it} from "node:test";
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

describe("fit", () => {
  const shop = new Workshop();
  let browser;
  before(async () => {
    browser = await launch();
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
    ["front"],
    ["eval"],
    ["plan"],
    ["npu"],
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
