#!/usr/bin/env python3
"""How time and memory grow with the size of the input; bench/run.sh runs it.

    python3 bench/load.py [--json] [FILTER]

Every size is twice the one before. The last lines of each are the exponents of the growth, the slope
of the logarithm over that of the size by least squares: 1 is proportional, 2 is square. At most 1.2
is asked for. Time is that of the processor: a busy machine stretches every other. The exponent of
memory is of what exceeds the memory of a run that does nothing (at least that of this script, some 25
MB), where that is a megabyte or more. Needs INLAY_BINARY.
"""

import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import load_inputs  # noqa: E402

BINARY = os.environ["INLAY_BINARY"]
MOST = 1.2  # of an exponent
LEAST = 1e6  # bytes above those of a run that does nothing: less is not told apart
MEMORY = 8 << 30  # bytes that a run may take: what exceeds it fails here, not the machine

# What is measured: its name, the sizes, what makes the input, and the words of the command.
CASES = [
    ("map/layers", [64, 128, 256, 512], load_inputs.layers,
     lambda path: ["map", path, "--arch", "toy-16", "--mapspace", "perfect"]),
    # What no limit cuts: reading, the first answer, writing.
    ("plan/nodes/first", [500, 1000, 2000, 4000, 8000, 16000], load_inputs.network,
     lambda path: ["plan", path, "--machine", "onsram", "--time-limit", "1ms"]),
    ("plan/nodes/2s", [500, 1000, 2000, 4000, 8000, 16000], load_inputs.network,
     lambda path: ["plan", path, "--machine", "onsram", "--time-limit", "2s"]),
    ("alloc/buffers/first", [5000, 10000, 20000, 40000, 80000], load_inputs.buffers,
     lambda path: ["alloc", path, "--time-limit", "1ms"]),
    ("batch/images", [128, 256, 512, 1024, 2048], load_inputs.mix, lambda path: ["batch", path]),
    ("report/residencies", [12500, 25000, 50000, 100000, 200000], load_inputs.residencies,
     lambda path: ["report", path, "-o", path + ".html"]),
    # A grid of which three points are run, of which all are, and whose shards are merged.
    ("study/points", [1 << n for n in range(10, 21)], load_inputs.grid,
     lambda path: ["study", path, "--limit", "3"]),
    ("study/run", [1024, 2048, 4096, 8192, 16384], load_inputs.grid,
     lambda path: ["study", path, "-o", path + ".out"]),
    ("study/merge", [1024, 2048, 4096, 8192, 16384], lambda path, points: shards(path, points),
     lambda path: ["study", "merge", path + ".1", path + ".2", "-o", path + ".whole"]),
]
# Cases whose time is the limit's.
LIMITED = {"plan/nodes/2s"}


def run(words):
    """Seconds of the clock and of the processor, and bytes at most, of one call."""
    def bound():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    start = os.times().elapsed
    process = subprocess.Popen([BINARY, *words, "--quiet"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, preexec_fn=bound)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = os.times().elapsed - start
    errors = process.stderr.read().decode()
    process.stderr.close()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"inlay {' '.join(words)} ended with {process.returncode}: {errors}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def shards(path, points):
    """A study whose two shards have run, beside its file."""
    load_inputs.grid(path, points)
    for i in (1, 2):
        run(["study", path, "--shard", f"{i}/2", "-o", f"{path}.{i}"])
    return path


def exponent(sizes, values):
    xs, ys = [math.log(s) for s in sizes], [math.log(v) for v in values]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    return (sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys)) /
            sum((x - mean_x) ** 2 for x in xs))


def show(as_json, name, value, unit):
    if as_json:
        print(json.dumps({"name": name, "value": float(f"{value:.4g}"), "unit": unit}), flush=True)
    else:
        print(f"{name:<48} {value:>14.4g}  {unit}", flush=True)


def measure(case, folder, floor, as_json):
    """Prints the rows of one case; whether its exponents are small enough."""
    name, sizes, make, words = case
    rows = []
    for size in sizes:
        path = make(os.path.join(folder, f"{name.replace('/', '-')}-{size}.{extension(make)}"), size)
        rows.append(run(words(path)))
        show(as_json, f"load/{name}/{size}/processor", rows[-1][1], "s")
        show(as_json, f"load/{name}/{size}/seconds", rows[-1][0], "s")
        show(as_json, f"load/{name}/{size}/memory", rows[-1][2] / 1e6, "MB")
    growth = {"memory": exponent(sizes, [max(row[2] - floor, LEAST) for row in rows])}
    if name not in LIMITED:
        growth["processor"] = exponent(sizes, [row[1] for row in rows])
    for what, value in growth.items():
        note = "" if value <= MOST else f", more than {MOST}"
        show(as_json, f"load/{name}/exponent/{what}", value, "" if as_json else note.strip(", "))
    return all(value <= MOST for value in growth.values())


def extension(make):
    return {load_inputs.buffers: "csv", load_inputs.residencies: "json"}.get(make, "yaml")


def main():
    as_json = "--json" in sys.argv[1:]
    wanted = re.compile(next((w for w in sys.argv[1:] if not w.startswith("--")), ""))
    good = True
    with tempfile.TemporaryDirectory(prefix="inlay-load-") as folder:
        floor = run(["list", "studies"])[2]
        for case in CASES:
            if not wanted.search("load/" + case[0]):
                continue
            try:
                good = measure(case, folder, floor, as_json) and good
            except RuntimeError as error:
                print(error, file=sys.stderr)
                good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
