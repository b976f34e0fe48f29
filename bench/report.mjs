// Figures of the report page, in a real browser; bench/run.sh runs it.
//   node bench/report.mjs [--json] [FILTER]
// Needs INLAY_BINARY, INLAY_CHROMIUM and web/report/node_modules (tools/web_packages.sh).
import {execFileSync} from "node:child_process";
import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {pathToFileURL} from "node:url";
import {manyResidencies} from "./many_residencies.mjs";

const {chromium} = createRequire(new URL("../web/report/package.json", import.meta.url))("playwright-core");
const json = process.argv.includes("--json");
const filter = new RegExp(process.argv.slice(2).find((word) => !word.startsWith("--")) ?? "");
const folder = mkdtempSync(join(tmpdir(), "inlay-bench-"));
const inlay = (...words) =>
  execFileSync(process.env.INLAY_BINARY, words, {cwd: folder, stdio: ["ignore", "ignore", "inherit"]});

function print(name, value, unit) {
  const rounded = Number(value.toPrecision(4));
  console.log(
    json
      ? JSON.stringify({name, value: rounded, unit})
      : `${name.padEnd(48)} ${String(rounded).padStart(14)}  ${unit}`,
  );
}

// Milliseconds of processor that the pages of our browser have taken: a busy machine stretches every
// other time.
function pageTime() {
  const parents = new Map();
  const ticks = new Map();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      parents.set(Number(entry), Number(fields[1]));
      if (!readFileSync(`/proc/${entry}/cmdline`, "utf8").includes("--type=renderer")) continue;
      ticks.set(Number(entry), Number(fields[11]) + Number(fields[12]));
    } catch {
      continue; // it has ended meanwhile
    }
  }
  const isOurs = (pid) => pid === process.pid || (parents.has(pid) && isOurs(parents.get(pid)));
  return 10 * [...ticks].reduce((sum, [pid, own]) => sum + (isOurs(pid) ? own : 0), 0);
}

async function resnet(browser) {
  inlay("map", "resnet50", "--arch", "eyeriss", "--time-limit", "20s", "--quiet", "-o", "resnet50");
  inlay("report", "resnet50", "--quiet", "-o", "resnet50.html");
  const path = join(folder, "resnet50.html");
  print("report/resnet50-eyeriss/size", statSync(path).size / 1e6, "MB");
  const times = [];
  const works = [];
  for (let i = 0; i < 5; ++i) {
    const page = await browser.newPage();
    const before = pageTime();
    await page.goto(pathToFileURL(path).href);
    // From the click to the end of the frame in which all charts stand.
    times.push(
      await page.evaluate(
        () =>
          new Promise((done) => {
            const look = () =>
              [...document.querySelectorAll(".chart")].every((chart) => chart.firstElementChild)
                ? done(performance.now())
                : requestAnimationFrame(look);
            look();
          }),
      ),
    );
    works.push(pageTime() - before);
    await page.close();
  }
  print("report/resnet50-eyeriss/open/processor", works.sort((a, b) => a - b)[2] / 1e3, "s");
  print("report/resnet50-eyeriss/open", times.sort((a, b) => a - b)[2] / 1e3, "s");
}

async function timeline(browser) {
  mkdirSync(join(folder, "many"));
  writeFileSync(join(folder, "many/result.json"), JSON.stringify(manyResidencies(100_000)));
  inlay("report", "many", "--quiet", "-o", "many.html");
  const page = await browser.newPage({viewport: {width: 1240, height: 900}});
  await page.goto(pathToFileURL(join(folder, "many.html")).href);
  const pan = (zooms) =>
    page.evaluate(async (count) => {
      const canvas = document.querySelector(".timeline canvas");
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      const point = (type, x) =>
        canvas.dispatchEvent(
          new PointerEvent(type, {
            clientX: x,
            clientY: canvas.getBoundingClientRect().top + 80,
            pointerId: 1,
            bubbles: true,
          }),
        );
      canvas.setPointerCapture = () => {};
      canvas.dispatchEvent(new KeyboardEvent("keydown", {key: "0", bubbles: true}));
      for (let i = 0; i < count; ++i)
        canvas.dispatchEvent(new KeyboardEvent("keydown", {key: "+", bubbles: true}));
      await frame();
      point("pointerdown", 700);
      const gaps = [];
      let last = performance.now();
      for (let i = 0; i < 120; ++i) {
        point("pointermove", 700 + 3 * (i % 40));
        await frame();
        const now = performance.now();
        gaps.push(now - last);
        last = now;
      }
      point("pointerup", 700);
      return gaps.sort((a, b) => a - b)[60];
    }, zooms);
  for (const [name, zooms] of [
    ["whole", 0],
    ["half", 1],
    ["near", 8],
  ]) {
    const before = pageTime();
    const gap = await pan(zooms);
    print(`report/timeline-100k/${name}/frame`, gap, "ms");
    print(`report/timeline-100k/${name}/processor-per-frame`, (pageTime() - before) / 121, "ms");
  }
  await page.close();
}

const wanted = ["report/resnet50-eyeriss", "report/timeline-100k"].filter((name) => filter.test(name));
if (wanted.length) {
  const browser = await chromium.launch({
    executablePath: process.env.INLAY_CHROMIUM,
    args: ["--no-sandbox"],
  });
  try {
    if (wanted[0].includes("resnet")) await resnet(browser);
    if (wanted.at(-1).includes("timeline")) await timeline(browser);
  } finally {
    await browser.close();
    rmSync(folder, {recursive: true, force: true});
  }
}
