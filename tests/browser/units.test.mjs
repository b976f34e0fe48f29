// Parts of the page by themselves, against dumb twins. They run in Node: nothing here needs a browser.
import assert from "node:assert/strict";
import {mkdtempSync, rmSync} from "node:fs";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {after, before, describe, it} from "node:test";
import {fileURLToPath, pathToFileURL} from "node:url";
import {close, number} from "./support.mjs";

const web = fileURLToPath(new URL("../../web/report/", import.meta.url));
const {build} = createRequire(join(web, "package.json"))("esbuild");

let state = 7;
const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
const below = (limit) => Math.floor(random() * limit);

describe("units", () => {
  const folder = mkdtempSync(join(tmpdir(), "inlay-units-"));
  const load = async (module) => {
    const outfile = join(folder, `${module.replaceAll("/", "-")}.mjs`);
    await build({entryPoints: [join(web, "src", `${module}.ts`)], bundle: true, format: "esm", outfile});
    return import(pathToFileURL(outfile).href);
  };
  let Boxes;
  before(async () => {
    ({Boxes} = await load("timeline/model"));
  });
  after(() => rmSync(folder, {recursive: true, force: true}));

  const randomBoxes = (count) =>
    Array.from({length: count}, (_, i) => {
      const x0 = below(500);
      const y0 = below(40);
      return {
        x0,
        x1: x0 + 1 + below(random() < 0.1 ? 400 : 8),
        y0,
        y1: y0 + 1 + below(9),
        colour: 0,
        label: `${i}`,
      };
    });

  it("a gap is never shown as less than it is", async () => {
    const {gapText} = await load("views/certificate");
    assert.deepEqual(
      [0, 5e-7, 0.000147, 0.0005, 0.00149, 0.2, 0.99].map(gapText),
      ["0.0 %", "0.001 %", "0.02 %", "0.05 %", "0.2 %", "20.0 %", "a factor of 100"],
    );
    for (let round = 0; round < 2000; ++round) {
      const gap = 0.9 * random() ** 6;
      assert.ok(number(gapText(gap)) >= gap * (1 - 1e-4) && number(gapText(gap)) <= gap * 2.1 + 1e-3, gap);
    }
  });

  it("short names of layers say what tells the layers apart", async () => {
    const {shortNames} = await load("names");
    const shown = (names, room) => names.map(shortNames(names, room));
    // As exporters of PyTorch call them.
    const path = (block, part, last) => `/features/features.${block}/conv/conv.${part}/conv.${part}.${last}/Conv`;
    assert.deepEqual(shown([path(1, 0, 0), path(1, 1, 0), path(11, 1, 0), "/classifier/classifier.1/Gemm"]), [
      "features.1/conv.0.0/Conv",
      "features.1/conv.1.0/Conv",
      "features.11/conv.1.0/Conv",
      "classifier.1/Gemm",
    ]);
    const narrow = shown([path(1, 0, 0), path(2, 0, 0), path(11, 0, 0), "/classifier/classifier.1/Gemm"], 18);
    for (const [i, block] of [1, 2, 11].entries()) assert.match(narrow[i], new RegExp(`(^|[^0-9])${block}([^0-9]|$)`));
    assert.ok(narrow.every((label) => label.length <= 18), narrow.join());
    // Where words are cut, numbers stay, and as many letters as tell the words apart.
    const dense = (block, layer) => `/features/denseblock${block}/denselayer${layer}/conv1/Conv`;
    const [near, far, other] = shown([dense(1, 2), dense(2, 12), "/features/norm0/Relu"]);
    assert.match(near, /^denseb…1\/densel…2\//);
    assert.match(far, /^denseb…2\/densel…12\//);
    assert.equal(other, "norm0/Relu");
    // A path that all share is left out; what is alone keeps its name.
    assert.deepEqual(shown(["/m/encoder/a/Conv", "/m/encoder/b/Conv"]), ["a", "b"]);
    assert.deepEqual(shown(["/m/encoder/a/Conv"]), ["/m/encoder/a/Conv"]);
    assert.deepEqual(shown(["/m/a", "input"]), ["m/a", "input"]);
    // Parts of paths are dropped only where nothing else is called so.
    assert.deepEqual(shown(["a/a.1/x", "a.1/x", "b"]), ["a/a.1/x", "a.1/x", "b"]);
  });

  it("different names stay different, and short where that can be", async () => {
    const {shortNames} = await load("names");
    const word = (letters, length) => Array.from({length}, () => letters[below(letters.length)]).join("");
    for (let round = 0; round < 400; ++round) {
      const room = 8 + below(20);
      const starts = [word("ab/.", below(30)), word("ab/.", below(30))];
      const ends = [word("ab/.", below(30)), ""];
      const names = [...new Set(Array.from({length: 1 + below(12)}, () => starts[below(2)] + word("abc/.", 1 + below(4)) + ends[below(2)]))];
      const labels = names.map(shortNames(names, room));
      assert.equal(new Set(labels).size, names.length, JSON.stringify({names, labels}));
      if (names.length === 1) assert.ok(labels[0].length <= Math.max(room, 1));
    }
  });

  it("boxes within a window are those that overlap it", () => {
    for (let round = 0; round < 60; ++round) {
      const list = randomBoxes(below(1200));
      const boxes = new Boxes(list);
      const from = below(520) - 10 + random();
      const to = from + random() * 80;
      const found = [];
      boxes.within(from, to, (i) => found.push(boxes.source[i]));
      const expected = list.flatMap((box, i) => (box.x0 < to && box.x1 > from ? [i] : []));
      assert.deepEqual(
        found.slice().sort((a, b) => a - b),
        expected,
      );
      for (let i = 1; i < found.length; ++i) assert.ok(list[found[i - 1]].x0 <= list[found[i]].x0);
      assert.equal(
        boxes.end,
        list.reduce((end, box) => Math.max(end, box.x1), 0),
      );
    }
  });

  it("the box at a point is the last that covers it", () => {
    for (let round = 0; round < 300; ++round) {
      const list = randomBoxes(400);
      const boxes = new Boxes(list);
      const x = random() * 520;
      const y = random() * 50;
      const covering = list
        .map((box, i) => ({box, i}))
        .filter(({box}) => box.x0 <= x && box.x1 > x && box.y0 <= y && box.y1 > y)
        .sort((a, b) => a.box.x0 - b.box.x0 || a.i - b.i);
      const found = boxes.at(x, y, 1e-9, 0);
      assert.equal(found < 0 ? -1 : boxes.source[found], covering.at(-1)?.i ?? -1);
    }
  });

  it("numbers say what they are", async () => {
    const {si, bytes, change, energy, grouped, plural} = await load("format");
    for (let round = 0; round < 2000; ++round) {
      const value = random() * 10 ** (below(24) - 9);
      close(si(value, "J"), value, "si");
      close(energy(value), value * 1e-12, "energy");
      close(grouped(Math.round(value)), Math.round(value), "grouped");
      if (value >= 1) close(bytes(value), value, "bytes");
      const other = value * (0.2 + 3 * random());
      const told = change(value, other);
      assert.ok(Math.abs((told === "≈" ? 0 : number(told)) - (other / value - 1)) < 6e-4);
    }
    assert.equal(si(999.96, "s"), "1 ks");
    assert.equal(si(0, "J"), "0 J");
    assert.equal(grouped(1234567), "1,234,567");
    assert.equal(change(2, 2), "=");
    assert.deepEqual(
      [plural(1, "layer"), plural(2, "layer"), plural(0, "policy")],
      ["1 layer", "2 layers", "0 policies"],
    );
  });

  it("ticks are round and inside", async () => {
    const {ticks} = await load("timeline/lane");
    const {logTicks} = await load("chart");
    for (let round = 0; round < 500; ++round) {
      const from = random() * 10 ** below(7);
      const to = from + random() * 10 ** below(7) + 1e-3;
      const room = 1 + below(9);
      for (const binary of [false, true]) {
        const values = ticks(from, to, room, binary);
        assert.ok(values.length <= room + 1, `${values.length} in ${room}`);
        for (const value of values) assert.ok(value >= from && value <= to);
      }
      const high = (from + 1e-3) * (1.5 + 1000 * random());
      for (const value of logTicks(from + 1e-3, high)) assert.ok(value >= from + 1e-3 && value <= high);
    }
  });

  const randomGraph = () => {
    const count = 1 + below(60);
    const edges = new Map();
    for (let i = 0; i < below(150); ++i) {
      const [a, b] = [below(count), below(count)];
      if (a !== b) edges.set(`${Math.min(a, b)} ${Math.max(a, b)}`, [Math.min(a, b), Math.max(a, b)]);
    }
    return {count, edges: [...edges.values()]};
  };

  it("crossings are counted as by comparing every pair", async () => {
    const {crossings} = await load("graph/layers");
    for (let round = 0; round < 300; ++round) {
      const place = Array.from({length: 20}, () => below(10));
      const links = Array.from({length: below(40)}, () => [below(10), 10 + below(10)]);
      let expected = 0;
      links.forEach(([a, b], i) =>
        links.slice(i + 1).forEach(([c, d]) => {
          if ((place[a] - place[c]) * (place[b] - place[d]) < 0) ++expected;
        }),
      );
      assert.equal(crossings(links, place), expected);
    }
  });

  it("values spread by least squares, as the formula by all intervals says", async () => {
    const {spread} = await load("graph/place");
    for (let round = 0; round < 300; ++round) {
      const count = 1 + below(9);
      const wanted = Array.from({length: count}, () => below(50));
      const weight = Array.from({length: count}, () => 1 + below(5));
      const apart = Array.from({length: count - 1}, () => 1 + below(6));
      const shift = [0];
      apart.forEach((gap) => shift.push(shift.at(-1) + gap));
      const mean = (a, b) => {
        let sum = 0;
        let total = 0;
        for (let i = a; i <= b; ++i) {
          sum += weight[i] * (wanted[i] - shift[i]);
          total += weight[i];
        }
        return sum / total;
      };
      const indices = wanted.map((_, i) => i);
      const expected = indices.map(
        (i) =>
          shift[i] +
          Math.max(
            ...indices
              .filter((a) => a <= i)
              .map((a) => Math.min(...indices.filter((b) => b >= i).map((b) => mean(a, b)))),
          ),
      );
      spread(wanted, weight, apart).forEach((value, i) =>
        assert.ok(Math.abs(value - expected[i]) < 1e-9, `${value} is not ${expected[i]}`),
      );
    }
  });

  // Along a path of M, V and C.
  const heightsOf = (path) => {
    const heights = [];
    for (const [, letter, numbers] of path.matchAll(/([MVC])([^MVC]*)/g)) {
      const n = numbers.split(" ").map(Number);
      const from = heights.at(-1);
      if (letter !== "C") heights.push(n.at(-1));
      for (let t = 0.125; letter === "C" && t <= 1; t += 0.125)
        heights.push(
          (1 - t) ** 3 * from + 3 * t * (1 - t) ** 2 * n[1] + 3 * t * t * (1 - t) * n[3] + t ** 3 * n[5],
        );
    }
    return heights;
  };

  it("nodes lie below what they read, and none on another", async () => {
    const {layered} = await load("graph/layers");
    const {lineOf, placed} = await load("graph/place");
    const size = {width: 100, height: 30, gap: 10, line: 6, pitch: 50, gutter: 40};
    for (let round = 0; round < 120; ++round) {
      const graph = randomGraph();
      const layers = layered(graph);
      graph.edges.forEach(([from, to], e) => {
        const route = layers.routes[e];
        assert.deepEqual([route[0], route.at(-1)], [from, to]);
        for (let i = 1; i < route.length; ++i) {
          assert.equal(layers.rankOf[route[i]], layers.rankOf[route[i - 1]] + 1);
          assert.ok(i === route.length - 1 || route[i] >= graph.count, "through places of lines");
        }
      });
      assert.deepEqual(
        layers.ranks.flat().sort((a, b) => a - b),
        layers.rankOf.map((_, i) => i),
      );
      const where = placed(layers, size, 0.5 + 3 * random());
      const half = (item) => (item < graph.count ? size.width : size.line) / 2;
      for (let a = 0; a < where.items.length; ++a) {
        const one = where.items[a];
        assert.ok(one.x - half(a) >= -1e-6 && one.x + half(a) <= where.width + 1e-6);
        assert.ok(one.y >= 0 && one.y <= where.height);
        for (let b = a + 1; b < where.items.length; ++b) {
          const other = where.items[b];
          if (Math.abs(one.y - other.y) > 1e-6) continue;
          assert.ok(Math.abs(one.x - other.x) >= half(a) + half(b) - 1e-6, `${a} lies on ${b}`);
        }
      }
      for (const route of layers.routes)
        for (const y of heightsOf(lineOf(route, where, size)))
          assert.ok(y >= -1e-6 && y <= where.height + 1e-6, `${y} of ${where.height}`);
    }
  });

  it("lines of mappings are taken apart, and loops explained", async () => {
    const {parseLine, accesses, explainLoop} = await load("nest");
    assert.deepEqual(parseLine("GLB keeps Inputs Outputs"), {
      kind: "level",
      level: "GLB",
      also: false,
      keeps: ["Inputs", "Outputs"],
    });
    assert.deepEqual(parseLine("GLB also keeps Outputs"), {kind: "level", level: "GLB", also: true, keeps: ["Outputs"]});
    assert.deepEqual(parseLine("RF keeps none"), {kind: "level", level: "RF", also: false, keeps: "none"});
    const loop = parseLine("parallel P in 8 step 3 on array.x");
    assert.deepEqual(loop, {
      kind: "parallel",
      dim: "P",
      bound: 8,
      step: 3,
      trips: 3,
      last: 2,
      axis: "array.x",
    });
    const tensors = accesses({
      mapping: [],
      problem: {dims: {P: 8, R: 3, K: 2}, tensors: ["Inputs[2*P + R]", "Weights[R, K]", "Outputs[P, K] +="]},
    });
    assert.deepEqual(
      tensors.map((tensor) => [...tensor.dims].join("")),
      ["PR", "RK", "PK"],
    );
    assert.deepEqual(
      tensors.map((tensor) => tensor.output),
      [false, false, true],
    );
    assert.equal(
      explainLoop(loop, tensors),
      "Spreads 2 × 3 and a last 2 of the 8 of P over array.x.\nMoves on in Inputs and Outputs; the lanes share Weights.",
    );
  });
});
