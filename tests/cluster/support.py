"""What the tests of shards and MPI share: commands, studies, and what must be equal about their results."""

import json
import os
import pathlib
import subprocess
import time

INLAY = os.environ["INLAY_BINARY"]
RANKS = 4
MPIRUN = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(RANKS)]
ROOT = pathlib.Path(__file__).resolve().parents[2]

# Two dozen points of some tenths of a second: random searches of a fixed length.
STUDY = """format: inlay/1
study:
  name: spread
  run: map
  grid:
    workload: [{gemm: {P: [96, 100], K: 64, C: 64}}]
    arch: [eyeriss-free, thistle-eyeriss]
    strategy: random
    victory_condition: 0
    search_size: 3000
    seed: 1..6
  figure: {x: seed, y: edp, series: [workload, arch]}
  claims:
  - {what: "Thistle against Eyeriss", paper: "?", metric: edp, of: {arch: thistle-eyeriss}, against: {arch: eyeriss-free}, show: ratio, take: geomean}
"""


def run(*command, code=0, **options):
    """What a command prints on both streams; its exit code must be that."""
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                            timeout=900, check=False, **options)
    assert result.returncode == code, f"{command}: {result.returncode}\n{result.stdout}{result.stderr}"
    return result.stdout + result.stderr


def unmeasured(folder):
    """result.json without what was measured, as text: the order of keys counts."""
    result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    del result["measured"]
    return json.dumps(result)


def same_results(test, one, other):
    test.assertEqual(unmeasured(one), unmeasured(other))
    test.assertEqual((one / "summary.txt").read_text(), (other / "summary.txt").read_text())


def whole_lines(journal):
    """The lines of a journal that are whole; none where there is no journal yet."""
    if not journal.exists():
        return []
    text = journal.read_bytes()
    return text[:text.rfind(b"\n") + 1].splitlines()


def points(journal):
    """The numbers of the points of a journal, as often as they are there."""
    lines = [json.loads(line) for line in whole_lines(journal)]
    return [line["point"] for line in lines if "point" in line]


def wait_for(what, condition, seconds=600):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds} s for {what}"
        time.sleep(0.02)
