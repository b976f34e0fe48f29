#!/usr/bin/env python3
"""Rewrites cases of timeloop/ in the forms of other Timeloop versions.

Usage: rewrite_timeloop.py        (needs PyYAML; writes timeloop-v02/ and timeloop-v04/ beside itself)

The files are checked in; this script only says where they come from. It does not use Inlay. The cases
are those of timeloop-v03/. Each form is written in several of the ways that its users write it.
"""

import pathlib

import yaml

HERE = pathlib.Path(__file__).parent


def fanouts(arch):
    """[(x, y)] below each level, outer to inner; levels and compute outer to inner."""
    levels = list(reversed(arch["storage"])) + [arch["arithmetic"]]
    return levels, [(inner["meshX"] // outer["meshX"], inner["meshY"] // outer["meshY"])
                    for outer, inner in zip(levels, levels[1:])]


def rename(value, names):
    """Renames keys at every depth."""
    if isinstance(value, dict):
        return {names.get(k, k): rename(v, names) for k, v in value.items()}
    if isinstance(value, list):
        return [rename(v, names) for v in value]
    return value


HYPHENS = {name.replace("-", "_"): name for name in
           ("word-bits", "block-size", "multiple-buffering", "vector-access-energy", "data-spaces",
            "read-write")}


def level_attributes(level, number):
    """Storage attributes without mesh, the size said in a way that depends on the case's number."""
    keys = ("word_bits", "block_size", "entries", "multiple_buffering", "read_bandwidth",
            "write_bandwidth", "shared_bandwidth", "vector_access_energy")
    attributes = {k: level[k] for k in keys if k in level}
    block = attributes["block_size"]
    if number % 3 == 1:
        attributes["width"] = attributes["word_bits"] * block
        del attributes["block_size"]
    entries = attributes.get("entries")
    if entries and number % 2 == 0 and entries % block == 0:
        attributes["depth"] = entries // block
        del attributes["entries"]
    elif entries and number % 5 == 1 and entries * attributes["word_bits"] % 8192 == 0:
        attributes["sizeKB"] = entries * attributes["word_bits"] // 8192
        del attributes["entries"]
    return attributes


def tree(case, number):
    """0.2: subtree and local, hyphens, ranges of instances here and there."""
    levels, fans = fanouts(case["arch"])
    root = {"name": "system", "attributes": {"technology": "45nm"}, "local": []}
    node = root
    for i, level in enumerate(levels):
        x, y = fans[i - 1] if i else (1, 1)
        is_compute = i + 1 == len(levels)
        name = level["name"]
        if x * y > 1:
            if number % 2 == 0:
                child = {"name": "%s_group[0..%d]" % (name, x * y - 1), "local": []}
                node["subtree"] = [child]
                node = child
            else:  # the range on the component itself counts for it alone
                child = {"name": "%s_group[1..%d]" % (name, x), "local": []}
                node["subtree"] = [child]
                grandchild = {"name": "%s_row[1..%d]" % (name, y), "local": []}
                child["subtree"] = [grandchild]
                node = grandchild
        if is_compute:
            attributes = {"datawidth": level["word_bits"]}
        else:
            attributes = level_attributes(level, number)
        attributes["meshX"] = level["meshX"]
        if number % 4 == 0:
            attributes["meshY"] = level["meshY"]
        technology = level.get("technology", "SRAM")
        node["local"].append({
            "name": name,
            "class": "intmac" if is_compute else
                     technology if number % 2 else "smartbuffer_" + technology,
            "attributes": rename(attributes, HYPHENS)})
    tables = {}
    for table in case["ERT"]["tables"]:
        actions = {}
        for action in table["actions"]:
            actions[action["name"]] = ({"energy": action["energy"]} if number % 2 else
                                       [{"arguments": {}, "energy": action["energy"]}])
        tables[table["name"] + ("[1..4]" if number % 3 == 0 else "")] = actions
    problem = rename(case["problem"], HYPHENS)
    if number % 2 == 0:  # the instance directly under the problem
        problem = {"shape": problem["shape"], **problem["instance"]}
    return {
        "problem": problem,
        "architecture": {"version": 0.2 if number % 2 else "0.2", "subtree": [root]},
        "mapping": mapping(case["mapping"], levels, number),
        "ERT": {"version": 0.2, "tables": tables}}


def mapping(directives, levels, number):
    """The same directives in other notations."""
    storage = [level["name"] for level in levels[:-1]]
    result = []
    for directive in directives:
        new = dict(directive)
        if number % 3 == 0:
            new["target"] = len(storage) - 1 - storage.index(new["target"])
        if new["type"] == "bypass":
            new["type"] = ("datatype", "bypass", "dataspace")[number % 3]
            if not new["bypass"]:
                if number % 2:
                    continue  # everything is kept where nothing is said
                del new["bypass"]
        else:
            factors = [f for f in new["factors"].split()
                       if number % 4 or not f.endswith("=1")]  # factors 1 may be left out
            if number % 3 == 1:
                factors = [f.replace("=", "") for f in factors]
            new["factors"] = (factors if number % 5 == 0 else
                              ",".join(factors) if number % 2 else " ".join(factors))
            if number % 5 == 2:
                new["permutation"] = list(new["permutation"])
        result.append(new)
    return result


class Tagged(dict):
    """A mapping with a tag."""
    tag = ""


def tagged(tag, value):
    result = Tagged(value)
    result.tag = tag
    return result


def nodes(case, number):
    """0.4: nodes, fan-outs on the components, expressions over variables and attributes."""
    levels, fans = fanouts(case["arch"])
    bits = levels[0]["word_bits"]
    variables = {"version": 0.4, "base_bits": bits, "scale": 2}
    attributes = {"technology": "45nm", "global_cycle_seconds": 1e-9}
    if number % 2 and len({level["word_bits"] for level in levels}) == 1:
        attributes["datawidth"] = "base_bits"  # inherited by every component
    elements = [tagged("!Container", {"name": "system", "attributes": attributes})]
    for i, level in enumerate(levels):
        is_compute = i + 1 == len(levels)
        own = {}
        if is_compute:
            own["datawidth"] = level["word_bits"]
        else:
            own = level_attributes(level, number)
            own["datawidth"] = own.pop("word_bits")
            if "entries" in own:
                own["entries"] = "%d * scale / 2" % own["entries"]
            if "depth" in own:
                own["rows"] = own["depth"]
                own["depth"] = "rows"
            if "width" in own:
                own["width"] = "datawidth * %d" % (own["width"] // level["word_bits"])
        if attributes.get("datawidth"):
            del own["datawidth"]
        technology = level.get("technology", "SRAM")
        element = {"name": level["name"], "class": "intmac" if is_compute else technology}
        if own:
            element["attributes"] = own
        x, y = fans[i - 1] if i else (1, 1)
        if x * y > 1:
            element["spatial"] = {k: v for k, v in (("meshX", x), ("meshY", y)) if v > 1}
        elements.append(tagged("!Component", element))
    if number % 2:
        inner = elements[2:]
        elements = elements[:2] + [tagged("!Hierarchical", {"nodes": inner})]
    problem = {"version": 0.4, **case["problem"]}
    return {
        "variables": variables,
        "architecture": {"version": 0.4, "nodes": elements},
        "problem": problem,
        "mapping": mapping(case["mapping"], levels, number),
        "ERT": {"version": 0.4, "tables": case["ERT"]["tables"]}}


def containers(case, number):
    """0.4 with each fan-out on a container of its own, as its users draw arrays."""
    form = nodes(case, number - number % 2)
    levels, _ = fanouts(case["arch"])
    targets = {}
    elements = []
    previous = None
    for element in form["architecture"]["nodes"]:
        if "spatial" in element:
            name = element["name"] + "_array"
            targets[previous] = name if number % 3 else "inter_%s_spatial" % name
            elements.append(tagged("!Container", {"name": name, "spatial": element["spatial"]}))
            element = tagged("!Component", {k: v for k, v in element.items() if k != "spatial"})
        if element.tag == "!Component":
            previous = element["name"]
        elements.append(element)
    form["architecture"]["nodes"] = elements
    form["mapping"] = mapping(case["mapping"], levels, 1)
    if number % 2:  # otherwise the directive keeps naming the level above the container
        for directive in form["mapping"]:
            if directive["type"] == "spatial":
                directive["target"] = targets[directive["target"]]
    return form


def write(folder, name, form):
    path = HERE / folder / (name + ".yaml")
    path.parent.mkdir(exist_ok=True)
    text = yaml.dump(form, Dumper=Dumper, sort_keys=False, default_flow_style=None, width=110)
    path.write_text(text, encoding="utf-8")


class Dumper(yaml.SafeDumper):
    """Knows tagged mappings, and never writes anchors."""

    def ignore_aliases(self, data):
        return True


Dumper.add_representer(
    Tagged, lambda dumper, data: dumper.represent_mapping(data.tag, dict(data).items()))


def main():
    for number, path in enumerate(sorted((HERE / "timeloop-v03").glob("*.yaml"))):
        case = yaml.safe_load((HERE / "timeloop" / path.name).read_text(encoding="utf-8"))
        write("timeloop-v02", path.stem, tree(case, number))
        write("timeloop-v04", path.stem, nodes(case, number))
        if any(d["type"] == "spatial" for d in case["mapping"]):
            write("timeloop-v04-containers", path.stem, containers(case, number))


if __name__ == "__main__":
    main()
