"""Inputs of any size for bench/load.py and tests/load: each function writes one and returns its path."""

import json
import random


def _write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def layers(path, count):
    """A network of small matrix products, no two alike."""
    draw = random.Random(1)
    lines = ["format: inlay/1", "layers:", f"  name: layers{count}", "  layers:"]
    for i in range(count):
        sizes = f"P: {draw.randint(4, 64)}, K: {draw.randint(4, 64)}, C: {i + 4}"
        lines.append(f"  - {{name: l{i}, gemm: {{{sizes}}}}}")
    return _write(path, "\n".join(lines) + "\n")


def one_layer(path):
    """A layer whose mapspace no search ends in: dimensions with many divisors."""
    sizes = "P: 5040, K: 5040, C: 5040"
    return _write(path, f"format: inlay/1\nlayers:\n  layers:\n  - {{name: l, gemm: {{{sizes}}}}}\n")


def convolution(path):
    """A layer whose front no search ends in."""
    sizes = "K: 720, C: 720, P: 720, Q: 720, R: 3, S: 3"
    return _write(path, f"format: inlay/1\nlayers:\n  layers:\n  - {{name: l, conv: {{{sizes}}}}}\n")


def network(path, nodes):
    """Convolutions and elementwise nodes with skip connections over up to 12 nodes."""
    draw = random.Random(2)
    weights, lines, maps = {}, [], [("image", 64)]
    while len(lines) < nodes:
        i = len(lines)
        name, channels = maps[-1] if draw.random() < 0.6 else draw.choice(maps[-12:])
        other = [m for m in maps[-12:] if m[1] == channels and m[0] != name]
        if draw.random() < 0.5:
            wide, kernel = draw.choice([16, 32, 64, 128]), draw.choice([1, 1, 3])
            weights[f"w{i}"] = [wide, channels, kernel, kernel]
            lines.append(f"  - {{name: n{i}, op: conv, inputs: [{name}, w{i}], output: t{i}, "
                         f"pads: {kernel // 2}}}")
            maps.append((f"t{i}", wide))
            continue
        inputs = name + (f", {draw.choice(other)[0]}" if other and draw.random() < 0.6 else "")
        lines.append(f"  - {{name: n{i}, op: elementwise, inputs: [{inputs}], output: t{i}}}")
        maps.append((f"t{i}", channels))
    # What no node reads is an output.
    body = "\n".join(lines)
    read = set()
    for line in lines:
        read.update(line.split("inputs: [")[1].split("]")[0].split(", "))
    outputs = [name for name, _ in maps[1:] if name not in read]
    shapes = ", ".join(f"{name}: {shape}" for name, shape in weights.items())
    return _write(path, f"format: inlay/1\nnetwork:\n  name: nodes{nodes}\n"
                        f"  inputs: {{image: [1, 64, 28, 28]}}\n  weights: {{{shapes}}}\n"
                        f"  nodes:\n{body}\n  outputs: [{', '.join(outputs)}]\n")


def buffers(path, count):
    """Buffers that begin one after the other and live for up to 200 of them."""
    draw = random.Random(3)
    lines = ["id,lower,upper,size"]
    for i in range(count):
        lines.append(f"{i},{i},{i + 1 + draw.randint(1, 200)},{64 * draw.randint(1, 64)}")
    return _write(path, "\n".join(lines) + "\n")


def mix(path, images):
    """Two networks on the accelerator of AI-MT, so many images of each."""
    workloads = "".join(f"  - {{network: {name}, batch: {images}}}\n"
                        for name in ["mobilenetv2", "squeezenet"])
    return _write(path, f"format: inlay/1\nmix:\n  accelerator: ai-mt\n  workloads:\n{workloads}")


def residencies(path, count):
    """A result of plan: slots of a memory, each filled with one tensor after the other."""
    draw = random.Random(4)
    steps, slots = max(64, count // 5), 64
    stays = []
    for slot in range(slots):
        at = 0
        while at < steps and len(stays) < count:
            to = min(steps, at + 1 + draw.randint(0, 2 * steps * slots // count))
            stays.append({"tensor": f"tensor{len(stays)}", "memory": "pad", "address": slot * 32768,
                          "bytes": draw.randint(16384, 32768), "from": at, "to": to})
            at = to
    figures = {"latency_us": steps, "offchip_bytes": 0, "energy_pj": 1}
    order = [f"node{i}" for i in range(steps)]
    return _write(path, json.dumps({
        "format": "inlay/result/1", "command": "plan", "version": "0.1.0", "inputs": {},
        "options": {}, "network": "many", "machine": "one pad", "bits": 16, "weights_stay": False,
        **figures, "baseline": figures,
        "memories": [{"name": "pad", "bytes": 2097152, "peak_bytes": 2097152, "peak_step": 1,
                      "mean_bytes": 1048576}],
        "order": order,
        "steps": [{"node": node, "unit": "core", "tiling": 0, "latency_us": 1, "offchip_bytes": 0,
                   "limited_by": "compute"} for node in order],
        "residencies": stays, "transfers": [],
        "measured": {"seconds": 0, "tables_seconds": 0, "nodes": 0, "threads": 1}}))


def _divisor(number, most):
    """The largest divisor up to `most`, or a hair more: roots are not exact."""
    return next(d for d in range(int(most + 1e-6), 0, -1) if number % d == 0)


def grid(path, points):
    """A study of so many small layers, on three axes of about the same length."""
    rows = _divisor(points, points ** (1 / 3))
    columns = _divisor(points // rows, (points // rows) ** (1 / 2))
    seeds = points // rows // columns
    return _write(path, "format: inlay/1\nstudy:\n  name: points\n  run: map\n  grid:\n"
                        f"    workload: [{{gemm: {{P: 1..{rows}, K: 1..{columns}, C: 2}}}}]\n"
                        f"    arch: toy-5\n    seed: 1..{seeds}\n"
                        "  figure: {x: workload, y: edp}\n")
