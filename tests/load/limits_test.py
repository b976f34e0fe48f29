"""Time limits, SIGTERM and memory hold on large inputs, for every command that takes a time limit.

A run may take the limit and 10 % of it, and a second; 2 GB; and a second after SIGTERM. A busy
machine stretches both: where more of the clock than of the processor has passed, as much more is
allowed, but never more of the processor.
"""

import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import load_inputs  # noqa: E402

BINARY = os.environ["INLAY_BINARY"]
MEMORY = 2_000_000_000
LIMIT = 2.0
MARGIN = 1.0
THREADS = 2


class Finished:
    def __init__(self, code, seconds, processor, memory, errors):
        self.code, self.seconds, self.processor, self.memory, self.errors = (
            code, seconds, processor, memory, errors)


def run(words, kill_after=None):
    """The end of a command in 2 GB; seconds are from its start, or from SIGTERM."""
    def bound():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([BINARY, *map(str, words), "--quiet"],
                                   stdout=subprocess.DEVNULL, stderr=errors, preexec_fn=bound)
        start, before = time.monotonic(), 0.0
        if kill_after is not None:
            time.sleep(kill_after)
            before = processor_of(process.pid)
            start = time.monotonic()
            os.kill(process.pid, signal.SIGTERM)  # also if it has ended: it is not waited for yet
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        return Finished(process.returncode, seconds, usage.ru_utime + usage.ru_stime - before,
                        usage.ru_maxrss * 1024, errors.read().decode())


def processor_of(pid):
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0  # it has ended
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class LimitsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="inlay-limits-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.layer = load_inputs.one_layer(cls.folder / "layer.yaml")
        cls.network = load_inputs.network(cls.folder / "network.yaml", 16000)
        cls.small = load_inputs.network(cls.folder / "small.yaml", 100)
        cls.buffers = load_inputs.buffers(cls.folder / "buffers.csv", 80000)
        cls.mix = load_inputs.mix(cls.folder / "mix.yaml", 65536)
        cls.grid = load_inputs.grid(cls.folder / "grid.yaml", 10 ** 9)

    def check(self, words, codes):
        limited = run([*words, "--time-limit", f"{LIMIT:g}s", "--threads", THREADS])
        self.assertIn(limited.code, codes, limited.errors)
        self.hold(limited, LIMIT * 1.1 + MARGIN)
        # Without a limit: what is asked to stop says what it has.
        stopped = run([*words, "--threads", THREADS], kill_after=1.5)
        self.assertIn(stopped.code, {*codes, 130}, stopped.errors)
        self.hold(stopped, MARGIN)

    def hold(self, finished, most):
        """Within `most` of the clock, or else of the processor on each of the threads."""
        busy = finished.seconds > most
        spent = finished.processor / THREADS if busy else finished.seconds
        self.assertLessEqual(spent, most, f"{finished.seconds:.1f} s, of the processor "
                                          f"{finished.processor:.1f} s")
        self.assertLess(finished.memory, MEMORY)

    def test_map(self):
        self.check(["map", self.layer, "--arch", "simba", "--mapspace", "ruby"], {0})

    def test_map_front(self):
        self.check(["map", self.layer, "--arch", "eyeriss", "--front", "footprint,offchip,cycles"],
                   {0, 1})

    def test_plan(self):
        self.check(["plan", self.network, "--machine", "onsram"], {0})

    def test_plan_with_tables(self):
        self.check(["plan", self.small, "--machine", "npu-eyeriss"], {0})

    def test_alloc(self):
        self.check(["alloc", self.buffers], {0})

    def test_batch(self):
        self.check(["batch", self.mix], {0, 1})

    def test_codesign(self):
        self.check(["codesign", "resnet50", "--technology", "thistle-45nm", "--area", "2363756"], {0, 1})

    def test_study(self):
        self.check(["study", self.grid], {0, 1})

    def test_a_study_of_a_billion_points(self):
        points = run(["study", self.grid, "--limit", "1"])
        self.assertEqual(points.code, 0, points.errors)
        self.assertLess(points.seconds, 2)
        self.assertLess(points.memory, 200_000_000)


if __name__ == "__main__":
    unittest.main()
