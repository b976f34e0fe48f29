#!/usr/bin/env python3
"""Self-test of check_docs.py: small trees with one fault each, which it must report."""

import pathlib
import tempfile
import unittest

import check_docs

PICTURE = ('<svg><title>t</title><style>@media (prefers-color-scheme: dark) {}</style>'
           '<text class="mid count">12</text></svg>')


class CheckDocsTest(unittest.TestCase):
    def faults(self, files):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for path, text in files.items():
                file = root / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            return check_docs.check(root)[0]

    def assert_fault(self, files, *needles):
        faults = self.faults(files)
        self.assertEqual(len(faults), 1, faults)
        for needle in needles:
            self.assertIn(needle, faults[0])

    def test_accepts_what_is_there(self):
        self.assertEqual(self.faults({
            "README.md": "[a](docs/README.md) `src/a.cc` `src/*.cc` `src/` [w](https://x.org/y)\n",
            "docs/README.md": "[b](guide/b.md#what-is-it-for) ![p](p.svg)\n\n"
                              "```console\n$ x\n12\n```\n",
            "docs/guide/b.md": "# B\n## What `is` it, for?\n[up](../../src/a.cc) [here](#b)\n",
            "docs/p.svg": PICTURE,
            "src/a.cc": "",
        }), [])

    def test_rejects_a_dead_link(self):
        self.assert_fault({"README.md": "one\n[a](docs/a.md)\n"}, "README.md:2:",
                          "docs/a.md is not there")

    def test_rejects_a_dead_anchor(self):
        self.assert_fault({"README.md": "# A\n[a](#b)\n"}, "README.md:2:", "no heading #b")
        self.assert_fault({"README.md": "[a](CHANGELOG.md#b)\n", "CHANGELOG.md": "```\n# b\n```\n"},
                          "CHANGELOG.md has no heading #b")

    def test_rejects_a_path_that_is_not_there(self):
        self.assert_fault({"README.md": "see `src/a.cc`\n"}, "README.md:1:",
                          "src/a.cc is not there")
        self.assert_fault({"README.md": "see `src/*.cc`\n"}, "src/*.cc matches nothing")

    def test_leaves_patterns_code_and_other_words_alone(self):
        self.assertEqual(self.faults({
            "README.md": "`tests/<label>/x.cc` `src/NAME.cc` `other/a.cc` `src/a.cc b`\n\n"
                         "    see `src/a.cc`\n\n```\n[a](b.md) `src/a.cc`\n```\n",
        }), [])

    def test_rejects_a_page_that_is_not_in_the_contents(self):
        self.assert_fault({"docs/README.md": "", "docs/guide/a.md": ""},
                          "guide/a.md is not in the contents")

    def test_rejects_a_picture_that_says_something_else(self):
        page = "![p](p.svg)\n```console\n$ x\n{}\n```\n12 in prose\n"
        for printed in ("112", "12.5", "1.12", "120", "12,345"):
            with self.subTest(printed):
                self.assert_fault({"README.md": page.format(printed), "p.svg": PICTURE},
                                  "p.svg says 12, which no command")
        self.assertEqual(self.faults({"README.md": page.format("12, 13"), "p.svg": PICTURE}), [])

    def test_rejects_a_picture_for_light_pages_only(self):
        self.assert_fault({"README.md": "![p](p.svg)\n", "p.svg": "<svg><title>t</title></svg>"},
                          "nothing for dark pages")


if __name__ == "__main__":
    unittest.main()
