"""Every function gives what its command gives."""

import inspect
import json
import pathlib
import re
import tempfile
import unittest
from unittest import mock

import support

import inlay

AREA = ("--technology", "thistle-45nm", "--area", "2363756", "--semantics", "thistle")

# Function, arguments, keywords, and the same words on the command line.
CALLS = [
    ("map", ["problem.yaml"], {"arch": "arch.yaml"}, ["problem.yaml", "--arch", "arch.yaml"]),
    ("map", [pathlib.Path("problem.yaml")],
     {"arch": pathlib.Path("arch.yaml"), "objective": ["delay", "energy"], "mapspace": "perfect",
      "time_limit": 60},
     ["problem.yaml", "--arch", "arch.yaml", "--objective", "delay,energy", "--mapspace", "perfect",
      "--time-limit", "60s"]),
    ("map", ["problem.yaml"],
     {"arch": "arch.yaml", "strategy": "random", "search_size": 200, "seed": 7},
     ["problem.yaml", "--arch", "arch.yaml", "--strategy", "random", "--search-size", "200",
      "--seed", "7"]),
    ("map", ["problem.yaml"],
     {"arch": "arch.yaml", "front": ["footprint", "offchip", "cycles"], "onchip": ["Inputs"]},
     ["problem.yaml", "--arch", "arch.yaml", "--front", "footprint,offchip,cycles", "--onchip",
      "Inputs"]),
    ("map", [["problem.yaml", "alexnet/fc8"]], {"arch": ["arch.yaml"]},
     ["problem.yaml", "alexnet/fc8", "--arch", "arch.yaml"]),
    ("map", ["problem.yaml"], {"arch": "arch.yaml", "constraints": ("rows.yaml", "lanes.yaml")},
     ["problem.yaml", "--arch", "arch.yaml", "--constraints", "rows.yaml", "lanes.yaml"]),
    ("show", ["template.yaml"], {"set": {"rows": 16, "deep": True}},
     ["template.yaml", "--set", "rows=16", "--set", "deep=true"]),
    ("systolic", ["resnet18"], {"arch": "systolic-os"}, ["resnet18", "--arch", "systolic-os"]),
    ("eval", ["gemm-any"], {}, ["gemm-any"]),
    ("eval", ["problem.yaml", "arch.yaml"],
     {"mapping": "mapping.yaml", "semantics": ["exact", "timeloop"]},
     ["problem.yaml", "arch.yaml", "--mapping", "mapping.yaml", "--semantics", "exact,timeloop"]),
    ("walk", ["gemm-any"], {"fill_and_drain": True}, ["gemm-any", "--fill-and-drain"]),
    ("fuse", ["flash-attention"], {"nodes": "QK..SM", "pad": "8KiB", "mapspace": "perfect"},
     ["flash-attention", "--nodes", "QK..SM", "--pad", "8KiB", "--mapspace", "perfect"]),
    ("fuse", ["network.yaml"], {"arch": "arch.yaml", "run_nodes": 2},
     ["network.yaml", "--arch", "arch.yaml", "--run-nodes", "2"]),
    ("systolic", ["resnet18"], {"array": "32x32", "dataflow": "ws"},
     ["resnet18", "--array", "32x32", "--dataflow", "ws"]),
    ("mapspace", ["problem.yaml"], {"arch": "arch.yaml", "mapspace": "ruby"},
     ["problem.yaml", "--arch", "arch.yaml", "--mapspace", "ruby"]),
    ("codesign", ["thistle-table2/resnet12"],
     {"technology": "thistle-45nm", "area": 2363756, "semantics": "thistle"},
     ["thistle-table2/resnet12", *AREA]),
    ("codesign", ["problem.yaml"],
     {"technology": "thistle-45nm", "area": 2363756, "semantics": "thistle", "explain": True},
     ["problem.yaml", *AREA, "--explain"]),
    ("plan", ["squeezenet"], {"machine": "machine.yaml", "strategy": "greedy", "bits": 8},
     ["squeezenet", "--machine", "machine.yaml", "--strategy", "greedy", "--bits", "8"]),
    ("batch", ["mix-tight"], {"policy": ["serial", "static"], "deadlock": "spill"},
     ["mix-tight", "--policy", "serial,static", "--deadlock", "spill"]),
    ("alloc", ["buffers.csv"], {"capacity": 12}, ["buffers.csv", "--capacity", "12"]),
    ("list", [], {}, []),
    ("list", ["networks"], {}, ["networks"]),
    ("plan", ["squeezenet"],
     {"machine": "machine.yaml", "strategy": "none", "bits": {"weights": 4, "all": 8}},
     ["squeezenet", "--machine", "machine.yaml", "--strategy", "none", "--bits", "weights=4,all=8"]),
    ("show", ["alexnet"], {"bits": 8}, ["alexnet", "--bits", "8"]),
    ("show", ["problem.yaml", "arch.yaml"], {}, ["problem.yaml", "arch.yaml"]),
]


