"""fish completes what `inlay --completion fish` says. Skipped where fish is not installed."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import shell_cases


class FishTest(unittest.TestCase):
    def test_lines(self):
        with tempfile.TemporaryDirectory() as top:
            script = pathlib.Path(top) / "inlay.fish"
            script.write_text(shell_cases.completion("fish"), encoding="utf-8")
            folder = pathlib.Path(top) / "work"
            shell_cases.fill(folder)
            for words, expected in shell_cases.CASES:
                with self.subTest(" ".join(words)):
                    done = subprocess.run(
                        ["fish", "--no-config", "-c",
                         f"source {script}; complete -C '{' '.join(words)}'"],
                        cwd=folder, text=True, capture_output=True, check=True,
                        env={**os.environ, "HOME": top})
                    self.assertEqual(done.stderr, "")
                    offered = {line.split("\t")[0].rstrip("/") for line in done.stdout.splitlines()}
                    self.assertEqual(offered, expected)


if __name__ == "__main__":
    shell_cases.main("fish")
