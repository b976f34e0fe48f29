"""What the tests of the shells share."""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

# What is to be completed: the words of a line, the last one unfinished, and what it may become, in a
# folder that `fill` has filled.
CASES = [
    (["inlay", "ma"], {"map", "mapspace"}),
    (["inlay", "map", "--obj"], {"--objective"}),
    (["inlay", "map", "--strategy", ""], {"exact", "random", "dnnopt", "gp"}),
    (["inlay", "map", "--objective", "energy,d"], {"energy,delay"}),
    (["inlay", "map", "alexnet", "--arch", "eye"], {"eyeriss", "eyeriss-free"}),
    (["inlay", "map", "resnet5"], {"resnet50"}),
    (["inlay", "plan", "--machine", "onsram-"], {"onsram-2pads", "onsram-3pads", "onsram-4pads"}),
    (["inlay", "codesign", "--technology", "th"], {"thistle-45nm"}),
    (["inlay", "list", "netw"], {"network"}),
    (["inlay", "map", "--constraints", "fil"], {"file.yaml"}),
    (["inlay", "map", "--output", "f"], {"folder"}),
    (["inlay", "--completion", "b"], {"bash"}),
]


def fill(folder):
    """Puts into a folder what CASES speak of."""
    (pathlib.Path(folder) / "folder").mkdir(parents=True)
    (pathlib.Path(folder) / "file.yaml").write_text("", encoding="utf-8")


def completion(shell):
    """The text of `inlay --completion SHELL`."""
    return subprocess.run([os.environ["INLAY_BINARY"], "--completion", shell], check=True,
                          capture_output=True, text=True).stdout


def main(shell):
    """Runs the tests of the calling script, or says that the shell is not installed."""
    if shutil.which(shell) is None:
        print(f"skipped: {shell} is not installed (./test.sh --all installs it)")
        sys.exit(77)
    unittest.main()
