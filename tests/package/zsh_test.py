"""zsh loads what `inlay --completion zsh` says, and knows it as the completion of inlay. Skipped where
zsh is not installed."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import shell_cases


class ZshTest(unittest.TestCase):
    def test_it_is_found_and_loads(self):
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "_inlay"
            script.write_text(shell_cases.completion("zsh"), encoding="utf-8")
            subprocess.run(["zsh", "-n", script], check=True)
            call = (f"fpath=({folder} $fpath); autoload -U compinit; compinit -u -D; "
                    "print -r -- $_comps[inlay]; autoload +X _inlay; "
                    "functions _inlay | grep -c _arguments; "
                    f"source {script}; functions _inlay | grep -c _arguments")
            done = subprocess.run(["zsh", "-f", "-c", call], text=True, capture_output=True,
                                  check=True, env={**os.environ, "HOME": folder})
            name, as_file, sourced = done.stdout.split()
            self.assertEqual((name, done.stderr), ("_inlay", ""))
            self.assertGreater(int(as_file), 10)
            self.assertGreater(int(sourced), 10)


if __name__ == "__main__":
    shell_cases.main("zsh")
