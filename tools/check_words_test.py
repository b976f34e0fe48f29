#!/usr/bin/env python3
"""Self-test of check_words.py: small trees with one fault each, which it must report."""

import pathlib
import tempfile
import unittest

import check_words


class CheckWordsTest(unittest.TestCase):
    def faults(self, files, pending=frozenset()):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for path, content in files.items():
                file = root / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content.encode() if isinstance(content, str) else content)
            return check_words.check(root, pending)[0]

    def assert_fault(self, text, place, word):
        faults = self.faults({"src/a.cc": text})
        self.assertEqual(len(faults), 1, faults)
        self.assertTrue(faults[0].startswith(f"src/a.cc:{place}: '{word}': "), faults[0])

    def test_accepts_plain_sentences(self):
        self.assertEqual(self.faults({
            "src/a.cc": "// Each process takes the next point.\n// No layer reads the tensor.\n",
            "docs/a.md": "Orders are told apart by their innermost loop.\n",
        }), [])

    def test_rejects_each_word(self):
        for word in ("nobody", "Somebody", "whoever", "everybody", "anybody", "anyone", "someone",
                     "everyone", "no one", "told of", "tells of", "from now on", "are told once",
                     "before it is told", "hears of", "heard of", "Company", "companies", "crew",
                     "Redecider", "redecides"):
            self.assert_fault(f"int a;\n// x {word} y\n", 2, word)

    def test_rejects_a_phrase_over_two_lines(self):
        faults = self.faults({"src/a.cc": "// From\n  // now on.\n", "a.py": "x = ('from '\n"})
        self.assertEqual([fault.split(":")[:2] for fault in faults], [["src/a.cc", "1"]])

    def test_every_text_file_counts(self):
        for path in ("CMakeLists.txt", "cmake/debian/rules", "tests/cli/cases/a.txt", ".ci/run"):
            self.assertEqual(len(self.faults({path: "nobody\n"})), 1, path)

    def test_leaves_out_what_is_not_ours(self):
        self.assertEqual(self.faults({
            "build/a.cc": "nobody", "web/node_modules/x/a.js": "nobody", "LICENSE": "anyone",
            "web/report/dist/a.html": "nobody", "model.onnx": b"\xff nobody",
        }), [])

    def test_pending_files_are_exempt_until_they_are_reworded(self):
        self.assertEqual(self.faults({"src/a.cc": "// nobody\n"}, {"src/a.cc"}), [])
        faults = self.faults({"src/a.cc": "// no layer\n"}, {"src/a.cc"})
        self.assertEqual(len(faults), 1)
        self.assertIn("PENDING", faults[0])


if __name__ == "__main__":
    unittest.main()
