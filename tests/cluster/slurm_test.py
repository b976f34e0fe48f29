"""Shards as a job array of a real Slurm, with the batch file of the guide."""

import os
import pathlib
import re
import shutil
import signal
import sys
import tempfile
import unittest

from private_slurm import PrivateSlurm
from support import INLAY, ROOT, STUDY, points, run, same_results, wait_for, whole_lines

SHARDS = 4


def guide_file():
    """The batch file that docs/guide/clusters.md shows."""
    text = (ROOT / "docs/guide/clusters.md").read_text(encoding="utf-8")
    return re.search(r"```bash file=study\.sbatch\n(.*?)```", text, re.S)[1]


class SlurmTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.slurm = PrivateSlurm(cpus=SHARDS)
        cls.enterClassContext(cls.slurm)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="inlay-cluster-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "study.yaml").write_text(STUDY, encoding="utf-8")
        (self.folder / "study.sbatch").write_text(guide_file(), encoding="utf-8")
        (self.folder / "bin").mkdir()
        (self.folder / "bin/inlay").symlink_to(INLAY)
        run(INLAY, "study", "study.yaml", "-o", "whole", "-q", cwd=self.folder)

    def submit(self, tasks):
        path = f"{self.folder}/bin:{os.environ['PATH']}"
        return self.slurm.submit(f"--array={tasks}", f"--chdir={self.folder}",
                                 f"--export=PATH={path},SHARDS={SHARDS}",
                                 str(self.folder / "study.sbatch"), "study.yaml")

    def journal(self, shard):
        return self.folder / f"parts/{shard}/journal.jsonl"

    def merge(self, code=0):
        parts = sorted((self.folder / "parts").iterdir())
        return run(INLAY, "study", "merge", *parts, "-o", self.folder / "merged", "-q", code=code)

    def test_an_array_is_as_one_run(self):
        self.slurm.wait(self.submit(f"1-{SHARDS}"))
        self.merge()
        same_results(self, self.folder / "merged", self.folder / "whole")
        for shard in range(1, SHARDS + 1):
            self.assertEqual(points(self.journal(shard)), list(range(shard, 25, SHARDS)))

    def test_a_killed_worker_costs_its_own_point(self):
        job = self.submit(f"1-{SHARDS}")
        wait_for("two points", lambda: len(points(self.journal(2))) >= 2)
        [worker] = self.workers("2")
        os.kill(worker, signal.SIGKILL)
        self.slurm.wait(job)
        before = whole_lines(self.journal(2))
        finished = points(self.journal(2))
        self.assertLess(len(finished), 6)
        for shard in (1, 3, 4):
            self.assertEqual(len(points(self.journal(shard))), 6)
        missing = self.merge(code=1)
        self.assertIn(f"{6 - len(finished)} point", missing)
        self.assertIn("run or resume the shard 2/4", missing)
        self.slurm.wait(self.submit("2"))
        self.assertEqual(whole_lines(self.journal(2))[:len(before)], before)
        self.assertEqual(points(self.journal(2)), list(range(2, 25, SHARDS)))
        self.merge()
        same_results(self, self.folder / "merged", self.folder / "whole")

    def workers(self, shard):
        """The processes that run a shard."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
                if (os.readlink(process / "cwd") == str(self.folder.resolve()) and b"study" in words
                        and f"{shard}/{SHARDS}".encode() in words):
                    found.append(int(process.name))
            except OSError:
                pass  # it has ended, or belongs to another user
        return found


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
