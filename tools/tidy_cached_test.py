#!/usr/bin/env python3
"""Self-test of tidy_cached.py, with a stand-in for clang-tidy that counts its calls."""

import os
import pathlib
import tempfile
import unittest
from unittest import mock

import tidy_cached

STAND_IN = """#!/bin/sh
[ "$1" = --version ] && exec echo stand-in 1
echo "$@" >>{folder}/calls
! grep -q FINDING {folder}/a.cc
"""


class TidyCachedTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / ".clang-tidy").write_text("Checks: x\n", encoding="utf-8")
        tidy = self.folder / "tidy"
        tidy.write_text(STAND_IN.format(folder=folder.name), encoding="utf-8")
        tidy.chmod(0o755)
        for patch in (mock.patch.object(tidy_cached, "TIDY", str(tidy)),
                      mock.patch.object(tidy_cached, "ROOT", self.folder),
                      mock.patch.dict(os.environ, {"XDG_CACHE_HOME": str(self.folder / "cache")})):
            patch.start()
            self.addCleanup(patch.stop)

    def look(self, text, option="--quiet"):
        """What clang-tidy says, and how often it has been called by now."""
        source = self.folder / "a.cc"
        source.write_text(text, encoding="utf-8")
        code = tidy_cached.main([option, str(source), "--", "g++", "-o", "a.o", "-c", str(source)])
        calls = self.folder / "calls"
        return code, len(calls.read_text(encoding="utf-8").splitlines()) if calls.exists() else 0

    def test_looks_once_at_what_is_clean(self):
        self.assertEqual(self.look("int a;"), (0, 1))
        self.assertEqual(self.look("int a;"), (0, 1))
        self.assertEqual(self.look("int b;"), (0, 2))
        self.assertEqual(self.look("int a;"), (0, 2))

    def test_findings_are_never_remembered(self):
        self.assertEqual(self.look("int FINDING;"), (1, 1))
        self.assertEqual(self.look("int FINDING;"), (1, 2))

    def test_comments_options_and_configuration_count(self):
        self.assertEqual(self.look("int a;  // NOLINT"), (0, 1))
        self.assertEqual(self.look("int a;"), (0, 2))
        self.assertEqual(self.look("int a;", "--other"), (0, 3))
        (self.folder / ".clang-tidy").write_text("Checks: y\n", encoding="utf-8")
        self.assertEqual(self.look("int a;"), (0, 4))

    def test_what_does_not_compile_is_left_to_clang_tidy(self):
        self.assertEqual(self.look('#include "missing.h"\n'), (0, 1))
        self.assertEqual(self.look('#include "missing.h"\n'), (0, 2))


if __name__ == "__main__":
    unittest.main()
