"""A command with --quiet that takes more than a minute says so, once."""

import os
import subprocess
import unittest

BINARY = os.environ["INLAY_BINARY"]


class QuietTest(unittest.TestCase):
    def test_what_takes_more_than_a_minute_says_so_once(self):
        endless = ["map", "resnet50/conv1", "--arch", "eyeriss", "--strategy", "random",
                   "--victory-condition", "0", "--threads", "1", "--time-limit", "63s"]
        ended = subprocess.run([BINARY, *endless, "--quiet"], capture_output=True, text=True,
                               check=True)
        self.assertEqual(ended.stdout, "")
        self.assertEqual(ended.stderr.count("\n"), 1)
        self.assertIn("inlay map --quiet: this has taken more than a minute", ended.stderr)


if __name__ == "__main__":
    unittest.main()
