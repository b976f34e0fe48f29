"""Long calls let other threads run, show progress and end at Ctrl-C with the best so far."""

import concurrent.futures
import io
import os
import signal
import threading
import time
import unittest
import unittest.mock

import support

import inlay

# A search that has a mapping at once and never ends.
LAYER = "resnet50/conv3_1_3x3"
ENDLESS = {"arch": "eyeriss", "strategy": "random", "victory_condition": 0, "timeout": 0, "threads": 1}


class LongCallsTest(unittest.TestCase):
    def interrupt_when(self, event):
        """Sends this process a SIGINT, as Ctrl-C does, once the event has happened."""
        def wait_and_interrupt():
            if event.wait(300):
                os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=wait_and_interrupt, daemon=True)
        thread.start()

    def test_other_threads_run_meanwhile(self):
        turns = []

        def count():
            while len(turns) < 100:
                turns.append(time.monotonic())
                time.sleep(0.005)

        counter = threading.Thread(target=count)
        counter.start()
        start = time.monotonic()
        inlay.map(LAYER, time_limit=2, **ENDLESS)
        end = time.monotonic()
        counter.join()
        self.assertGreater(sum(start < turn < end for turn in turns), 20)

    def test_progress_is_given_to_a_callable_of_this_thread(self):
        lines = []
        inlay.map(LAYER, time_limit=1, **ENDLESS,
                  progress=lambda line: lines.append((line, threading.get_ident())))
        self.assertEqual({thread for _, thread in lines}, {threading.get_ident()})
        self.assertTrue(all(line and "\n" not in line for line, _ in lines))
        self.assertRegex(lines[-1][0], r"^1 of 1 layers in \d")

    def test_progress_is_for_terminals_unless_asked_for(self):
        for terminal in (False, True):
            stream = io.StringIO()
            stream.isatty = lambda: terminal
            with unittest.mock.patch("sys.stderr", stream):
                inlay.map(support.PROBLEM, arch=support.ARCH)
                told = stream.getvalue()
                inlay.map(support.PROBLEM, arch=support.ARCH, progress=False)
            self.assertEqual(bool(told), terminal)
            self.assertEqual(stream.getvalue(), told)

    def test_what_progress_raises_ends_the_call(self):
        def fail(line):
            raise LookupError(line)

        with self.assertRaises(LookupError):
            inlay.map(LAYER, progress=fail, **ENDLESS)

    def test_an_interrupt_ends_the_call_with_the_best_so_far(self):
        found = threading.Event()
        self.interrupt_when(found)
        with self.assertRaises(inlay.Interrupted) as caught:
            inlay.map(LAYER, **ENDLESS, progress=lambda line: "edp" in line and found.set())
        self.assertIsInstance(caught.exception, KeyboardInterrupt)
        result = caught.exception.result
        self.assertTrue(result.interrupted)
        self.assertGreater(result.layers[0].cost.energy_pj, 0)
        self.assertIn("interrupted", repr(result))

    def test_an_interrupt_that_leaves_nothing(self):
        before = inlay.eval("gemm-any").to_dict()
        begun = threading.Event()
        self.interrupt_when(begun)
        with self.assertRaises(inlay.Interrupted) as caught:  # a walk has no best so far
            inlay.walk(problem="resnet50/conv2_1_3x3", arch="eyeriss",
                       mapping="resnet50-conv2_1_3x3-eyeriss", limit=10**12,
                       progress=lambda line: begun.set())
        self.assertIsNone(caught.exception.result)
        # And the next call is a new one.
        again = inlay.eval("gemm-any").to_dict()
        self.assertEqual(support.unmeasured(again), support.unmeasured(before))

    def test_a_handler_of_ones_own_need_not_interrupt(self):
        heard = []
        begun = threading.Event()
        self.interrupt_when(begun)
        before = signal.signal(signal.SIGINT, lambda *_: heard.append(1))
        try:
            result = inlay.map(LAYER, time_limit=1, **ENDLESS, progress=lambda line: begun.set())
        finally:
            signal.signal(signal.SIGINT, before)
        self.assertEqual(heard, [1])
        self.assertFalse(result.to_dict().get("interrupted", False))

    def test_calls_side_by_side_do_not_disturb_each_other(self):
        def call(seed):
            return support.unmeasured(
                inlay.map(support.PROBLEM, arch=support.ARCH, strategy="random", search_size=300,
                          seed=seed).to_dict())

        alone = [call(seed) for seed in range(1, 7)]
        with concurrent.futures.ThreadPoolExecutor(max_workers=3) as pool:
            self.assertEqual(list(pool.map(call, range(1, 7))), alone)


if __name__ == "__main__":
    unittest.main()
