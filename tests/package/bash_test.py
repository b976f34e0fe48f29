"""bash completes what `inlay --completion bash` says."""

import shlex
import subprocess
import tempfile
import unittest

import shell_cases


class BashTest(unittest.TestCase):
    def test_lines(self):
        script = shell_cases.completion("bash")
        with tempfile.TemporaryDirectory() as folder:
            shell_cases.fill(folder)
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
    shell_cases.main("bash")
