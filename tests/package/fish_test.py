"""fish completes what `inlay --completion fish` says. Skipped where fish is not installed."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import shell_cases


class FishTest(unittest.TestCase):
    def test_lines(self):
        with tempfile.TemporaryDirectory() as top:
            script = pathlib.Path(top) / "inlay.fish"
            with open(script, "w", encoding="utf-8") as file:
                subprocess.run([os.environ["INLAY_BINARY"], "--completion", "fish"], check=True,
                               stdout=file)
            folder = pathlib.Path(top) / "work"
            (folder / "folder").mkdir(parents=True)
            (folder / "file.yaml").write_text("", encoding="utf-8")
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
    if shutil.which("fish") is None:
        print("skipped: fish is not installed (./test.sh --all installs it)")
        sys.exit(77)
    unittest.main()
