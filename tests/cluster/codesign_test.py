"""A co-design whose search is shared by the processes of mpirun."""

import json
import pathlib
import shutil
import sys
import tempfile
import unittest

from support import INLAY, MPIRUN, run

LAYERS = ["thistle-table2", "--technology", "thistle-45nm", "--area", "2363756", "--semantics",
          "thistle"]


class CodesignTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="inlay-codesign-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def answer(self, name, *command):
        """What a run says and writes, but for what is measured."""
        folder = self.folder / name
        run(*command, "-o", folder, "-q")
        result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
        del result["measured"]
        files = {path.relative_to(folder): path.read_text(encoding="utf-8")
                 for path in folder.rglob("*.yaml")}
        return result, files

    def test_four_processes_are_as_one(self):
        for scope in ("layer", "network", "dominant"):
            for objective in ("energy", "delay", "edp"):
                with self.subTest(f"{scope} {objective}"):
                    command = [INLAY, "codesign", *LAYERS, "--scope", scope, "--objective",
                               objective]
                    alone = self.answer(f"alone-{scope}-{objective}", *command)
                    shared = self.answer(f"shared-{scope}-{objective}", *MPIRUN, *command)
                    self.assertEqual(shared, alone)

    def test_what_is_not_shared_is_the_first_process_alone(self):
        command = [INLAY, "codesign", "thistle-table2/resnet11", *LAYERS[1:4], "4000", *LAYERS[5:],
                   "--scope", "pareto"]
        self.assertEqual(self.answer("shared", *MPIRUN, *command), self.answer("alone", *command))

    def test_a_time_limit_still_has_an_answer(self):
        result, _ = self.answer("limited", *MPIRUN, INLAY, "codesign", "resnet50", "--technology",
                                "thistle-45nm", "--area", "2363756", "--scope", "network",
                                "--time-limit", "5s")
        self.assertTrue(result["architectures"])
        certificate = result["certificate"]
        self.assertLessEqual(certificate["lower_bound"], certificate["objective"])

    def test_errors_are_told_once(self):
        text = run(*MPIRUN, INLAY, "codesign", "nowhere.yaml", *LAYERS[1:], code=2)
        self.assertEqual(text.count("nowhere.yaml"), 1, text)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
