"""What the tests of the MLIR plugin share: running mlir-opt with it, and reading the attributes."""

import json
import os
import pathlib
import re
import struct
import subprocess
import tempfile

INLAY = os.environ["INLAY_BINARY"]
OPT = os.environ["INLAY_MLIR_OPT"]
PLUGIN = os.environ["INLAY_MLIR_PLUGIN"]

TWO_PADS = """format: inlay/1
machine:
  name: two-pads
  clock: 1 GHz
  units: {core: {peak: 0.5 TMAC/s}}
  memories:
    pad0: {size: 64 KiB, bandwidth: 256 B/cycle, energy: 0.5 pJ/B, alignment: 64 B, reached_by: [core]}
    pad1: {size: 32 KiB, bandwidth: 64 B/cycle, energy: 0.9 pJ/B, alignment: 64 B, reached_by: [core]}
  offchip: {bandwidth: 8 GB/s, energy: 20 pJ/B}
  dma: {engines: 1, moves: [[pad0, pad1]]}
"""

# Off chip costs nothing: a function takes as long as its multiplications, 1 us for 1000.
SLOW_CORE = """format: inlay/1
machine:
  name: slow
  clock: 1 GHz
  units: {core: {peak: 1 GMAC/s}}
  memories: {pad: {size: 1 KiB, reached_by: [core]}}
  offchip: {bandwidth: 1000000 GB/s, energy: 1 pJ/B}
"""


class Folder:
    """A folder of its own for a test's files."""

    def __init__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="inlay-mlir-"))

    def write(self, name, text):
        path = self.path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def remove(self):
        for path in sorted(self.path.rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
        self.path.rmdir()


def run(command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=300,
                          check=False)


def opt(text, *arguments):
    """What mlir-opt makes of a module; it must not fail."""
    done = run([OPT, *arguments], text)
    assert done.returncode == 0, done.stderr
    return done.stdout


def pass_options(machine, **options):
    words = [f"machine={machine}"]
    words += [f"{key.replace('_', '-')}={value}" for key, value in options.items()]
    return " ".join(words)


def run_plan(text, machine, *more, **options):
    """mlir-opt with the pass, as it ends."""
    inner = pass_options(machine, **options) if machine else ""
    pipeline = f"builtin.module(inlay-plan{{{inner}}})"
    return run([OPT, f"--load-pass-plugin={PLUGIN}", f"--pass-pipeline={pipeline}", *more], text)


def plan(text, machine, **options):
    """The planned module; it must not fail, and must be as good an input as any."""
    done = run_plan(text, machine, **options)
    assert done.returncode == 0, done.stderr
    opt(done.stdout)  # reads it again and verifies it
    return done.stdout


def number(token):
    if token.startswith("0x"):  # how MLIR prints the bits of some floats
        return struct.unpack(">d", bytes.fromhex(token[2:].zfill(16)))[0]
    return float(token) if re.search(r"[.eE]", token) else int(token)


class Attributes:
    """Reads attributes as MLIR prints them: strings, numbers, lists and dictionaries."""

    TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[-+.\w@#]+|[{}\[\]=,:])')

    def __init__(self, text, at):
        self.text, self.at = text, at

    def peek(self):
        match = self.TOKEN.match(self.text, self.at)
        return match[1], match.end()

    def take(self, expected=None):
        token, self.at = self.peek()
        assert expected is None or token == expected, (token, expected)
        return token

    def value(self):
        token = self.take()
        if token == "{":
            return self.items("}", self.entry, dict)
        if token == "[":
            return self.items("]", self.value, list)
        if token.startswith('"'):
            return token[1:-1]
        value = number(token)
        if self.peek()[0] == ":":  # its type
            self.take()
            self.take()
        return value

    def entry(self):
        key = self.take()
        self.take("=")
        return key, self.value()

    def items(self, end, one, kind):
        found = []
        while self.peek()[0] != end:
            found.append(one())
            if self.peek()[0] == ",":
                self.take()
        self.take(end)
        return kind(found)


def attributes(module):
    """For every line with attributes of ours, these by name."""
    lines = []
    for line in module.splitlines():
        found = {m[1]: Attributes(line, m.end()).value()
                 for m in re.finditer(r"\binlay\.(\w+) = ", line)}
        if found:
            lines.append((line, found))
    return lines


def figures(module):
    (found,) = [a["plan"] for _, a in attributes(module) if "plan" in a]
    return found


def steps(module):
    found = [a for _, a in attributes(module) if "step" in a]
    return sorted(found, key=lambda a: a["step"])


def residencies(module):
    found = []
    for _, one in attributes(module):
        found += one.get("residencies", [])
    # A function's arguments share a line, of which a dictionary keeps the last.
    head = next((line for line in module.splitlines() if "func.func" in line), "")
    starts = [m.end() for m in re.finditer(r"\binlay\.residencies = ", head)]
    for start in starts[:-1]:
        found += Attributes(head, start).value()
    return found


def plan_json(module, names, bits=16):
    """plan.json as the attributes tell it, with other names: {ours: theirs} of nodes and tensors."""
    rows = steps(module)
    nodes = [names[f"step{row['step']}"] for row in rows]
    transfers = []
    for row in rows:
        for one in row.get("transfers", []):
            transfers.append({**one, "tensor": names[one["tensor"]], "start": row["step"],
                              "end": row["step"] + 1})
    return json.dumps({
        "format": "inlay/plan/1",
        "network": "n",
        "machine": figures(module)["machine"],
        "bits": bits,
        "weights_stay": False,
        "order": nodes,
        "steps": [{"node": node, "unit": row["unit"], "tiling": row["tiling"],
                   **({"workspace": row["workspace"]} if "workspace" in row else {})}
                  for node, row in zip(nodes, rows)],
        "residencies": [{**r, "tensor": names[r["tensor"]]} for r in residencies(module)],
        "transfers": transfers,
    })


def inlay_plan(network, machine, *arguments):
    """The result of the command on a native network."""
    done = run([INLAY, "plan", network, "--machine", machine, "--json", "-q", *arguments])
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
