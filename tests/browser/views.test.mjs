// The other commands on the page, two results side by side, colours, print, and hostile texts.
import assert from "node:assert/strict";
import {readFileSync, writeFileSync, mkdirSync} from "node:fs";
import {after, before, describe, it} from "node:test";
import {close, inputs, launch, number, rowsOf, visit, Workshop} from "./support.mjs";

describe("views", () => {
  const shop = new Workshop();
  let browser;
  let evaluated;
  let planned;
  before(async () => {
    browser = await launch();
    evaluated = shop.run("eval", "eval", inputs("tiny.yaml"));
    planned = shop.run("plan", "plan", "resnet18", "--machine", "onsram-2pads", "--strategy", "greedy");
  });
  after(async () => {
    await browser?.close();
    shop.remove();
  });
  const tile = (page, name) => page.locator(`[data-tile="${name}"] dd`).first().textContent();

  it("eval: one mapping, and one under two semantics", async () => {
    const result = evaluated;
    await visit(browser, shop.report("eval"), async (page) => {
      close(await tile(page, "energy"), result.energy_pj * 1e-12, "energy");
      close(await tile(page, "cycles"), result.cycles, "cycles");
      close(await tile(page, "off-chip words"), result.offchip_words, "words");
      assert.equal(await page.locator(".ladder .held").count(), 6);
    });
    const both = shop.run("both", "eval", inputs("tiny.yaml"), "--semantics", "exact,timeloop");
    await visit(browser, shop.report("both"), async (page) => {
      const rows = await rowsOf(page.locator("[data-view=table] table"));
      assert.deepEqual(
        rows.map((row) => row.semantics),
        both.map((one) => one.semantics),
      );
      rows.forEach((row, i) => close(row.energy, both[i].energy_pj * 1e-12, "energy"));
    });
  });

  it("eval: a fused mapping with its tree, nodes and words", async () => {
    const result = shop.run("fused", "eval", "line-buffer");
    await visit(browser, shop.report("fused"), async (page) => {
      close(await tile(page, "energy"), result.energy_pj * 1e-12, "energy");
      close(await tile(page, "off-chip words"), result.offchip_words, "words");
      const lines = await page.locator("[data-view=tree] .nest .line").allTextContents();
      assert.equal(lines.length, result.tree.length);
      result.holds.forEach((hold) => {
        const words = `${hold.tile_words.toLocaleString("en-US")} words`;
        assert.ok(lines.some((line) => /^(hold|retain) /.test(line) && line.endsWith(`${hold.tensor}${words}`)), words);
      });
      const nodes = await rowsOf(page.locator("[data-view=nodes] table"));
      assert.deepEqual(
        nodes.map((row) => [row.node, number(row.executions)]),
        result.nodes.map((node) => [node.name, node.executions]),
      );
      const moved = await rowsOf(page.locator("[data-view=table] table"));
      for (const row of moved) {
        const counts = result.levels.find((level) => level.name === row.level).tensors[row.tensor];
        for (const key of ["reads", "fills", "updates", "drains"])
          assert.equal(row[key] === "·" ? 0 : number(row[key]), counts[key], `${row.level} ${row.tensor}`);
      }
    });
  });

  it("fuse: what fusing saves, the staircase, the runs and the tree", async () => {
    const result = shop.run("fuse", "fuse", inputs("fused.yaml"), "--pad", "100B..200B");
    await visit(browser, shop.report("fuse"), async (page) => {
      close(await tile(page, "off-chip words"), result.total.offchip_words, "words");
      assert.equal(await tile(page, "certificate"), result.certificate.status);
      const choices = await rowsOf(page.locator("[data-view=choices] table"));
      assert.deepEqual(
        choices.map((row) => [row.mapping, number(row["off-chip words"])]),
        [
          ["fused", result.total.offchip_words],
          ["unfused", result.unfused.offchip_words],
        ],
      );
      assert.ok(result.runs.length > 1);
      const runs = await rowsOf(page.locator("[data-view=runs] table"));
      assert.deepEqual(
        runs.map((row) => [row.nodes, number(row.room)]),
        result.runs.map((run) => [run.nodes.join(" → "), run.room_words]),
      );
      const steps = page.locator("[data-view=staircase] svg g[aria-label=line] path");
      assert.equal(await steps.count(), [result.front, result.unfused_front].length);
      const lines = await page.locator("[data-view=tree] .nest .line").allTextContents();
      assert.equal(lines.length, result.tree.length);
    });
  });

  it("plan: figures, memories, steps", async () => {
    const result = planned;
    await visit(browser, shop.report("plan"), async (page) => {
      close(await tile(page, "latency"), result.latency_us * 1e-6, "latency");
      close(await tile(page, "off-chip traffic"), result.offchip_bytes, "traffic");
      close(await tile(page, "energy"), result.energy_pj * 1e-12, "energy");
      const units = new Set(result.steps.map((step) => step.unit)).size;
      assert.equal(
        await page.locator("[data-view=memories] canvas").count(),
        units + result.memories.length,
      );
      await page.locator("[data-view=table] button.more").click();
      const rows = await rowsOf(page.locator("[data-view=table] table"));
      assert.deepEqual(
        rows.map((row) => row.node),
        result.order,
      );
      rows.forEach((row, i) => close(row.latency, result.steps[i].latency_us * 1e-6, row.node));
      const others = await rowsOf(page.locator("[data-view=coverage] table"));
      assert.deepEqual(
        others.map((row) => row.kind),
        result.coverage.others.map((kind) => kind.kind),
      );
      others.forEach((row, i) => close(row.bytes, result.coverage.others[i].bytes, row.kind));
    });
  });

  it("map: nodes on vector units, and why others are not counted", async () => {
    const files = `format: inlay/1
network:
  name: block
  inputs: {x: [8, 8]}
  weights: {w: [8, 8]}
  nodes:
  - {name: product, op: matmul, inputs: [x, w], output: a}
  - {name: act, op: elementwise, function: max, inputs: [a], output: b}
  - {name: soft, op: softmax, inputs: [b], output: y}
  outputs: [y]
---
format: inlay/1
architecture:
  name: small
  technology: thistle-45nm
  levels:
  - {name: DRAM, kind: dram}
  - {name: buffer, kind: sram, capacity: 64 words}
  - {ops: [add, max], compute: alu, rate: 4 ops/cycle, energy: 1 pJ}
  - {compute: mac}
`;
    writeFileSync(shop.path("vector.yaml"), files);
    const {vector_nodes, coverage} = shop.run("vector", "map", "vector.yaml", "--mapspace", "perfect");
    assert.equal(vector_nodes.length, 1);
    await visit(browser, shop.report("vector"), async (page) => {
      const [row, ...more] = await rowsOf(page.locator("[data-view=vector-nodes] table"));
      assert.equal(more.length, 0);
      assert.equal(row.node, "act");
      assert.equal(row.kind, "elementwise max");
      close(row.operations, vector_nodes[0].operations, "operations");
      close(row.cycles, vector_nodes[0].cycles, "cycles");
      const [left] = await rowsOf(page.locator("[data-view=coverage] table"));
      assert.equal(left.kind, "softmax");
      assert.equal(left.why, coverage.others[0].reason);
    });
  });

  it("plan: the gates of recurrent nodes, which nothing counts", async () => {
    const network = `format: inlay/1
network:
  name: recurrent
  inputs: {x: [4, 1, 8]}
  weights: {w: [1, 32, 8], r: [1, 32, 8]}
  nodes: [{name: forget, op: lstm, inputs: [x, w, r], output: y}]
  outputs: [y]
`;
    writeFileSync(shop.path("recurrent.yaml"), network);
    const {gates} = shop.run("gates", "plan", "recurrent.yaml", "--machine", "onsram", "--strategy", "none").coverage;
    await visit(browser, shop.report("gates"), async (page) => {
      const view = page.locator("[data-view=coverage]");
      assert.match(await view.textContent(), /Every node multiplies\..*not their gates\./);
      const [row, ...others] = await rowsOf(view.locator("table"));
      assert.equal(others.length, 0);
      assert.equal(row.kind, gates[0].kind);
      close(row.operations, gates[0].operations, "operations");
      close(row.bytes, gates[0].bytes, "bytes");
    });
  });

  // Never worse, never a bound above what was found in the end.
  const checkProgress = (told, end) => {
    assert.ok(told.length > 0);
    told.forEach((moment, i) => {
      assert.ok(moment.incumbent >= end.objective && moment.bound <= end.objective * (1 + 1e-9));
      if (i === 0) return;
      assert.ok(moment.incumbent <= told[i - 1].incumbent && moment.bound >= told[i - 1].bound);
      assert.ok(moment.seconds >= told[i - 1].seconds);
    });
  };

  it("plan: how the search went", async () => {
    const result = shop.run("searched", "plan", "resnet18", "--machine", "onsram", "--strategy", "exact");
    const told = result.measured.progress;
    checkProgress(told, result.certificate);
    assert.ok(told.length > 2);
    await visit(browser, shop.report("searched"), async (page) => {
      const dots = page.locator("[data-view=progress] [aria-label=dot] circle");
      assert.equal(await dots.count(), told.length + 1);
      assert.match(
        await page.locator("[data-view=progress] h3").textContent(),
        /^resnet18: (proven optimal|within [\d.]+ %) after [\d.]+ m?s/,
      );
    });
  });

  it("codesign: how the search went", async () => {
    const result = shop.run(
      "one",
      "codesign",
      "thistle-table2",
      "--technology",
      "thistle-45nm",
      "--area",
      "2363756",
      "--semantics",
      "thistle",
      "--scope",
      "network",
    );
    checkProgress(result.measured.progress, result.certificate);
    await visit(browser, shop.report("one"), async (page) => {
      assert.match(
        await page.locator("main").textContent(),
        /thistle-table2: proven optimal after [\d.]+ m?s/,
      );
    });
  });

  it("codesign: a front of architectures with the chosen one", async () => {
    const result = shop.run(
      "front",
      "codesign",
      inputs("tiny.yaml"),
      "--technology",
      "thistle-45nm",
      "--area",
      "200000",
      "--scope",
      "pareto",
    );
    await visit(browser, shop.report("front"), async (page) => {
      const least = result.architectures.reduce((a, b) => (b.total.energy_pj < a.total.energy_pj ? b : a));
      close(await tile(page, "energy"), least.total.energy_pj * 1e-12, "energy");
      const rows = await rowsOf(page.locator("[data-view=table] table"));
      assert.equal(rows.length, Math.min(20, result.architectures.length));
      rows.forEach((row, i) => close(row.cycles, result.architectures[i].total.cycles, "cycles"));
      if (result.architectures.length > 1) {
        assert.equal(
          await page.locator("[data-view=pareto] [aria-label=dot]").first().locator("circle").count(),
          result.architectures.length,
        );
      }
    });
  });

  it("batch: the policies against the bounds, and one run over time", async () => {
    const result = shop.run("batch", "batch", inputs("mix.yaml"));
    const trace = JSON.parse(readFileSync(shop.path("batch/trace.json"), "utf8")).traceEvents;
    await visit(browser, shop.report("batch"), async (page) => {
      const rows = await rowsOf(page.locator("[data-view=table] table"));
      rows.forEach((row, i) => {
        assert.equal(row.policy, result.policies[i].name);
        close(row.cycles, result.policies[i].makespan_cycles, "cycles");
        close(row["inferences/s"], result.policies[i].throughput_per_s, "throughput");
      });
      assert.equal(
        await page.locator("[data-view=policies] svg").first().locator("[aria-label=bar] rect").count(),
        result.policies.length,
      );
      // Arrays, channel, memory, and every workload.
      assert.equal(await page.locator("[data-view=trace] canvas").count(), 3 + result.workloads.length);
      const first = trace
        .filter((event) => event.ph === "X" && event.tid === 1)
        .sort((a, b) => a.ts - b.ts)[0];
      await page.locator("[data-view=trace] canvas").first().focus();
      await page.keyboard.press("n");
      assert.ok((await page.locator("#tip").textContent()).startsWith(`${first.name}\n`));
    });
  });

  it("batch: says what of the arrays is not used while they are busy", () =>
    visit(browser, shop.report("batch"), async (page) => {
      const {policies, best, accelerator} = shop.result("batch");
      const {utilization} = policies.find((policy) => policy.name === best);
      const used = `${(100 * utilization).toFixed(1)} %`;
      const busy = page.locator('[data-tile="arrays busy"]');
      assert.equal(await busy.locator(".below").textContent(), `${used} of their peak operations`);
      await busy.focus();
      const elements = accelerator.rows * accelerator.columns * accelerator.arrays;
      assert.match(
        await page.locator("#tip").textContent(),
        new RegExp(`Of all multiply-accumulates that ${elements.toLocaleString("en-US")} elements .*${used} are done`),
      );
    }));

  it("study: the figure and every point", async () => {
    const result = shop.run("study", "study", "ruby-table1", "--limit", "16");
    await visit(browser, shop.report("study"), async (page) => {
      const values = result.figure.rows.flatMap((row) => row.y).filter((y) => y !== null).length;
      const marks = await page
        .locator("[data-view=study] [aria-label=dot] circle, [data-view=study] [aria-label=bar] rect")
        .count();
      assert.equal(marks, values);
      const rows = await rowsOf(page.locator("[data-view=table] table"));
      assert.deepEqual(
        rows.map((row) => row.size),
        result.points.filter((p) => p.status !== "not run").map((p) => String(p.figures.size)),
      );
    });
  });

  it("study: points that are not proven say so", async () => {
    const result = shop.run("unproven", "study", "onsram-pads", "--limit", "2");
    assert.equal(result.points[0].settings.strategy, "greedy");
    const open = result.points.filter((p) => p.certificate && p.certificate.status !== "optimal").length;
    assert.ok(open > 0);
    await visit(browser, shop.report("unproven"), async (page) => {
      const told = await page.locator("[data-view=study]").textContent();
      assert.ok(told.includes(`${open} of 2 searched points not proven optimal`), told);
      const rows = await rowsOf(page.locator("[data-view=table] table"));
      assert.match(rows[0].status, /^(within .*%|no bound yet|heuristic)$/);
    });
  });

  it("study: points that a time limit cut short say how far they came", async () => {
    writeFileSync(
      shop.path("endless.yaml"),
      `format: inlay/1
study:
  name: endless
  run: map
  grid:
    workload: [{gemm: {P: 64, K: 64, C: 64}}]
    arch: toy-16
    strategy: random
    victory_condition: 0
    seed: 1..2
  figure: {x: seed, y: edp}
  claims:
  - {what: energy of the first, paper: "4 mJ", metric: energy_pj, of: {seed: 1}}
`,
    );
    const result = shop.run("endless", "study", "endless.yaml", "--time-limit", "600ms");
    assert.deepEqual(
      result.points.map((p) => p.status),
      ["cut short", "cut short"],
    );
    await visit(browser, shop.report("endless"), async (page) => {
      const told = await page.locator("[data-view=study]").textContent();
      assert.ok(told.includes("2 of 2 searched points not proven optimal"), told);
      const points = await rowsOf(page.locator("[data-view=table] table"));
      for (const row of points) assert.equal(row.status, "cut short, heuristic");
      points.forEach((row, i) => close(row.energy, result.points[i].figures.energy_pj * 1e-12, "energy"));
      const [claim] = await rowsOf(page.locator("[data-view=claims] table"));
      assert.deepEqual([claim.claim, claim.paper, claim.proof], ["energy of the first", "4 mJ", "heuristic"]);
      close(claim.ours, result.claims[0].ours, "ours");
    });
  });

  it("alloc: every buffer at its address", async () => {
    const result = shop.run("alloc", "alloc", shop.buffers());
    await visit(browser, shop.report("alloc"), async (page) => {
      close(await tile(page, "height"), result.height, "height");
      const canvas = page.locator("canvas");
      await canvas.focus();
      for (const buffer of result.buffers.slice().sort((a, b) => a.lower - b.lower)) {
        await page.keyboard.press("n");
        const text = await page.locator("#tip").textContent();
        assert.ok(
          text.startsWith(`${buffer.id}\n`) && text.includes(` at ${result.offsets[buffer.id]}\n`),
          text,
        );
      }
    });
  });

  it("mapspace and systolic: their figures as tables", async () => {
    shop.run("space", "mapspace", inputs("tiny.yaml"), "--arch", "toy-5", "--mapspace", "ruby-s");
    shop.run("systolic", "systolic", "alexnet", "--array", "16x16", "--dataflow", "os");
    const result = shop.result("systolic");
    const space = shop.result("space");
    await visit(browser, shop.report("space", "systolic"), async (page) => {
      assert.equal(await page.locator("section[data-command]").count(), 2);
      const mappings = Number(space.size).toLocaleString("en-US");
      assert.equal(await tile(page, "mappings"), mappings);
      const [orders, of] = space.orders.split("/");
      close(await tile(page, "orders"), Number(orders) / Number(of ?? 1), "orders");
      assert.ok((await page.locator("h2").first().textContent()).includes(`${mappings} mappings in ruby-s`));
      const rows = await rowsOf(page.locator("section[data-command=systolic] table"));
      assert.deepEqual(
        rows.map((row) => number(row.cycles)),
        result.layers.map((layer) => layer.cycles),
      );
      close(await tile(page, "array used"), result.total.utilization, "used");
      const told = await page.locator("[data-view=time] .legend .value").allTextContents();
      assert.equal(told[0], `${Math.round(100 * result.total.utilization)} %`);
    });
  });

  it("compares two results of one command, layer by layer", async () => {
    const first = shop.run(
      "perfect",
      "map",
      inputs("net.yaml"),
      "--arch",
      "eyeriss",
      "--mapspace",
      "perfect",
    );
    const second = shop.run("ruby", "map", inputs("net.yaml"), "--arch", "eyeriss", "--mapspace", "ruby-s");
    await visit(browser, shop.report("perfect", "ruby"), async (page) => {
      const rows = await rowsOf(page.locator("[data-view=comparison] table"));
      assert.equal(rows.length, first.layers.length);
      rows.forEach((row, i) => {
        close(row["energy A"], first.layers[i].cost.energy_pj * 1e-12, "energy A");
        close(row.B, second.layers[i].cost.energy_pj * 1e-12, "energy B");
        close(row["EDP A"], first.layers[i].cost.edp * 1e-12, "EDP A");
        const change = second.layers[i].cost.energy_pj / first.layers[i].cost.energy_pj - 1;
        if (row.change !== "=" && row.change !== "≈")
          assert.ok(Math.abs(number(row.change) - change) < 6e-4, `${row.change} is not ${change}`);
        else assert.ok(Math.abs(change) < 6e-4);
      });
      assert.equal(await page.locator("nav a").count(), 2);
      const facts = await page.locator("[data-view=comparison] dd").allTextContents();
      assert.ok(facts[0].endsWith("perfect/result.json: mapspace perfect)"), facts[0]);
      assert.ok(facts[1].endsWith("ruby/result.json: mapspace ruby-s)"), facts[1]);
    });
  });

  it("compares three plans by their totals, and tells them apart", async () => {
    const strategies = ["none", "next-use", "eager"];
    const results = strategies.map((strategy) =>
      shop.run(`by-${strategy}`, "plan", "squeezenet", "--machine", "onsram", "--strategy", strategy),
    );
    await visit(browser, shop.report(...strategies.map((s) => `by-${s}`)), async (page) => {
      const rows = await rowsOf(page.locator("[data-view=comparison] table"));
      assert.deepEqual(
        rows.map((row) => row.result),
        strategies.map((strategy) => `by-${strategy}/result.json: strategy ${strategy}`),
      );
      rows.forEach((row, i) => close(row.latency, results[i].latency_us * 1e-6, strategies[i]));
    });
  });

  it("tells results apart whose files have one name and other contents", async () => {
    const text = readFileSync(inputs("tiny.yaml"), "utf8");
    const [a, b] = ["one", "two"].map((word) => {
      writeFileSync(shop.path("same.yaml"), `${text}\n# ${word}\n`);
      return shop.run(`same-${word}`, "eval", "same.yaml");
    });
    await visit(browser, shop.report("same-one", "same-two"), async (page) => {
      const facts = await page.locator("[data-view=comparison] dd").allTextContents();
      const hash = (result) => Object.values(result.inputs)[0][0].hash;
      assert.notEqual(hash(a), hash(b));
      assert.ok(facts[0].includes(hash(a)) && facts[1].includes(hash(b)), facts.join("\n"));
    });
  });

  it("compares two studies, point by point", async () => {
    const first = shop.run("four", "study", "ruby-table1", "--limit", "4");
    shop.run("eight", "study", "ruby-table1", "--limit", "8");
    await visit(browser, shop.report("four", "eight"), async (page) => {
      const rows = await rowsOf(page.locator("[data-view=comparison] table"));
      assert.deepEqual(
        rows.map((row) => [row.point, row["size A"], row.change]),
        first.points
          .slice(0, 4)
          .map((point) => [Object.values(point.settings).join(", "), point.figures.size, "="]),
      );
    });
  });

  it("is light or dark as the system says, and as the button says", async () => {
    const path = shop.report("eval");
    const paper = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    let light;
    await visit(
      browser,
      path,
      async (page) => {
        light = await paper(page);
        await page.locator("button.theme").focus();
        await page.keyboard.press("Enter");
        assert.notEqual(await paper(page), light);
      },
      {colorScheme: "light"},
    );
    await visit(
      browser,
      path,
      async (page) => {
        assert.notEqual(await paper(page), light);
        await page.locator("button.theme").click();
        assert.equal(await paper(page), light);
      },
      {colorScheme: "dark"},
    );
  });

  it("prints on white paper without what cannot be pressed there", () =>
    visit(
      browser,
      shop.report("plan"),
      async (page) => {
        await page.emulateMedia({media: "print"});
        assert.equal(
          await page.evaluate(() => getComputedStyle(document.body).backgroundColor),
          "rgb(255, 255, 255)",
        );
        assert.ok(!(await page.locator("button.theme").isVisible()));
        const wide = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
        assert.ok(wide, "nothing sticks out");
        assert.ok((await page.pdf({format: "A4"})).length > 10000);
      },
      {colorScheme: "dark", viewport: {width: 720, height: 1000}},
    ));

  it("shows what is incomplete as far as it goes", async () => {
    const put = (name, result) => {
      mkdirSync(shop.path(name));
      writeFileSync(shop.path(`${name}/result.json`), JSON.stringify(result));
      return name;
    };
    const none = shop.run("whole", "map", inputs("net.yaml"), "--arch", "eyeriss");
    Object.assign(none, {total: null, interrupted: true});
    const {name, repeat, operations} = none.layers[0];
    const unanswered = {
      name,
      repeat,
      operations,
      reasons: ["it does not fit"],
      measured: none.layers[0].measured,
    };
    none.layers = [
      {...unanswered, cost: null, certificate: null, mapping: null, timeloop_mapping: null},
      none.layers[1],
    ];
    const bare = {...planned, steps: planned.steps.map(({node, unit, tiling}) => ({node, unit, tiling}))};
    const stuck = shop.run("mix", "batch", inputs("mix.yaml"));
    stuck.best = null;
    for (const policy of stuck.policies)
      Object.assign(policy, {deadlocked: true, holders: ["everything is held"]});
    const unplaced = {
      ...shop.run("buffers", "alloc", shop.buffers()),
      status: "infeasible",
      height: null,
      offsets: {},
    };
    const unfinished = shop.run("points", "study", "ruby-table1", "--limit", "4");
    Object.assign(unfinished, {figure: null, claims: []});
    const names = [
      put("none", none),
      put("bare", bare),
      put("stuck", stuck),
      put("unplaced", unplaced),
      put("unfinished", unfinished),
    ];
    await visit(browser, shop.report(...names), async (page) => {
      assert.equal(await page.locator("section[data-command]").count(), names.length);
      assert.equal(await page.getByText("cannot be shown").count(), 0);
      assert.equal(await page.getByText("no mapping").count(), 1);
      assert.match(
        await page.locator("section[data-command=batch] h2").textContent(),
        /every policy came to a deadlock/,
      );
    });
  });

  it("keeps hostile names as text", async () => {
    const result = shop.result("eval");
    result.problem = "</script><script>document.title = 'broken'</script><img src=x onerror=alert(1)>";
    result.inputs.case[0].name = "<!--<script>";
    mkdirSync(shop.path("hostile"));
    writeFileSync(shop.path("hostile/result.json"), JSON.stringify(result));
    const path = shop.report("hostile");
    assert.ok(!readFileSync(path, "utf8").includes("<img src=x"));
    await visit(browser, path, async (page) => {
      assert.ok((await page.locator("h1").textContent()).startsWith(result.problem));
      assert.equal(await page.locator("img").count(), 0);
      assert.ok((await page.title()).startsWith("</script>"));
    });
  });
});