class CallsTest(unittest.TestCase):
    maxDiff = 4000

    def test_results_are_those_of_the_command(self):
        with support.inputs():
            for name, arguments, keywords, words in CALLS:
                with self.subTest(command=" ".join([name, *words])):
                    result = getattr(inlay, name)(*arguments, **keywords)
                    self.assertEqual(support.unmeasured(result.to_dict()),
                                     support.command_json(name, *words))

    def test_the_summary_is_what_the_command_prints(self):
        with support.inputs():
            expected = support.command("show", "alexnet")
            self.assertEqual(inlay.show("alexnet").summary, expected)
            self.assertEqual(str(inlay.show("alexnet")), expected)

    def test_converted_files_are_texts_and_schemas_dicts(self):
        with support.inputs():
            words = ("problem.yaml", "--to", "timeloop-0.4")
            self.assertEqual(inlay.convert("problem.yaml", to="timeloop-0.4"),
                             support.command("convert", *words))
            self.assertIsNone(inlay.convert("problem.yaml", output="again.yaml"))
            self.assertEqual(inlay.show("again.yaml").to_dict()["problem"],
                             inlay.show("problem.yaml").to_dict()["problem"])
        self.assertEqual(inlay.schema("problem"), json.loads(support.command("schema", "problem")))

    def test_a_report_is_a_file(self):
        with support.inputs() as folder:
            inlay.eval("gemm-any").save("kept")
            self.assertIsNone(inlay.report("kept", output=folder / "page.html"))
            self.assertIn("gemm-100x30x50", pathlib.Path("page.html").read_text("utf-8"))
            one, two = inlay.load("kept"), inlay.eval("gemm-any")
            inlay.report(one, two, output="both.html")
            page = pathlib.Path("both.html").read_text("utf-8")
            self.assertIn('"name":"result/result.json"', page)
            self.assertIn('"name":"result-2/result.json"', page)

    def test_none_is_no_input(self):
        for call in (inlay.map, inlay.plan, inlay.batch, inlay.study, inlay.show, inlay.codesign):
            with self.assertRaisesRegex(TypeError, "needs"):
                call(None)

    def test_texts_and_dicts_are_inputs_too(self):
        with support.inputs():
            expected = support.command_json("map", "problem.yaml", "--arch", "arch.yaml")
        arch = {"format": "inlay/1", "architecture": {
            "name": "two-levels", "technology": "thistle-45nm", "word_bits": 16, "levels": [
                {"name": "DRAM", "kind": "dram"},
                {"name": "buffer", "kind": "sram", "capacity": "64 words"},
                {"fanout": "array", "x": 2, "multicast": "tile", "reduce": True},
                {"compute": "mac"}]}}
        result = inlay.map(support.PROBLEM, arch=arch)
        self.assertEqual(support.unmeasured(result.to_dict()["layers"]), expected["layers"])
        # They are known by their keyword, wherever they lay.
        self.assertEqual(result.inputs["workload"][0].name, "workload.yaml")
        self.assertEqual(result.inputs["arch"][0].name, "arch.yaml")
        self.assertEqual(inlay.alloc(support.BUFFERS, capacity=12).status, "placed")

    def test_a_text_does_not_hide_a_file_of_its_name(self):
        with support.inputs():
            by_path = inlay.show("problem.yaml").to_dict()["problem"]
            pathlib.Path("name_or_file.yaml").write_text(support.ARCH, encoding="utf-8")
            for given in ((support.PROBLEM, "name_or_file.yaml"),
                          ("name_or_file.yaml", support.PROBLEM)):
                both = inlay.show(*given).to_dict()
                self.assertEqual(both["problem"], by_path)
                self.assertEqual(both["architecture"]["name"], "two-levels")

    def test_no_input_is_written_to_disk(self):
        with support.inputs() as folder, mock.patch.object(tempfile, "tempdir", "/nowhere"):
            one = inlay.map(support.PROBLEM, arch=support.ARCH)
            inlay.report(one, one, output=folder / "page.html")
            page = (folder / "page.html").read_text(encoding="utf-8")
            self.assertTrue('"name":"result-2/result.json"' in page)

    def test_a_folder_is_written_as_by_the_command(self):
        with support.inputs() as folder:
            inlay.map("problem.yaml", arch="arch.yaml", output=folder / "by-python")
            support.command("map", "problem.yaml", "--arch", "arch.yaml", "-o", "by-command")
            names = [sorted(path.relative_to(folder / top).as_posix()
                            for path in (folder / top).rglob("*"))
                     for top in ("by-python", "by-command")]
            self.assertEqual(names[0], names[1])
            self.assertIn("mapping.yaml", names[0])

    def test_every_command_is_a_function_with_its_options_as_keywords(self):
        printing = {"json", "quiet", "ascii"}
        overview = support.command("--help").split("Commands:\n")[1].split("\n\n")[0]
        names = re.findall(r"^  (\w+)  ", overview, re.MULTILINE)
        self.assertIn("map", names)
        for name in names:
            with self.subTest(command=name):
                options = support.command(name, "--help").partition("\nOptions:\n")[2]
                options = options.partition("\n\nExample")[0]
                # An option starts its line; its sentence goes on below, further to the right.
                entries = re.split(r"^  (?=-)", options, flags=re.MULTILINE)[1:]
                expected = {re.search(r"--([a-z-]+)", entry)[1].replace("-", "_")
                            for entry in entries
                            if "no effect on this command" not in " ".join(entry.split())}
                signature = inspect.signature(getattr(inlay, name))
                keywords = {key for key, parameter in signature.parameters.items()
                            if parameter.kind is parameter.KEYWORD_ONLY}
                self.assertEqual(keywords, expected - printing | {"progress"})
                self.assertTrue(getattr(inlay, name).__doc__)


if __name__ == "__main__":
    unittest.main()
