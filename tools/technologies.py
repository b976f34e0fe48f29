#!/usr/bin/env python3
"""Writes the built-in technologies cmos-NODE (library/technologies/) from data that is not part of the project.

Usage: technologies.py DIR [ROOT]   (ROOT: this project)
DIR holds cacti.csv, a sweep of CACTI 7 (capacity, width, ports, node: energies, leakage, area),
published.json, figures of operations, wires, memories off chip and node scaling, each with its source, and
accelergy.json, what Accelergy answers for components of Timeloop's example designs.
Also writes, for the test of the technologies (tests/golden/technology/), the sweep's rows that they are made
of and those that they leave out, and Accelergy's answers for components of which there are the sizes.

A row of the sweep between two others is left out of a technology where the two give it within TOLERANCE.
"""

import csv
import json
import math
import pathlib
import sys

NODES = [65, 45, 32, 22]
ESTIMATED = 7  # of the memories of 22 nm and of published scaling
TOLERANCE = 0.10
FIGURES = ["read_nJ", "write_nJ", "leakage_mW", "area_mm2"]
CACTI = "CACTI 7.0, LSTP cells, 300 K, one bank, least energy x delay^2"
SCALING = "scaled after Stillmaker and Baas (Integration 2017) at 0.9 V"


def number(value, digits=5):
    """As short as it can be written with so many digits."""
    return repr(float(f"{value:.{digits}g}")).removesuffix(".0")


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


class Published:
    """Looks figures up in published.json by the beginning of their description."""

    def __init__(self, path):
        self.rows = json.loads(path.read_text(encoding="utf-8"))

    def find(self, what, node=None, bits=None):
        found = [
            row["value"]
            for row in self.rows
            if row["what"].startswith(what)
            and (node is None or row["node_nm"] == node)
            and (bits is None or row["bits"] == bits)
        ]
        if not found:
            raise SystemExit(f"published.json has no '{what}' of {node} nm, {bits} bits")
        return found[0]

    def factor(self, what, node):
        """From 45 nm to a node; between two nodes of the source a power of the node."""
        known = {
            row["node_nm"]: row["value"]
            for row in self.rows
            if row["what"].startswith(f"{what} factor 45 nm -> ")
            and (what == "area" or row["what"].endswith("at 0.9 V"))
        }
        if node in known:
            return known[node]
        low = max(n for n in known if n < node)
        high = min(n for n in known if n > node)
        share = math.log(node / low) / math.log(high / low)
        return known[low] ** (1 - share) * known[high] ** share


def sweep(path):
    """Node, ports and bits of an access -> capacity -> figures."""
    lines = path.read_text(encoding="utf-8").splitlines()
    curves = {}
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        if row["set"] not in ("main", "1r1w") or row["cell"] != "lstp" or row["banks"] != "1":
            continue
        key = (int(row["node_nm"]), row["ports"], 8 * int(row["block_B"]))
        curves.setdefault(key, {})[int(row["capacity_B"])] = [float(row[f]) for f in FIGURES]
    return curves


def left_out(curve):
    """Every second capacity, where the two beside it give it."""
    capacities = sorted(curve)
    out = []
    for below, capacity, above in zip(capacities[0::2], capacities[1::2], capacities[2::2]):
        share = math.log(capacity / below) / math.log(above / below)
        between = [a ** (1 - share) * b**share for a, b in zip(curve[below], curve[above])]
        if all(abs(x / y - 1) <= TOLERANCE for x, y in zip(between, curve[capacity])):
            out.append(capacity)
    return out


def memory(capacity, bits, ports, read, write, leakage, area):
    size = next(
        f"{capacity >> shift} {unit}"
        for shift, unit in ((20, "MiB"), (10, "KiB"), (0, "B"))
        if capacity % (1 << shift) == 0 and capacity >> shift
    )
    ports = "" if ports == "1rw" else f", ports: {ports}"
    return (
        f"      - {{capacity: {size}, width: {bits}{ports}, read: {number(read)} pJ, write: {number(write)} pJ, "
        f"leakage: {number(leakage)} uW, area: {number(area)} um2}}\n"
    )


def sram(curves, node, energy=1.0, leakage=1.0, area=1.0):
    rows = ""
    for (at, ports, bits), curve in sorted(curves.items(), key=lambda item: (item[0][1] != "1rw", item[0])):
        if at != node:
            continue
        without = left_out(curve)
        for capacity, (read, write, leak, size) in sorted(curve.items()):
            if capacity not in without:
                rows += memory(capacity, bits, ports, read * 1e3 * energy, write * 1e3 * energy,
                               leak * 1e3 * leakage, size * 1e6 * area)
    return rows


