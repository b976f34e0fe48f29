"""A new user on a bare Debian 12: ./run.sh comes to a report, and the .deb installs and works.

Two machines made by debootstrap, one to build on and one that only installs the package. Needs root.
INLAY_MIRROR names a mirror of Debian other than debootstrap's own.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROJECT = "root/inlay"  # in a machine


class Machine:
    """A folder that is the root of a Debian."""

    def __init__(self, folder):
        self.folder = folder

    def run(self, script):
        """What a script prints there, in an environment of its own; it must succeed."""
        environment = {"HOME": "/root", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8",
                       "DEBIAN_FRONTEND": "noninteractive"}
        done = subprocess.run(["unshare", "--mount", "--pid", "--fork",
                               f"--mount-proc={self.folder}/proc", "chroot", str(self.folder),
                               "bash", "-ec", script],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=environment, check=False)
        assert done.returncode == 0, f"{script}:\n{done.stdout}"
        return done.stdout


def copy_sources(target):
    """What git knows of the work tree."""
    names = subprocess.run(["git", "-C", SOURCE, "ls-files", "-z"], capture_output=True, text=True,
                           check=True).stdout.split("\0")
    for name in filter(None, names):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(SOURCE / name, target / name, follow_symlinks=False)


class BareTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="inlay-bare-"))
        cls.addClassCleanup(shutil.rmtree, folder)
        bare = folder / "user"
        mirror = [os.environ["INLAY_MIRROR"]] if "INLAY_MIRROR" in os.environ else []
        subprocess.run(["debootstrap", "--variant=minbase", "bookworm", bare, *mirror], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run(["cp", "-a", bare, folder / "builder"], check=True)
        cls.builder, cls.user = Machine(folder / "builder"), Machine(bare)
        copy_sources(cls.builder.folder / PROJECT)
        cls.told = cls.builder.run(f"cd /{PROJECT} && ./run.sh")
        cls.builder.run("apt-get install --yes --no-install-recommends dpkg-dev file && "
                        f"cd /{PROJECT} && cmake --preset release && "
                        "cmake --build --preset release && cd build/release && cpack")
        deb, = (cls.builder.folder / PROJECT / "build/release").glob("inlay_*.deb")
        shutil.copy2(deb, bare / "root")
        cls.user.run("apt-get update && apt-get install --yes /root/inlay_*.deb")

    def test_run_sh_ends_with_a_report(self):
        pages = re.findall(rf"^  (/{PROJECT}/build/run/\S+\.html)$", self.told, re.MULTILINE)
        self.assertEqual(len(pages), 1, self.told)
        page = self.builder.folder / pages[0][1:]
        self.assertIn("ResNet-50", self.told)
        self.assertIn("resnet50", page.read_text(encoding="utf-8"))
        self.assertLess(page.stat().st_size, 2_000_000)

    def test_the_installed_command_goes_from_a_network_to_a_page(self):
        self.assertRegex(self.user.run("inlay --version"), r"^inlay \d+\.\d+\.\d+\n$")
        self.user.run("cd /tmp && inlay map alexnet --arch eyeriss -q -o mapped && "
                      "inlay plan resnet18 --machine onsram --strategy greedy -q -o planned && "
                      "inlay report mapped planned -q -o page.html")
        self.assertIn("alexnet", (self.user.folder / "tmp/page.html").read_text(encoding="utf-8"))

    def test_python_of_that_machine_finds_the_module(self):
        self.assertEqual(self.user.run("python3 -c \"import inlay; "
                                       "print(inlay.eval('gemm-any').cycles > 0)\""), "True\n")

    def test_a_compiler_of_that_machine_finds_the_library(self):
        shutil.copy2(SOURCE / "tests/package/consumer/consumer.c", self.user.folder / "tmp")
        self.user.run("apt-get install --yes --no-install-recommends gcc libc6-dev && "
                      "gcc -o /tmp/consumer /tmp/consumer.c -linlay")
        self.assertRegex(self.user.run("/tmp/consumer"), r"^\d+ bytes off chip\n$")

    def test_the_manual_and_the_completion_are_where_they_are_looked_for(self):
        self.assertTrue((self.user.folder / "usr/share/man/man1/inlay.1").exists())
        self.assertIn("bash", self.user.run("head -1 /usr/share/bash-completion/completions/inlay"))

    def test_what_is_removed_is_gone(self):
        copy = Machine(self.user.folder.parent / "removed")
        subprocess.run(["cp", "-a", self.user.folder, copy.folder], check=True)
        copy.run("python3 -c 'import inlay' && apt-get purge --yes inlay")
        left = [path for path in copy.run("find /usr /etc -name '*inlay*'").split("\n") if path]
        self.assertEqual(left, [])


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit("a bare machine can only be made by root")
    unittest.main(verbosity=2)
