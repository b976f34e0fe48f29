"""mypy finds the stub, accepts calls that are right and refuses others. Skipped where it is not
installed."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

RIGHT = '''import inlay
best = inlay.map("resnet50", arch={"format": "inlay/1"}, objective=["energy", "edp"], time_limit=3,
                 dim={"batch": 8}, progress=print)
text: str = best.summary
inlay.codesign("alexnet", "vgg16", technology="thistle-45nm", area=2.5e6, explain=True)
try:
    inlay.list()
except inlay.Infeasible as error:
    print(error.diagnostics[0].line, error.result)
'''
WRONG = '''import inlay
inlay.map("resnet50", strategy="exat")
inlay.map("resnet50", objectve="edp")
number: int = inlay.list().summary
'''


class TypesTest(unittest.TestCase):
    def check(self, code):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "use.py"
            file.write_text(code, encoding="utf-8")
            done = subprocess.run(["mypy", "--strict", "--cache-dir", folder, str(file)], text=True,
                                  capture_output=True)
        return done.returncode, [line for line in done.stdout.splitlines() if ": error: " in line]

    def test_right_calls(self):
        self.assertEqual(self.check(RIGHT), (0, []))

    def test_wrong_calls(self):
        code, errors = self.check(WRONG)
        self.assertEqual((code, [line.split(":")[1] for line in errors]), (1, ["2", "3", "4"]))


if __name__ == "__main__":
    if shutil.which("mypy") is None:
        print("skipped: mypy is not installed (./test.sh --all installs it)")
        sys.exit(77)
    unittest.main()