def wire(published, node):
    """A power of the node through two figures for random data; the third, 0.11 at 32 nm, lies on it."""
    at_40 = published.find("wire, random data (same", 40)
    at_10 = published.find("wire, random data, 0.7 V", 10)
    return at_40 * (node / 40) ** (math.log(at_40 / at_10) / math.log(40 / 10))


def registers(published, node):
    """Flip-flops, and the way of the bits over the side of a square of them."""
    energy = published.find("register (flip-flop) access, 1 ns cycle: dynamic", 40) * published.factor("energy", node)
    cell = published.find("register (flip-flop) access, 1 ns cycle: area", 40) * published.factor("area", node)
    leakage = 1e3 * published.find("register (flip-flop) access, 1 ns cycle: idle", 40) * published.factor("energy", node)
    rows = ""
    for bits in (1, 1024):
        for capacity in (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536):
            cells = 8 * capacity
            pj = bits * (energy + 1e-3 * wire(published, node) * math.sqrt(cells * cell))
            rows += memory(capacity, bits, "1rw", pj, pj, leakage * cells, cell * cells)
    return rows


def arithmetic(published, node):
    """Type, energy, area and source of a multiplication and the addition of the product."""
    def at_45(what, bits):
        return published.find(f"{what} (Horowitz)", 45, bits)

    def area(kind, bits):
        return (published.find(f"{kind} multiply area (Horowitz)", 45, bits)
                + published.find(f"{kind} add area (Horowitz)", 45, max(bits, 32) if kind == "int" else bits))

    def between(what):  # a 16-bit multiplier, between those of 8 and 32 bits
        return math.sqrt(published.find(what, 45, 8) * published.find(what, 45, 32))

    horowitz = "Horowitz (ISSCC 2014)"
    sums = "multiplication, and addition of 32 bits"
    halfway = f"{horowitz}: {sums}; the multiplier between those of 8 and 32 bits"
    # Of brain floats there are figures at 7 nm alone, beside those of fp16 in the same paper.
    brain = ((published.find("bf16 multiply", 7) + published.find("bf16 add", 7))
             / (published.find("fp16 multiply", 7) + published.find("fp16 add", 7)))
    half = at_45("fp16 multiply", 16) + at_45("fp16 add", 16)
    units = [
        ("int8", at_45("int multiply", 8) + at_45("int add", 32), area("int", 8), f"{horowitz}: {sums}"),
        ("int16", between("int multiply (Horowitz)") + at_45("int add", 32),
         between("int multiply area (Horowitz)") + published.find("int add area (Horowitz)", 45, 32), halfway),
        ("int32", at_45("int multiply", 32) + at_45("int add", 32), area("int", 32), f"{horowitz}: {sums}"),
        ("fp16", half, area("fp16", 16), horowitz),
        ("bf16", half * brain, area("fp16", 16) * brain,
         f"fp16 of {horowitz}, times bf16 over fp16 at 7 nm of Jouppi et al. (ISCA 2021)"),
        ("fp32", at_45("fp32 multiply", 32) + at_45("fp32 add", 32), area("fp32", 32), horowitz),
    ]
    jouppi = "Jouppi et al. (ISCA 2021)"
    multiplier = published.find("int8 multiply", 7) / at_45("int multiply", 8)
    adder = published.find("int8 add", 7) / at_45("int add", 8)
    add = at_45("int add", 32) * adder
    wide = f"{horowitz}, times int8 at 7 nm over 45 nm of {jouppi}"
    at_7 = {
        "int8": (published.find("int8 multiply", 7) + add, f"{jouppi}; the addition scaled as that of 8 bits"),
        "int16": (between("int multiply (Horowitz)") * multiplier + add, wide),
        "int32": (at_45("int multiply", 32) * multiplier + add, wide),
        "fp16": (published.find("fp16 multiply", 7) + published.find("fp16 add", 7), jouppi),
        "bf16": (published.find("bf16 multiply", 7) + published.find("bf16 add", 7), jouppi),
        "fp32": (published.find("fp32 multiply", 7)
                 + at_45("fp32 add", 32) * published.find("fp16 add", 7) / at_45("fp16 add", 16),
                 f"{jouppi}; the addition scaled as that of fp16"),
    }
    text = ""
    for name, pj, size, source in units:
        if node == ESTIMATED:
            source = f"{at_7[name][1]}; area scaled from 45 nm"
        elif node != 45:
            source = f"a power of the node through 45 nm ({horowitz}) and 7 nm ({jouppi}); area scaled from 45 nm"
        energy = pj * (node / 45) ** (math.log(pj / at_7[name][0]) / math.log(45 / 7))
        text += (f"    - {{type: {name}, energy: {number(energy, 4)} pJ, "
                 f"area: {number(size * published.factor('area', node), 4)} um2, source: {quoted(source)}}}\n")
    return text


