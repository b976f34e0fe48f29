"""A study shared by the processes of mpirun."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from support import INLAY, MPIRUN, RANKS, STUDY, points, run, same_results, wait_for, whole_lines


class MpiTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="inlay-mpi-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.study, self.out = self.folder / "study.yaml", self.folder / "out"
        self.study.write_text(STUDY, encoding="utf-8")
        self.journal = self.out / "journal.jsonl"

    def run_whole(self):
        run(INLAY, "study", self.study, "-o", self.folder / "whole", "-q")

    def command(self):
        return [*MPIRUN, INLAY, "study", str(self.study), "-o", str(self.out), "--resume", "-q"]

    def test_four_processes_are_as_one(self):
        self.run_whole()
        run(*self.command())
        same_results(self, self.out, self.folder / "whole")
        self.assertEqual(sorted(points(self.journal)), list(range(1, 25)))

    def test_all_processes_take_part(self):
        with subprocess.Popen(self.command(), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as job:
            wait_for("some points", lambda: len(points(self.journal)) >= RANKS)
            seconds = {pid: cpu_seconds(pid) for pid in self.ranks()}
            job.communicate()
        self.assertEqual(len(seconds), RANKS)
        idle = min(seconds.values())
        self.assertGreater(idle, 0.05 * max(seconds.values()), seconds)

    def test_a_killed_worker_costs_what_was_not_finished(self):
        with subprocess.Popen(self.command(), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as job:
            wait_for("some points", lambda: len(points(self.journal)) >= 5)
            os.kill(self.ranks()[-1], signal.SIGKILL)
            job.communicate()
            self.assertNotEqual(job.returncode, 0)
        before = whole_lines(self.journal)
        self.assertGreaterEqual(len(points(self.journal)), 5)
        self.run_whole()
        run(*self.command())
        self.assertEqual(whole_lines(self.journal)[:len(before)], before)
        self.assertEqual(sorted(points(self.journal)), list(range(1, 25)))
        same_results(self, self.out, self.folder / "whole")

    def test_with_recovery_a_killed_worker_costs_its_own_point(self):
        command = self.command()
        command.insert(1, "--enable-recovery")
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as job:
            wait_for("some points", lambda: len(points(self.journal)) >= 5)
            os.kill(self.ranks()[-1], signal.SIGKILL)
            job.communicate(timeout=300)
        self.run_whole()
        self.assertEqual(sorted(points(self.journal)), list(range(1, 25)))
        same_results(self, self.out, self.folder / "whole")

    def test_errors_are_told_once(self):
        text = run(*MPIRUN, INLAY, "study", self.folder / "nowhere.yaml", code=2)
        self.assertEqual(text.count("cannot read the file"), 1, text)

    def ranks(self):
        """The processes of inlay, by rank."""
        found = {}
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
                variables = dict(pair.partition(b"=")[::2]
                                 for pair in (process / "environ").read_bytes().split(b"\0"))
            except OSError:
                continue  # it has ended, or belongs to another user
            if str(self.study).encode() in words and b"OMPI_COMM_WORLD_RANK" in variables:
                found[int(variables[b"OMPI_COMM_WORLD_RANK"])] = int(process.name)
        return [found[rank] for rank in sorted(found)]


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
