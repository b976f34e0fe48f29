"""The preset release is for users: it needs nothing that only tests need, and before the Python package
is built there is nothing that Python takes for it."""

import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FOR_TESTS = ("GTest", "rapidcheck", "benchmark", "PkgConfig")


class ConfigureTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="inlay-configure-")
        cls.addClassCleanup(folder.cleanup)
        cls.build = pathlib.Path(folder.name)
        absent = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in FOR_TESTS]
        cls.done = subprocess.run(["cmake", "--preset", "release", "-B", cls.build, *absent],
                                  cwd=SOURCE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, check=False)

    def test_it_asks_for_nothing_that_only_tests_need(self):
        self.assertEqual(self.done.returncode, 0, self.done.stdout)

    def test_no_folder_looks_like_the_module(self):
        self.assertTrue((self.build / "build.ninja").exists(), self.done.stdout)
        environment = {**os.environ, "PYTHONPATH": str(self.build / "python")}
        done = subprocess.run(["/usr/bin/python3", "-S", "-c", "import inlay"], cwd=self.build,
                              env=environment, capture_output=True, text=True, check=False)
        self.assertIn("ModuleNotFoundError", done.stderr)


if __name__ == "__main__":
    unittest.main()
