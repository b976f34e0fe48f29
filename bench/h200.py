#!/usr/bin/env python3
"""How far the built-in h200 is off what was measured on one; bench/run.sh h200 runs it.

    python3 bench/h200.py [--json] [FILTER]

Maps every product and convolution of tests/golden/h200/operators.csv, for the fastest mapping and the
least energy among those, and prints by kind the errors of time, energy and off-chip bytes: of two
thirds of the cases the figures of the file were fitted, every third (the 3rd, 6th, ...) was held back.
Then the cases that are furthest off. Takes the time limit of H200_LIMIT (2s) per case; 60 MiB and
10 us are limits of what is compared: docs/guide/is-the-model-right.md says why. Needs INLAY_BINARY.
"""

import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parents[1] / "tests/golden/h200/operators.csv"
L2_BYTES = 60 << 20
LEAST_US = 10  # shorter calls are a kind of their own; their energies contain gaps between calls
KINDS = {
    "products": "products of 10 us and more, rows of a multiple of 8",
    "short products": "shorter products",
    "convolutions": "convolutions, batch of 16 and more",
    "small convolutions": "convolutions, batch 1",
    "unaligned products": "products with rows of no multiple of 8",
}


def cases():
    """The measured calls, as dictionaries."""
    lines = [line for line in DATA.read_text().splitlines() if not line.startswith("#")]
    for number, row in enumerate(csv.DictReader(lines)):
        kind, *dims = row["shape"].split()
        dims = {name: int(value) for name, value in (dim.split("=") for dim in dims)}
        us = float(row["kernel_us"])
        if kind == "conv":
            group = "convolutions" if dims["N"] >= 16 else "small convolutions"
        elif dims["K"] % 8 or dims["C"] % 8:
            group = "unaligned products"
        else:
            group = "products" if us >= LEAST_US else "short products"
        yield {"name": row["name"], "shape": kind, "dims": dims, "group": group, "us": us,
               "held": number % 3 == 2, "kernels": int(row["kernels"]),
               "mj": float(row["energy_mj"]) if row["energy_mj"] else None,
               "bytes": int(row["dram_read_bytes"]) + int(row["dram_write_bytes"])}


def operand_bytes(case):
    """Bytes of all operands, each once."""
    d = case["dims"]
    if case["shape"] == "conv":
        stride = d["stride"]
        return 2 * (d["N"] * d["C"] * d["P"] * d["Q"] * stride * stride +
                    d["K"] * d["C"] * d["R"] * d["S"] + d["N"] * d["K"] * d["P"] * d["Q"])
    return 2 * d.get("G", 1) * (d["P"] * d["C"] + d["C"] * d["K"] + d["P"] * d["K"])


def predict(known):
    """Adds what the mapper finds to every case."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "operators.yaml"
        layers = [f"  - {{name: c{i}, {case['shape']}: " +
                  "{" + ", ".join(f"{k}: {v}" for k, v in case["dims"].items()) + "}}"
                  for i, case in enumerate(known)]
        path.write_text("format: inlay/1\nlayers:\n  layers:\n" + "\n".join(layers) + "\n")
        words = ["map", str(path), "--arch", "h200", "--objective", "delay,energy", "--json",
                 "--quiet", "--time-limit", os.environ.get("H200_LIMIT", "2s")]
        done = subprocess.run([os.environ["INLAY_BINARY"], *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    for case, layer in zip(known, json.loads(done.stdout)["layers"]):
        cost = layer["cost"]
        case["predicted us"] = 1e6 * cost["seconds"]
        case["predicted mj"] = 1e-9 * cost["energy_pj"]
        case["predicted bytes"] = 2 * cost["offchip_words"]
        case["limited by"] = cost["limited_by"]


def errors(some, measured, predicted):
    return sorted(abs(case[predicted] / case[measured] - 1) for case in some)


def mean(values):
    return sum(values) / len(values)


def high(values):
    """The 90th percentile: the least of those that at most a tenth exceed."""
    return values[max(0, -(-9 * len(values) // 10) - 1)]


def figures(known):
    """Name, value and number of cases of every figure of the table."""
    for group in KINDS:
        for half, held in (("fitted on", False), ("held back", True)):
            some = [case for case in known if case["group"] == group and case["held"] == held]
            time = errors(some, "us", "predicted us")
            yield f"h200/{group}/{half}/time/mean", mean(time), len(time)
            yield f"h200/{group}/{half}/time/p90", high(time), len(time)
            energy = [case for case in some if case["mj"] and case["us"] >= LEAST_US]
            if energy and group != "unaligned products":
                values = errors(energy, "mj", "predicted mj")
                yield f"h200/{group}/{half}/energy/mean", mean(values), len(values)
            large = [case for case in some if operand_bytes(case) > L2_BYTES]
            if large:
                values = errors(large, "bytes", "predicted bytes")
                yield f"h200/{group}/{half}/offchip/mean", mean(values), len(values)


def cause(case):
    """What is known of why the two times differ."""
    if case["group"] == "unaligned products":
        return "rows of no multiple of 8 take a slow kernel"
    if case["predicted us"] > case["us"]:
        return "slower than measured; limited by " + case["limited by"]
    if case["kernels"] > 1:
        return f"the library takes {case['kernels']} kernels"
    return "the library is slower than the model allows"


def main(words):
    as_json = "--json" in words
    patterns = [word for word in words if not word.startswith("-")]
    known = list(cases())
    predict(known)
    for name, value, number in figures(known):
        if not all(re.search(pattern, name) for pattern in patterns):
            continue
        if as_json:
            print(json.dumps({"name": name, "value": 100 * value, "unit": "%"}))
        else:
            print(f"{name:50}{100 * value:8.1f} %  of {number}")
    if as_json or any(pattern != "h200" for pattern in patterns):
        return
    for title, some in (("all kinds", known),
                        ("but unaligned products", [case for case in known
                                                    if case["group"] != "unaligned products"])):
        print(f"\nfurthest off, {title}: measured us, predicted us, measured over predicted")
        furthest = sorted(some, key=lambda case: -abs(case["predicted us"] / case["us"] - 1))
        for case in furthest[:10]:
            print(f"{case['name']:28}{case['us']:9.1f}{case['predicted us']:9.1f}"
                  f"{case['us'] / case['predicted us']:7.2f}  {cause(case)}")


main(sys.argv[1:])