def dram_kinds(published):
    plug_in = "Accelergy's CACTI plug-in"
    newer = "hwcomponents, Accelergy's successor"
    lpddr5 = published.find("LPDDR5 per bit, order of magnitude")

    def pins(what, bits):
        return published.find(what, None, bits) * bits / 8 / 1e3, f"{bits} pins at {published.find(what)} MT/s"

    kinds = [
        ("lpddr4", published.find("LPDDR4 access energy per bit (Accelergy"), *pins("LPDDR4 data rate", 16),
         f"{plug_in}; devices measured alone: 13 to 14"),
        ("lpddr5", math.sqrt(lpddr5[0] * lpddr5[1]), *pins("LPDDR5 data rate", 16),
         "an estimate: between the 5 and 10 that are given as its order of magnitude"),
        ("ddr3", published.find("DDR3 access energy per bit (Accelergy"), None, None,
         f"{plug_in}, after Chatterjee et al. (MICRO 2017)"),
        ("ddr4", published.find("DRAM 64-bit access (Horowitz)")[0] / 64,
         published.find("DDR4-3200 bandwidth per 64-bit channel"), "64 pins at 3200 MT/s",
         "the least of Horowitz (ISSCC 2014): 1300 pJ for 64 bits"),
        ("gddr5", published.find("GDDR5 access energy per bit (Accelergy"),
         published.find("GDDR5 bandwidth"), "32 pins at 4000 MT/s", plug_in),
        ("gddr6", published.find("GDDR6 per bit (Micron"), published.find("GDDR6 bandwidth"),
         "32 pins at 11000 MT/s", "Micron's product page; Jouppi et al. (ISCA 2021): 5.5 to 7.5"),
        ("hbm2", published.find("HBM2 access energy per bit (hwcomponents"),
         published.find("HBM2 bandwidth per stack"), "a stack",
         f"{newer}; O'Connor et al. (MICRO 2017): 3.9; TPU v4i: up to 7.0"),
        ("hbm2e", published.find("HBM2 access energy per bit (hwcomponents"),
         published.find("HBM2E bandwidth per stack")[1], "a stack", f"that of HBM2 ({newer})"),
        ("hbm3", published.find("HBM3 access energy per bit (hwcomponents"),
         published.find("HBM3 bandwidth per stack"), "a stack", newer),
    ]
    text = ""
    for name, pj, bandwidth, per, source in kinds:
        rate = f"bandwidth: {number(bandwidth, 4)} GB/s, per: {per}, " if bandwidth else ""
        text += f"    - {{kind: {name}, energy: {number(pj, 3)} pJ/bit, {rate}source: {quoted(source)}}}\n"
    return text


def technology(published, curves, node):
    cells, note = CACTI, ""
    if node == ESTIMATED:
        factors = published.find("below 22 nm Accelergy scales CACTI energy by sqrt(node/22)")
        ratio = node / 22
        rows = sram(curves, 22, ratio ** factors[0], factors[2] * ratio**0.5, ratio ** factors[1])
        cells = ("an estimate: 22 nm of CACTI 7.0, energies times sqrt(7/22), areas times 7/22, leakage times "
                 "0.79 sqrt(7/22), as Accelergy scales below 22 nm")
        note = "  note: an estimate; the memories are those of 22 nm, scaled\n"
        summary = "7 nm, an estimate; the memories of cmos-22, scaled, arithmetic by Jouppi et al."
    else:
        rows = sram(curves, node)
        summary = f"{node} nm, memories by CACTI 7, arithmetic by Horowitz" + ("" if node == 45 else " and Jouppi et al.")
    scaled = "" if node == 45 else f", {SCALING}"
    law = "a power of the node through 0.121 at 40 nm (Keckler et al., IEEE Micro 2011) and 0.068 at 10 nm (Dally, 2014)"
    return (
        f"format: inlay/1\ndescription: {summary}\n"
        f"# Made by tools/technologies.py. Of the sweep of CACTI, the memories that those beside them give within\n"
        f"# {TOLERANCE:.0%} are left out.\n"
        f"technology:\n  name: cmos-{node}\n  node: {node} nm\n{note}"
        f"  arithmetic:\n{arithmetic(published, node)}"
        f"  wire: {{energy: {number(wire(published, node), 3)} pJ/bit/mm, source: {quoted(law)}}}\n"
        f"  dram_kinds:\n{dram_kinds(published)}"
        f"  register:\n    source: "
        f"{quoted('flip-flops of Aladdin (ISCA 2014) at 40 nm' + scaled + ', and a wire over the side of a square of them')}\n"
        f"    table:\n{registers(published, node)}"
        f"  sram:\n    source: {quoted(cells)}\n    table:\n{rows}"
    )


