"""Results as objects, tables, HTML and files."""

import copy
import html.parser
import json
import os
import pathlib
import pickle
import sys
import types
import unittest
import unittest.mock

import support

import inlay


class Balanced(html.parser.HTMLParser):
    """Collects the cells of a table, and sees that every tag is closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.cells, self.tags = [], [], set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.cells[-1] += data


class ResultsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.best = inlay.map(support.PROBLEM, arch=support.ARCH)

    def test_keys_are_attributes(self):
        data = self.best.to_dict()
        self.assertEqual(self.best.command, "map")
        self.assertEqual(self.best.layers[0].cost.energy_pj, data["layers"][0]["cost"]["energy_pj"])
        self.assertEqual(self.best["total"]["cycles"], self.best.total.cycles)
        self.assertIn("total", dir(self.best))
        self.assertIn("certificate", dir(self.best.layers[0]))
        with self.assertRaisesRegex(AttributeError, "no 'energypj'; did you mean 'energy_pj'"):
            self.best.total.energypj
        with self.assertRaisesRegex(AttributeError, "no 'totl'; did you mean 'total'"):
            self.best.totl

    def test_dicts_are_plain_and_those_of_result_json(self):
        self.assertEqual(self.best.to_dict(), json.loads(self.best.to_json()))
        self.assertIs(type(self.best.to_dict()["layers"][0]), dict)

    def test_several_semantics_are_a_sequence(self):
        both = inlay.eval(problem=support.PROBLEM, arch=support.ARCH, mapping=support.MAPPING,
                          semantics="exact,timeloop")
        self.assertEqual([each.semantics for each in both], ["exact", "timeloop"])
        self.assertEqual(len(both), 2)
        self.assertEqual(both[1].cycles, both.to_dict()[1]["cycles"])
        with self.assertRaisesRegex(AttributeError, r"take one of them: result\[0\]"):
            both.cycles
        self.assertEqual({row["semantics"] for row in both.rows()}, {"exact", "timeloop"})
        self.assertIn("and 1 more", repr(both))

    def test_rows_are_flat(self):
        row, = self.best.rows()
        self.assertEqual(row["cost.cycles"], self.best.layers[0].cost.cycles)
        self.assertFalse([value for value in row.values() if isinstance(value, (dict, list))])
        cost = inlay.eval("gemm-any")
        rows = cost.rows()
        self.assertEqual(len(rows), sum(len(level.tensors) for level in cost.levels))
        self.assertAlmostEqual(sum(row["energy_pj"] for row in rows) + cost.compute.energy_pj,
                               cost.energy_pj, delta=1e-6 * cost.energy_pj)
        plan = inlay.plan("squeezenet", machine="onsram", strategy="greedy")
        self.assertEqual(len(plan.rows()), len(plan.residencies))
        self.assertEqual(len(plan.rows("transfers")), len(plan.transfers))
        self.assertEqual(plan.rows("order")[0], {"value": plan.order[0]})
        placed = inlay.alloc(support.BUFFERS, capacity=12)
        self.assertEqual({row["name"]: row["value"] for row in placed.rows("offsets")},
                         placed.to_dict()["offsets"])

    def test_pandas_if_present(self):
        with unittest.mock.patch.dict(sys.modules, {"pandas": None}):
            with self.assertRaisesRegex(ImportError, "needs pandas.*rows"):
                self.best.to_pandas()
        pandas = types.SimpleNamespace(DataFrame=lambda rows: ("frame", rows))
        with unittest.mock.patch.dict(sys.modules, {"pandas": pandas}):
            self.assertEqual(self.best.to_pandas(), ("frame", self.best.rows()))

    def test_html_has_the_figures_and_no_foreign_tags(self):
        page = Balanced(self.best._repr_html_())
        self.assertEqual(page.open, [])
        self.assertIn("small", page.cells)
        self.assertIn("optimal", page.cells)
        self.assertIn(f"{self.best.layers[0].cost.cycles}", [cell.replace("\u202f", "")
                                                             for cell in page.cells])
        evil = inlay.map(support.PROBLEM.replace("name: small", "name: '<script>a&b</script>'"),
                         arch=support.ARCH)
        page = Balanced(evil._repr_html_())
        self.assertNotIn("script", page.tags)
        self.assertIn("<script>a&b</script>", page.cells)
        for result in (inlay.list(), inlay.show("eyeriss"), inlay.eval("gemm-any"),
                       inlay.eval(support.PROBLEM, support.ARCH, support.MAPPING,
                                  semantics=["exact", "timeloop"])):
            self.assertEqual(Balanced(result._repr_html_()).open, [])

    def test_repr_is_one_line(self):
        self.assertRegex(repr(self.best), r"^<inlay.Result: map of small on two-levels: energy_pj .*>$")
        self.assertNotIn("\n", repr(self.best))

    def test_saved_results_can_be_loaded(self):
        with support.inputs() as folder:
            self.best.save(folder / "kept")
            self.assertEqual(json.loads(pathlib.Path("kept/result.json").read_text("utf-8")),
                             self.best.to_dict())
            self.assertEqual(pathlib.Path("kept/summary.txt").read_text("utf-8"),
                             self.best.summary)
            for path in ("kept", folder / "kept" / "result.json"):
                self.assertEqual(inlay.load(path), self.best)
            self.assertEqual(inlay.load("kept").files, self.best.files)
            # The mapping of a saved result costs what the result says.
            again = inlay.eval(problem="problem.yaml", arch="arch.yaml",
                               mapping="kept/mapping.yaml")
            self.assertEqual(again.energy_pj, self.best.total.energy_pj)
            with self.assertRaisesRegex(inlay.Error, "holds the result of another run"):
                self.best.save("kept")

    def test_what_is_no_result_cannot_be_loaded(self):
        with support.inputs():
            for name, text in {"broken.json": '{"format": ', "other.json": '{"format": "inlay/9"}',
                               "number.json": "5"}.items():
                pathlib.Path(name).write_text(text, encoding="utf-8")
                with self.assertRaises(inlay.Error) as caught:
                    inlay.load(name)
                self.assertEqual(caught.exception.diagnostics[0].file, name)
            with self.assertRaisesRegex(inlay.Error, "nothing.json"):
                inlay.load("nothing.json")
            os.mkdir("empty")
            with self.assertRaisesRegex(inlay.Error, "result.json"):
                inlay.load("empty")

    def test_results_can_be_copied_and_pickled(self):
        self.assertEqual(copy.deepcopy(self.best), self.best)
        self.assertEqual(pickle.loads(pickle.dumps(self.best)), self.best)


if __name__ == "__main__":
    unittest.main()
