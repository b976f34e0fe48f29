"""`pip install --no-build-isolation .` in a venv, without a network. The extension is the one that the
build has made already; with INLAY_LONG=1 everything is built from nothing, as a user's pip does."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
NEEDED = ["pyproject.toml", "setup.py", "README.md", "CMakeLists.txt", "src/python/inlay"]


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **options)
    assert done.returncode == 0, f"{words}:\n{done.stdout}"
    return done.stdout


class PipTest(unittest.TestCase):
    def test_it_installs_into_a_venv(self):
        from_nothing = os.environ.get("INLAY_LONG") == "1"
        environment = {key: value for key, value in os.environ.items()
                       if key not in ("PYTHONPATH", "INLAY_BUILD")}
        if not from_nothing:
            environment["INLAY_BUILD"] = os.environ["INLAY_BUILD"]
        with tempfile.TemporaryDirectory() as folder:
            top = pathlib.Path(folder)
            # A copy: pip leaves files where it builds.
            for name in NEEDED if not from_nothing else [
                    path.name for path in SOURCE.iterdir() if path.name not in ("build", ".git")]:
                target = top / "source" / name
                target.parent.mkdir(parents=True, exist_ok=True)
                if (SOURCE / name).is_dir():
                    shutil.copytree(SOURCE / name, target)
                else:
                    shutil.copy(SOURCE / name, target)
            run(sys.executable, "-m", "venv", "--system-site-packages", top / "venv")
            python = top / "venv/bin/python"
            run(python, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index",
                "--disable-pip-version-check", top / "source", env=environment, cwd=folder)
            told = run(python, "-c", "import inlay, pathlib\n"
                       "package = pathlib.Path(inlay.__file__).parent\n"
                       "print(package, (package / '__init__.pyi').exists(),\n"
                       "      (package / 'py.typed').exists(), inlay.__version__,\n"
                       "      inlay.eval('gemm-any').command)", env=environment, cwd=folder).split()
            self.assertTrue(told[0].startswith(str(top / "venv")), told)
            self.assertEqual(told[1:3] + told[4:], ["True", "True", "eval"])
            self.assertIn(f"Version: {told[3]}\n",
                          run(python, "-m", "pip", "show", "inlay", env=environment))


if __name__ == "__main__":
    unittest.main()
