#!/usr/bin/env python3
"""Self-test of check_layers.py: small trees with one fault each, which it must report."""

import contextlib
import pathlib
import tempfile
import unittest

import check_layers


@contextlib.contextmanager
def tree(files):
    """A project folder with these files: {path below src/: text}."""
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for path, text in files.items():
            file = root / "src" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        yield root


class CheckLayersTest(unittest.TestCase):
    def faults(self, files):
        with tree(files) as root:
            return check_layers.check(root)[0]

    def assert_fault(self, files, *needles):
        faults = self.faults(files)
        self.assertEqual(len(faults), 1, faults)
        for needle in needles:
            self.assertIn(needle, faults[0])

    def test_accepts_direct_and_transitive_includes(self):
        self.assertEqual(self.faults({
            "inlay/base/a.h": "#include <vector>\n#include <fmt/format.h>\n",
            "inlay/core/b.h": '#include "inlay/base/a.h"\n',
            "inlay/mapper/c.cc": '#include "inlay/base/a.h"\n#include "inlay/cost/d.h"\n',
            "inlay/cost/d.h": '#include "inlay/core/b.h"\n',
            "inlay/io/native/e.cc": "#include <yaml-cpp/yaml.h>\n",
            "cli/main.cc": '#include <CLI/CLI.hpp>\n#include "inlay/cost/d.h"\n#include "cli/x.h"\n',
            "cli/x.h": "",
        }), [])

    def test_rejects_a_type_defined_twice(self):
        one = "namespace inlay {\nstruct Placed {\n};\n}  // namespace inlay\n"
        self.assert_fault({"inlay/base/a.h": one, "inlay/core/b.h": one},
                          "src/inlay/core/b.h:2: inlay::Placed is defined in src/inlay/base/a.h")

    def test_accepts_types_of_different_places(self):
        self.assertEqual(self.faults({
            "inlay/base/a.h": "namespace inlay {\nstruct Placed {\n};\nclass Later;\n}  // namespace inlay\n",
            "inlay/base/a.cc": "namespace inlay {\nstruct Placed::Inner {\n};\n}  // namespace inlay\n",
            "inlay/core/b.cc": "namespace inlay {\nnamespace {\nstruct Placed {\n};\n}  // namespace\n"
                               "}  // namespace inlay\n",
            "inlay/core/c.h": "namespace inlay::x {\nstruct Placed {\n};\nclass Later;\n"
                              "}  // namespace inlay::x\n",
        }), [])

    def test_the_drawing_is_compared_with_the_rules(self):
        page = pathlib.Path(__file__).parents[1] / "docs" / "architecture.md"
        right = page.read_text(encoding="utf-8")
        self.assertEqual(list(check_layers.drawing_faults(right)), [])
        missing = list(check_layers.drawing_faults(right.replace("mapper --> gp", "")))
        self.assertIn("the drawing differs from the rules for mapper: gp", missing)
        upward = list(check_layers.drawing_faults(right + "\n    core --> io\n"))
        self.assertIn("the drawing differs from the rules for core: io", upward)
        outward = list(check_layers.drawing_faults(right + "\n    capi --> cli\n"))
        self.assertEqual(outward, ["the drawing says that capi may include cli"])

    def test_rejects_upward_include(self):
        self.assert_fault({"inlay/base/a.h": '#pragma once\n#include "inlay/core/b.h"\n'},
                          "src/inlay/base/a.h:2:", "base may not include core")

    def test_rejects_sideways_include(self):
        self.assert_fault({"inlay/cost/a.cc": '#include "inlay/io/b.h"\n'},
                          "cost may not include io", "it may include base, core")

    def test_rejects_module_including_the_command(self):
        self.assert_fault({"inlay/study/a.cc": '#include "cli/b.h"\n'}, "study may not include cli")

    def test_rejects_commented_spacing_variants(self):
        self.assert_fault({"inlay/base/a.h": '  #  include   "inlay/core/b.h"  // why\n'},
                          "base may not include core")

    def test_rejects_third_party_outside_its_room(self):
        for header in ("yaml-cpp/yaml.h", "nlohmann/json.hpp", "google/protobuf/message.h",
                       "CLI/CLI.hpp", "Eigen/Dense", "tbb/parallel_for.h", "mpi.h"):
            with self.subTest(header):
                self.assert_fault({"inlay/core/a.cc": f"#include <{header}>\n"},
                                  header, "is confined to")

    def test_rejects_forbidden_headers(self):
        self.assert_fault({"cli/main.cc": "#include <ranges>\n"}, "<ranges> is not used here")

    def test_rejects_a_path_that_is_not_from_src(self):
        self.assert_fault({"inlay/base/a.cc": '#include "b.h"\n', "inlay/base/b.h": ""},
                          "names no module")

    def test_rejects_an_unknown_module(self):
        self.assert_fault({"inlay/misc/a.cc": ""}, "misc is no module")

    def test_rejects_a_cycle(self):
        self.assert_fault({
            "inlay/core/a.h": '#include "inlay/core/b.h"\n',
            "inlay/core/b.h": '#include "inlay/core/c.h"\n',
            "inlay/core/c.h": '#include "inlay/core/a.h"\n',
        }, "include each other", "inlay/core/b.h -> inlay/core/c.h")

    def test_exempts_unit_tests(self):
        self.assertEqual(self.faults({
            "inlay/base/a_test.cc": '#include "inlay/io/b.h"\n#include <yaml-cpp/yaml.h>\n',
        }), [])

    def test_rules_have_no_cycle_and_name_known_modules(self):
        for module, allowed in check_layers.ALLOWED.items():
            for other in allowed:
                self.assertNotIn(module, check_layers.closure(other))


if __name__ == "__main__":
    unittest.main()
