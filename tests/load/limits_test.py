"""Time limits, SIGTERM and memory hold on large inputs, for every command that takes a time limit.

A run may take the limit and 10 % of it, and a second; 2 GB; and a second after SIGTERM. It gives an
answer either way. Only what it waits for a processor does not count, which is much on a busy machine:
its main thread at any time, for that reads the input before the limit begins, the others once they
are to end. A machine can be slow in ways that no counter shows (memory, another virtual machine), so
a command that is late gets two more runs: a limit that does not hold is missed in all three.
"""

import json
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
TRIES = 3


class Finished:
    def __init__(self, code, seconds, waited, memory, answer, errors):
        self.code, self.seconds, self.waited, self.memory, self.answer, self.errors = (
            code, seconds, waited, memory, answer, errors)


class Waiting:
    """How long the threads of a process wait for a processor, those that have ended included."""
    def __init__(self, pid):
        self.tasks = pathlib.Path(f"/proc/{pid}/task")
        self.nanoseconds, self.before = {}, {}

    def look(self):
        try:
            for task in self.tasks.iterdir():
                self.nanoseconds[task.name] = int((task / "schedstat").read_text().split()[1])
        except (OSError, IndexError):
            pass  # the process, or this thread, has ended

    def forget(self, main_too):
        """What they have waited until now counts no more."""
        self.before = {task: spent for task, spent in self.nanoseconds.items()
                       if main_too or task != self.tasks.parent.name}

    def seconds(self):
        return sum(spent - self.before.get(task, 0)
                   for task, spent in self.nanoseconds.items()) / 1e9


def run(words, due=0.0, kill=False):
    """The end of a command in 2 GB. At `due` seconds it is to end, or SIGTERM is sent; the time is
    that from its start, or from SIGTERM."""
    def bound():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as answer:
        process = subprocess.Popen([BINARY, *map(str, words), "--json"], stdout=answer, stderr=errors,
                                   preexec_fn=bound)
        start, waiting, is_due = time.monotonic(), Waiting(process.pid), False
        while True:
            waiting.look()
            if not is_due and time.monotonic() - start >= due:
                is_due = True
                waiting.forget(main_too=kill)
                if kill:
                    start = time.monotonic()
                    os.kill(process.pid, signal.SIGTERM)  # it is there until it is waited for
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid != 0:
                break
            time.sleep(0.01)
        seconds = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        answer.seek(0)
        errors.seek(0)
        return Finished(process.returncode, seconds, waiting.seconds(), usage.ru_maxrss * 1024,
                        answer.read().decode(), errors.read().decode())


def first_in_time(most, *arguments, **options):
    """The first of some runs that takes at most `most` seconds, or the last."""
    for left in reversed(range(TRIES)):
        finished = run(*arguments, **options)
        if finished.seconds - finished.waited <= most or not left:
            return finished


class LimitsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="inlay-limits-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.layer = load_inputs.one_layer(cls.folder / "layer.yaml")
        cls.convolution = load_inputs.convolution(cls.folder / "convolution.yaml")
        cls.network = load_inputs.network(cls.folder / "network.yaml", 16000)
        cls.small = load_inputs.network(cls.folder / "small.yaml", 100)
        cls.buffers = load_inputs.buffers(cls.folder / "buffers.csv", 80000)
        cls.mix = load_inputs.mix(cls.folder / "mix.yaml", 16384)
        cls.grid = load_inputs.grid(cls.folder / "grid.yaml", 10 ** 9)

    def check(self, words, always_answers=True):
        most = LIMIT * 1.1 + MARGIN
        limited = first_in_time(most, [*words, "--time-limit", f"{LIMIT:g}s", "--threads", THREADS],
                                LIMIT)
        self.assertIn(limited.code, {0} if always_answers else {0, 1}, limited.errors)
        self.assertGreater(limited.seconds, LIMIT / 2, "it ended by itself")
        self.hold(limited, most)
        # Long before its limit: what is asked to stop says what it has. Without a limit some end by
        # themselves.
        stopped = first_in_time(MARGIN, [*words, "--time-limit", "10min", "--threads", THREADS], 1.5,
                                kill=True)
        self.assertEqual(stopped.code, 130, stopped.errors)
        self.hold(stopped, MARGIN)
        for finished in (limited, stopped):
            if always_answers:
                self.assertEqual(json.loads(finished.answer)["command"], words[0])

    def hold(self, finished, most):
        self.assertLessEqual(finished.seconds - finished.waited, most,
                             f"{finished.seconds:.1f} s, of which {finished.waited:.1f} s waiting")
        self.assertLess(finished.memory, MEMORY)

    def test_map(self):
        self.check(["map", self.layer, "--arch", "simba", "--mapspace", "ruby"])

    def test_map_front(self):
        self.check(["map", self.convolution, "--arch", "eyeriss", "--front",
                    "footprint,offchip,cycles"], always_answers=False)

    def test_plan(self):
        self.check(["plan", self.network, "--machine", "onsram"])

    def test_plan_with_tables(self):
        self.check(["plan", self.small, "--machine", "npu-eyeriss"])

    def test_alloc(self):
        self.check(["alloc", self.buffers])

    def test_batch(self):
        self.check(["batch", self.mix])

    def test_codesign(self):
        self.check(["codesign", "resnet50", "--technology", "thistle-45nm", "--area", "2363756"])

    def test_study(self):
        self.check(["study", self.grid])

    def test_a_study_of_a_billion_points(self):
        points = first_in_time(2, ["study", self.grid, "--limit", "1"])
        self.assertEqual(points.code, 0, points.errors)
        self.assertLess(points.seconds - points.waited, 2)
        self.assertLess(points.memory, 200_000_000)


if __name__ == "__main__":
    unittest.main()
