"""What the tests of the Python package share."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

BINARY = os.environ["INLAY_BINARY"]
SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(SOURCE / "tools"))

import result_schema

PROBLEM = """format: inlay/1
problem:
  name: small
  dims: {P: 12, K: 8, C: 6}
  tensors:
    Inputs: "[P, C]"
    Weights: "[C, K]"
    Outputs: "[P, K] +="
"""
ARCH = """format: inlay/1
architecture:
  name: two-levels
  technology: thistle-45nm
  word_bits: 16
  levels:
  - {name: DRAM, kind: dram}
  - {name: buffer, kind: sram, capacity: 64 words}
  - {fanout: array, x: 2, multicast: tile, reduce: true}
  - {compute: mac}
"""
MAPPING = """format: inlay/1
mapping:
- DRAM keeps all
- for P in 12 step 1
- buffer keeps all
- for K in 8 step 2
- for C in 6 step 1
- parallel K in 2 step 1 on array.x
"""
NETWORK = """format: inlay/1
network:
  name: two-products
  inputs: {x: [12, 6]}
  weights: {a: [6, 8], b: [8, 4]}
  nodes:
  - {name: first, op: gemm, inputs: [x, a], output: y}
  - {name: relu, op: elementwise, inputs: [y], output: z}
  - {name: second, op: gemm, inputs: [z, b], output: w}
  outputs: [w]
"""
MACHINE = """format: inlay/1
machine:
  name: pad
  clock: 1 GHz
  units: {core: {peak: 0.5 TMAC/s}}
  memories:
    pad: {size: 64 KiB, bandwidth: 256 B/cycle, energy: 0.5 pJ/B, alignment: 64 B, reached_by: [core]}
  offchip: {bandwidth: 8 GB/s, energy: 20 pJ/B}
"""
ROWS = """format: inlay/1
constraints:
- {at: buffer, factors: {P: "<= 6"}}
"""
LANES = """format: inlay/1
constraints:
- {at: array, x: [K, C]}
"""
TEMPLATE = """problem:
  shape: gemm_ABZ
  instance: {M: {{rows}}, N: 4, K: {{8 if deep else 2}}}
"""
BUFFERS = "id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\nb3,0,9,4\nb4,9,21,4\nb5,0,21,4\n"


@contextlib.contextmanager
def inputs():
    """A new working folder with the texts above as files."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for name, text in {"problem.yaml": PROBLEM, "arch.yaml": ARCH, "mapping.yaml": MAPPING,
                               "machine.yaml": MACHINE, "rows.yaml": ROWS, "lanes.yaml": LANES,
                               "network.yaml": NETWORK, "template.yaml": TEMPLATE,
                               "buffers.csv": BUFFERS}.items():
                pathlib.Path(name).write_text(text, encoding="utf-8")
            yield pathlib.Path(folder)
        finally:
            os.chdir(before)


def command(*words):
    """What the command line prints; it must succeed."""
    return subprocess.run([BINARY, *words], check=True, capture_output=True, text=True).stdout


def unmeasured(value):
    """Without what differs between two runs."""
    if isinstance(value, dict):
        return {key: unmeasured(each) for key, each in value.items() if key != "measured"}
    return [unmeasured(each) for each in value] if isinstance(value, list) else value


def command_json(*words):
    """The result that the command line prints, which matches its schema."""
    result = json.loads(command(*words, "--json"))
    faults = result_schema.faults(BINARY, result)
    assert not faults, faults
    return unmeasured(result)
