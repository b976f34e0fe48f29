"""The examples run, as scripts and cell by cell, and print what they promise."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

import support

EXAMPLES = sorted((support.SOURCE / "examples").glob("*.py"))


class ExamplesTest(unittest.TestCase):
    def test_they_run(self):
        self.assertEqual(len(EXAMPLES), 3)
        for example in EXAMPLES:
            with self.subTest(example.name), tempfile.TemporaryDirectory() as folder:
                run = subprocess.run([sys.executable, "-B", "-W", "error", str(example)], cwd=folder,
                                     capture_output=True, text=True, env=os.environ)
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                self.assertGreater(len(run.stdout.splitlines()), 10)
                self.assertEqual(os.listdir(folder), [])

    def test_cells_alternate_between_words_and_code(self):
        for example in EXAMPLES:
            cells = re.split(r"^# %%", example.read_text(encoding="utf-8"), flags=re.MULTILINE)
            self.assertEqual(cells[0], "", example)  # nothing before the first
            words = [cell for cell in cells[1:] if cell.startswith(" [markdown]\n")]
            self.assertGreaterEqual(len(words), 3, example)
            self.assertGreater(len(cells) - 1, len(words), example)
            for cell in words:
                for line in cell.splitlines()[1:]:
                    self.assertTrue(not line or line.startswith("#"), f"{example}: {line}")


if __name__ == "__main__":
    unittest.main()