def write_sweep(curves, path):
    text = ("# Rows of a sweep by CACTI 7.0 (github.com/HewlettPackard/cacti@1ffd8df, LSTP cells, 300 K, one bank);\n"
            "# kept: whether the technology of that node has the row. Written by tools/technologies.py.\n"
            "node_nm,ports,width_bits,capacity_bytes,read_pj,write_pj,leakage_uw,area_um2,kept\n")
    for (node, ports, bits), curve in sorted(curves.items()):
        if node not in NODES:
            continue
        without = left_out(curve)
        for capacity, (read, write, leakage, area) in sorted(curve.items()):
            values = ",".join(number(v, 6) for v in (read * 1e3, write * 1e3, leakage * 1e3, area * 1e6))
            text += f"{node},{ports},{bits},{capacity},{values},{'no' if capacity in without else 'yes'}\n"
    path.write_text(text, encoding="utf-8")


def write_answers(path_from, path_to):
    """Each component once: class, attributes, energies of a read and a write, or of an operation twice."""
    text = ("# Answers of Accelergy for components of Timeloop's example designs (Accelergy-Project/\n"
            "# timeloop-accelergy-exercises@2d55108); pJ of a read and a write, or twice of an operation.\n"
            "# Written by tools/technologies.py.\n")
    wanted = ("type", "width", "depth", "datawidth", "technology", "n_rd_ports", "n_wr_ports", "n_rdwr_ports",
              "n_rw_ports", "multiplier_width", "adder_width", "exponent", "mantissa", "cluster_size")
    priced = ("DRAM", "SRAM", "regfile", "_RF", "register", "metadata", "intmac", "fpmac")
    seen = set()
    for row in json.loads(path_from.read_text(encoding="utf-8"))["rows"]:
        name = row.get("subclass") or row["class"]
        energies = row["energy_pJ"]
        attributes = {k: str(v) for k, v in row["attributes"].items() if k in wanted}
        if not row["usable"] or not any(part in name for part in priced):
            continue
        if "mac" in name:
            figures = energies.get("compute", energies.get("mac_random")), None
            figures = figures[0], figures[0]
        else:
            figures = energies.get("read"), energies.get("write")
        is_memory = "mac" not in name and "DRAM" not in name
        sized = "width" in attributes and ("depth" in attributes or not is_memory) or "mac" in name
        if None in figures or not sized or not figures[0] or attributes.get("width") == "0":
            continue
        if "nm" not in attributes.get("technology", ""):
            attributes["technology"] = "45nm"  # of memories off chip, where it does not matter
        inside = ", ".join(f"{key}: {value}" for key, value in sorted(attributes.items()))
        line = f"{name};{{{inside}}};{number(figures[0], 6)};{number(figures[1], 6)}\n"
        if line not in seen:
            seen.add(line)
            text += line
    path_to.write_text(text, encoding="utf-8")


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
        raise SystemExit(__doc__)
    data = pathlib.Path(sys.argv[1])
    root = pathlib.Path(sys.argv[2] if len(sys.argv) == 3 else pathlib.Path(__file__).resolve().parents[1])
    published = Published(data / "published.json")
    curves = sweep(data / "cacti.csv")
    for node in [*NODES, ESTIMATED]:
        path = root / "library" / "technologies" / f"cmos-{node}.yaml"
        path.write_text(technology(published, curves, node), encoding="utf-8")
    tests = root / "tests" / "golden" / "technology"
    write_sweep(curves, tests / "cacti.csv")
    write_answers(data / "accelergy.json", tests / "accelergy.txt")


if __name__ == "__main__":
    main()
