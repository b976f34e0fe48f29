#!/usr/bin/env python3
"""Self-test of golden_update, with a shell script in place of the command."""

import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
PATH = pathlib.Path(__file__).with_name("golden_update")
LOADER = importlib.machinery.SourceFileLoader("golden_update", str(PATH))
golden = importlib.util.module_from_spec(importlib.util.spec_from_loader("golden_update", LOADER))
LOADER.exec_module(golden)

COMMAND = """#!/bin/sh
case $1 in
  cat) cat "$2" ;;
  where) pwd ;;
  fail) echo "no: $2" >&2; exit 2 ;;
  crash) exit 3 ;;
  seconds) echo '{"seconds": 1.5e-3, "version": "1.2.3"}' ;;
  printf) printf half ;;
  schema) echo '{"properties": {"format": {"type": "string"}, "cycles": {"type": "integer"}}}' ;;
esac
"""


class GoldenUpdateTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.binary = self.folder / "command"
        self.binary.write_text(COMMAND, encoding="utf-8")
        self.binary.chmod(0o755)

    def handle(self, text, check=True, name="case.txt"):
        """Whether it is as expected, what was printed, and the file afterwards."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            good = golden.handle(path, self.binary, check)
        return good, printed.getvalue(), path.read_text(encoding="utf-8")

    def test_agrees(self):
        text = ("Shows files.\n== file a/b.txt\nhello\n== run\ninlay cat a/b.txt\n== stdout\nhello\n"
                "== run\ninlay fail x\n== exit 2\n== stderr\nno: x\n")
        self.assertEqual(self.handle(text), (True, "", text))

    def test_differences_fail_and_leave_the_file(self):
        for expected in ("== stdout\nother\n", "", "== exit 1\n== stdout\nhello\n",
                         "== stdout\nhello\n== stderr\nmore\n"):
            text = "Shows.\n== file f\nhello\n== run\ninlay cat f\n" + expected
            good, printed, after = self.handle(text)
            self.assertFalse(good, expected)
            self.assertIn("(actual)", printed)
            self.assertEqual(after, text)

    def test_update_writes_what_happened(self):
        good, _, after = self.handle("Shows.\n== run\ninlay fail y\n", check=False)
        self.assertTrue(good)
        self.assertEqual(after, "Shows.\n== run\ninlay fail y\n== exit 2\n== stderr\nno: y\n")

    def test_machine_dependent_texts(self):
        text = ("Shows.\n== run\ninlay where\ninlay seconds\n== stdout\nFOLDER\n"
                '{"seconds": SECONDS, "version": "VERSION"}\n')
        self.assertTrue(self.handle(text)[0])
        text = "Shows.\n== run\ninlay printf\n== stdout\nhalf\n[no newline at the end]\n"
        self.assertTrue(self.handle(text)[0])

    def test_bytes(self):
        self.assertEqual(golden.unescape("a\\xffb\\r\\n\n\\\\n"), b"a\xffb\r\n\\n")

    def test_a_crash_is_never_expected(self):
        for check in (True, False):
            good, printed, _ = self.handle("Shows.\n== run\ninlay crash\n== exit 3\n", check)
            self.assertFalse(good)
            self.assertIn("never expected", printed)

    def test_what_tests_nothing_fails(self):
        for text in ("Shows.\n== file f\nx\n", "== run\ninlay where\n", "Shows.\n== typo\n"):
            self.assertFalse(self.handle(text)[0], text)
        self.assertFalse(self.handle("# Guide\n\nNo block.\n", name="g.md")[0])

    def test_results_match_their_schema(self):
        for result, good in (('{"format": "inlay/result/1", "cycles": 1}', True),
                             ('{"format": "inlay/result/1", "cycles": "one"}', False),
                             ('{"format": "inlay/result/1", "cycels": 1}', False),
                             ('{"format": "another", "cycels": 1}', True)):
            printed = f"Shows.\n== file f\n{result}\n== run\ninlay cat f\n== stdout\n{result}\n"
            self.assertEqual(self.handle(printed)[0], good, result)
            written = f"Shows.\n== file f\n{result}\n== run\ninlay cat f > result.json\n"
            self.assertEqual(self.handle(written)[0], good, result)

    def test_guide(self):
        text = ("# Guide\n\n```yaml file=f.yaml\nhello\n```\n\n```console\n$ inlay cat f.yaml\nhello\n"
                "$ inlay fail z\nno: z\n[exit 2]\n```\nEnd.\n")
        self.assertEqual(self.handle(text, name="g.md"), (True, "", text))
        wrong = text.replace("hello\n$", "hullo\n$")
        self.assertFalse(self.handle(wrong, name="g.md")[0])
        self.assertEqual(self.handle(wrong, check=False, name="g.md")[2], text)


if __name__ == "__main__":
    unittest.main()
