"""bash completes what `inlay --completion bash` says."""

import os
import pathlib
import shlex
import subprocess
import tempfile
import unittest

import shell_cases


class BashTest(unittest.TestCase):
    def test_lines(self):
        script = subprocess.run([os.environ["INLAY_BINARY"], "--completion", "bash"], check=True,
                                capture_output=True, text=True).stdout
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "folder").mkdir()
            (pathlib.Path(folder) / "file.yaml").write_text("", encoding="utf-8")
            for words, expected in shell_cases.CASES:
                with self.subTest(" ".join(words)):
                    line = " ".join(shlex.quote(word) for word in words)
                    call = (f"{script}\nCOMP_WORDS=({line})\nCOMP_CWORD={len(words) - 1}\n_inlay\n"
                            'printf "%s\\n" "${COMPREPLY[@]}"')
                    done = subprocess.run(["bash", "--norc", "-c", call], cwd=folder, text=True,
                                          capture_output=True, check=True)
                    self.assertEqual(done.stderr, "")
                    self.assertEqual(set(done.stdout.split()), expected)


if __name__ == "__main__":
    unittest.main()
