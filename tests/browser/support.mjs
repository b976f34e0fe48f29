// What the tests of the page share: the command, a real Chromium, and a reader of formatted numbers.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {fileURLToPath, pathToFileURL} from "node:url";

const source = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const require = createRequire(source("web/report/package.json"));
const {chromium} = require("playwright-core");

export const inputs = (name) => source(`tests/cli/inputs/${name}`);

// A network with two branches, tensors of different widths, and a machine of two equal units.
export const SIDE = 64;
export const BITS = {x: 16, a: 32, c: 4, d: 16, y: 16};
const BRANCHES = `format: inlay/1
network:
  name: branches
  bits: {a: ${BITS.a}, c: ${BITS.c}}
  inputs: {x: [${SIDE}, ${SIDE}]}
  weights: {w1: [${SIDE}, ${SIDE}], w2: [${SIDE}, ${SIDE}], w3: [${SIDE}, ${SIDE}]}
  nodes:
  - {name: left, op: gemm, inputs: [x, w1], output: a}
  - {name: right, op: gemm, inputs: [x, w2], output: c}
  - {name: both, op: elementwise, inputs: [a, c], output: d}
  - {name: end, op: gemm, inputs: [d, w3], output: y}
  outputs: [y]
---
format: inlay/1
machine:
  name: twins
  clock: 1 GHz
  units: {one: {peak: 1 GMAC/s}, two: {peak: 1 GMAC/s}}
  memories:
    pad: {size: 64 KiB, bandwidth: 64 B/cycle, energy: 1 pJ/B, reached_by: [one, two]}
  offchip: {bandwidth: 8 GB/s, energy: 20 pJ/B}
`;

// Six nodes whose tensors do not all fit: some run as fused steps, which ones depends on the pad.
const mixer = (kib) => `format: inlay/1
network:
  name: mixer
  inputs: {x: [64, 32]}
  weights: {w1: [32, 128], w2: [128, 32], w3: [32, 256], w4: [256, 16]}
  nodes:
  - {name: widen, op: gemm, inputs: [x, w1], output: a}
  - {name: relu, op: elementwise, inputs: [a], output: b}
  - {name: narrow, op: gemm, inputs: [b, w2], output: c}
  - {name: add, op: elementwise, inputs: [x, c], output: d}
  - {name: widen2, op: gemm, inputs: [d, w3], output: e}
  - {name: narrow2, op: gemm, inputs: [e, w4], output: f}
  outputs: [f]
---
format: inlay/1
machine:
  name: small-pad
  clock: 1 GHz
  units: {core: {peak: 0.2 TMAC/s}}
  memories:
    pad: {size: ${kib} KiB, bandwidth: 256 B/cycle, energy: 1 pJ/B, alignment: 64 B, reached_by: [core]}
  offchip: {bandwidth: 8 GB/s, energy: 20 pJ/B}
`;

// A folder for results and pages that goes with the test.
export class Workshop {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "inlay-report-"));
  }
  path(name) {
    return join(this.folder, name);
  }
  inlay(...words) {
    return execFileSync(process.env.INLAY_BINARY, words, {cwd: this.folder, encoding: "utf8"});
  }
  // Runs a command with -o NAME; the result that it wrote, which matches its schema.
  run(name, ...words) {
    this.inlay(...words, "--quiet", "-o", name);
    const check = [source("tools/result_schema.py"), process.env.INLAY_BINARY, this.path(name) + "/result.json"];
    execFileSync("python3", check, {stdio: ["ignore", "ignore", "inherit"]});
    return this.result(name);
  }
  result(name) {
    return JSON.parse(readFileSync(join(this.folder, name, "result.json"), "utf8"));
  }
  // A table of buffers for `alloc`.
  buffers() {
    writeFileSync(this.path("buffers.csv"), "id,lower,upper,size\na,0,3,4\nb,3,9,4\nc,1,5,7\n");
    return this.path("buffers.csv");
  }
  // A network and a machine that runs two of its nodes side by side.
  branches() {
    writeFileSync(this.path("branches.yaml"), BRANCHES);
    return this.path("branches.yaml");
  }
  // A network and a machine with so large a pad, of which nodes can be fused.
  mixer(kib) {
    writeFileSync(this.path(`mixer-${kib}.yaml`), mixer(kib));
    return this.path(`mixer-${kib}.yaml`);
  }
  // The page of some results, by the names of their folders.
  report(...names) {
    this.inlay("report", ...names, "--quiet", "-o", "page.html");
    return this.path("page.html");
  }
  read(path) {
    return readFileSync(path, "utf8");
  }
  remove() {
    rmSync(this.folder, {recursive: true, force: true});
  }
}

export async function launch() {
  return chromium.launch({
    executablePath: process.env.INLAY_CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu"],
  });
}

// Opens a page from disk, gives it to `use`, and then demands that the page made no network request
// and logged no error.
export async function visit(browser, path, use, options = {}) {
  const context = await browser.newContext({viewport: {width: 1240, height: 900}, ...options});
  const page = await context.newPage();
  const complaints = [];
  const asked = [];
  page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(String(error.stack)));
  await context.route("**/*", (route) => {
    const url = route.request().url();
    if (url === pathToFileURL(path).href) return route.continue();
    asked.push(url);
    return route.abort();
  });
  try {
    await page.goto(pathToFileURL(path).href);
    await page.waitForFunction(() =>
      [...document.querySelectorAll(".chart")].every((chart) => chart.firstElementChild),
    );
    await use(page);
    assert.deepEqual(complaints, []);
    assert.deepEqual(asked, []);
  } finally {
    await context.close();
  }
}

const PREFIX = {
  P: 1e15,
  T: 1e12,
  G: 1e9,
  M: 1e6,
  k: 1e3,
  "": 1,
  m: 1e-3,
  µ: 1e-6,
  n: 1e-9,
  p: 1e-12,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
  Ti: 1024 ** 4,
};

// "712.3 µJ" → 0.0007123: what a reader takes from a number on the page, in the basic unit.
export function number(text) {
  const match =
    /^([−+-]?[\d.,]+(?:e[+-]?\d+)?)(?:\s*(Ki|Mi|Gi|Ti|[PTGMkmµnp]?)(J·cycle|J|s|B|%|×|cycles)?)?$/.exec(
      text.trim(),
    );
  assert.ok(match, `'${text}' is no number`);
  const value = Number(match[1].replaceAll(",", "").replace("−", "-"));
  return value * PREFIX[match[2] ?? ""] * (match[3] === "%" ? 0.01 : 1);
}

// Four digits are shown.
export function close(text, expected, what) {
  const shown = number(text);
  assert.ok(
    Math.abs(shown - expected) <= 6e-4 * Math.abs(expected) + 1e-30,
    `${what}: '${text}' is not ${expected}`,
  );
}

// Texts of a table, by row and heading.
export async function rowsOf(locator) {
  return locator.first().evaluate((table) => {
    const heads = [...table.querySelectorAll("thead th")].map((th) => th.textContent.trim());
    return [...table.querySelectorAll("tbody tr")].map((tr) => {
      const row = {};
      [...tr.children].forEach((cell, i) => {
        row[heads[i] in row ? `${heads[i]} ${i}` : heads[i]] = cell.textContent.trim();
      });
      return row;
    });
  });
}
