"""What is installed works where it was installed: from a prefix, and unpacked from the .deb."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["INLAY_BUILD"])
HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]

# Files of every installation, below the prefix.
FILES = ["bin/inlay", "include/inlay.h", "share/man/man1/inlay.1",
         "share/bash-completion/completions/inlay", "share/zsh/vendor-completions/_inlay",
         "share/fish/vendor_completions.d/inlay.fish", "share/doc/inlay/copyright",
         "lib/python3/dist-packages/inlay/__init__.py",
         "lib/python3/dist-packages/inlay/__init__.pyi",
         "lib/python3/dist-packages/inlay/py.typed"]


def run(*words, **options):
    """What it prints; it must succeed."""
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **options)
    assert done.returncode == 0, f"{words}:\n{done.stdout}"
    return done.stdout


def clean_environment(**more):
    """Without the paths of the build."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return {**kept, **more}


class InstalledTest(unittest.TestCase):
    """cmake --install, and a program that finds the package."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="inlay-install-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = cls.folder / "prefix"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix, "--strip")

    def test_the_files_are_there(self):
        for name in FILES:
            self.assertTrue((self.prefix / name).exists(), name)

    def test_the_command_runs(self):
        self.assertRegex(run(self.prefix / "bin/inlay", "--version"), r"^inlay \d+\.\d+\.\d+\n$")

    def test_the_manual_has_every_command_and_reads_without_a_complaint(self):
        page = self.prefix / "share/man/man1/inlay.1"
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-P-cbou", page], text=True,
                              capture_output=True, check=True)
        self.assertEqual(done.stderr, "")
        overview = run(self.prefix / "bin/inlay", "--help").split("Commands:\n")[1].split("\n\n")[0]
        for name in re.findall(r"^  (\w+)  ", overview, re.MULTILINE):
            self.assertIn(f"inlay {name}\n", done.stdout)
            options = run(self.prefix / "bin/inlay", name, "--help").partition("\nOptions:\n")[2]
            for flag in re.findall(r"^  (?:-\w, )?(--[a-z-]+)", options, re.MULTILINE):
                self.assertIn(flag, done.stdout.replace("\u2010", "-"))

    def test_another_project_finds_the_library(self):
        build = self.folder / "consumer"
        run("cmake", "-S", HERE / "consumer", "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        self.assertRegex(run(build / "consumer"), r"^\d+ bytes off chip\n$")

    def test_a_newer_version_is_not_there(self):
        script = self.folder / "newer.cmake"
        script.write_text("set(PACKAGE_FIND_VERSION 99.0)\n"
                          "set(PACKAGE_FIND_VERSION_MAJOR 99)\n"
                          f"include({self.version_file()})\n"
                          "message(STATUS \"good: ${PACKAGE_VERSION_COMPATIBLE}\")\n",
                          encoding="utf-8")
        done = subprocess.run(["cmake", "-P", script], text=True, capture_output=True, check=False)
        self.assertIn("good: FALSE", done.stdout, done.stderr)

    def version_file(self):
        file, = self.prefix.glob("lib*/**/cmake/Inlay/InlayConfigVersion.cmake")
        return file

    def test_the_library_shows_nothing_but_its_interface(self):
        library, = [path for path in self.prefix.glob("lib*/**/libinlay.so*") if not path.is_symlink()]
        symbols = run("nm", "-D", "--defined-only", library).splitlines()
        ours = {line.split()[-1].split("@")[0] for line in symbols}
        declared = set(re.findall(r"\b(inlay_\w+)\(", (SOURCE / "src/capi/inlay.h").read_text()))
        self.assertEqual(declared - ours, set())
        self.assertEqual({name for name in ours if "inlay" in name.lower()} - declared, set())

    def test_the_python_module_is_whole(self):
        path = self.prefix / "lib/python3/dist-packages"
        told = run(sys.executable, "-B", "-c", "import inlay; print(inlay.__file__, "
                   "inlay.eval('gemm-any').cycles > 0)", env=clean_environment(PYTHONPATH=str(path)))
        self.assertEqual(told.split(), [str(path / "inlay/__init__.py"), "True"])


class DebTest(unittest.TestCase):
    """cpack's package, looked into and unpacked."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="inlay-deb-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        run("cpack", "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", cls.folder / "out")
        cls.deb, = (cls.folder / "out").glob("inlay_*.deb")

    def field(self, name):
        return run("dpkg-deb", "-f", self.deb, name).strip()

    def test_its_name_and_what_it_needs(self):
        self.assertEqual(self.field("Package"), "inlay")
        self.assertRegex(self.deb.name, r"^inlay_\d+\.\d+\.\d+_\w+\.deb$")
        needs = {entry.split()[0] for entry in self.field("Depends").split(",")}
        for library in ("libc6", "libstdc++6", "libyaml-cpp0.7", "libprotobuf32", "libtbb12"):
            self.assertIn(library, needs)
        self.assertFalse([name for name in needs if name.endswith("-dev")])

    def test_its_files(self):
        listed = run("dpkg-deb", "-c", self.deb)
        for name in FILES:
            self.assertRegex(listed, rf"\./usr/{re.escape(name)}\n")
        self.assertNotIn("/home/", listed)
        self.assertNotIn(str(SOURCE), listed)

    def test_what_it_unpacks_to_runs(self):
        root = self.folder / "root"
        run("dpkg-deb", "-x", self.deb, root)
        out = run(root / "usr/bin/inlay", "eval", "gemm-any", cwd=self.folder)
        self.assertIn("exact semantics", out)
        for file in ("usr/bin/inlay", "usr/share/man/man1/inlay.1"):
            self.assertNotIn(str(SOURCE).encode(), (root / file).read_bytes(), file)


if __name__ == "__main__":
    unittest.main()
