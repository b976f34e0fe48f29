#!/usr/bin/env python3
"""Checks who includes whom in src/: the module rules, cycles, third-party headers in their rooms.
Also that no two files define a type of the same name in the same namespace: the linker would take
the functions of one for those of the other; and that docs/architecture.md draws the module rules.

Usage: check_layers.py [ROOT]   (ROOT holds src/; default: this project)
Prints every fault as file:line and exits with 1 if there is one. Unit tests (*_test.cc) are exempt.
"""

import pathlib
import re
import sys

# Module -> modules it may include; what those may include is allowed too. Anything goes in cli.
ALLOWED = {
    "base": [],
    "core": ["base"],
    "io": ["core"],
    "cost": ["core"],
    "mapspace": ["core"],
    "gp": ["core"],
    "emit": ["core"],
    "report": ["core", "io"],
    "mapper": ["mapspace", "cost", "gp"],
    "codesign": ["mapper"],
    "fuse": ["mapper", "cost"],
    "scratchpad": ["mapper", "cost", "fuse"],
    "batch": ["scratchpad", "mapper", "cost"],
    "run": ["io", "report", "mapper", "codesign", "scratchpad", "batch", "fuse"],
    "study": ["run"],
}
# Outside src/inlay; they may include every module, no module may include them.
OUTER = ("cli", "capi", "python", "mlir")
# Which of them may include which other: Python's functions are the commands.
OUTER_ALLOWED = {("python", "cli")}

# Third-party header (a pattern) -> the places, below src/, that may include it. What is not listed
# here (the standard library, fmt, tl::expected) is free.
ROOMS = [
    (r"yaml-cpp/", ["inlay/io/"]),
    (r"nlohmann/", ["inlay/io/"]),
    (r"google/protobuf/|onnx/", ["inlay/io/"]),
    (r"CLI/", ["cli/"]),
    (r"tbb/|oneapi/", ["inlay/base/parallel"]),
    (r"Eigen/", ["inlay/gp/"]),
    (r"coin/|Ipopt|IpT|Cbc|Cgl|Clp|Coin|Osi", ["inlay/gp/", "inlay/scratchpad/milp/solver.cc"]),
    (r"mpi\.h", ["inlay/study/mpi"]),
    (r"pybind11/", ["python/"]),
    (r"mlir/|llvm/", ["mlir/"]),
]

# Header -> why no file may include it.
FORBIDDEN = {
    "ranges": "clang 14, which lints and fuzzes, cannot compile its views; std::ranges algorithms "
              "come from <algorithm>",
}

NAMESPACE = re.compile(r"^namespace(?: ([\w:]+))? \{")
NAMESPACE_END = re.compile(r"^\}  // namespace")
TYPE = re.compile(r"^(?:struct|class|enum class|union) (\w+)(?: final)?(?: :[^:].*)?(?: \{|$)")
ARROW = re.compile(r"^ *(\w+) --> (\w+)$", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def closure(module, allowed=None):
    """All modules that `module` may include, itself among them."""
    allowed = ALLOWED if allowed is None else allowed
    seen, todo = set(), [module]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo.extend(allowed.get(name, []))
    return seen


def module_of(path):
    """'base' for inlay/base/x.h, 'cli' for cli/main.cc; None for what belongs to no module."""
    parts = path.split("/")
    if parts[0] == "inlay":
        return parts[1] if len(parts) > 2 else None
    return parts[0] if len(parts) > 1 else None


def read_includes(src):
    """{file: [(line, is_quoted, target)]} for every C++ file of src/ that is not a test."""
    files = {}
    for path in sorted(src.rglob("*")):
        if path.suffix not in (".h", ".cc") or path.stem.endswith("_test"):
            continue
        includes = []
        text = path.read_text(encoding="utf-8", errors="replace")
        for number, line in enumerate(text.splitlines(), start=1):
            match = INCLUDE.match(line)
            if match:
                includes.append((number, match[1] == '"', match[2]))
        files[path.relative_to(src).as_posix()] = includes
    return files


def check_include(file, quoted, target):
    """What is wrong with one #include; None if nothing."""
    if quoted:
        importer, imported = module_of(file), module_of(target)
        if imported not in ALLOWED and imported not in OUTER:
            return f'"{target}" names no module; write the path from src/, third-party in <>'
        if importer in ALLOWED and imported not in closure(importer):
            may = ", ".join(sorted(closure(importer) - {importer})) or "no other module"
            return f'{importer} may not include {imported} ("{target}"); it may include {may}'
        if (importer in OUTER and imported in OUTER and importer != imported
                and (importer, imported) not in OUTER_ALLOWED):
            return f"{importer} may not include {imported}"
        return None
    if target in FORBIDDEN:
        return f"<{target}> is not used here: {FORBIDDEN[target]}"
    for pattern, places in ROOMS:
        if re.match(pattern, target) and not any(file.startswith(place) for place in places):
            return f"<{target}> is confined to {', '.join('src/' + place for place in places)}"
    return None


def types_of(text):
    """[(line, 'namespace::Type')] of what a file defines outside unnamed namespaces."""
    types, namespaces = [], []
    for number, line in enumerate(text.splitlines(), start=1):
        if match := NAMESPACE.match(line):
            namespaces.append(match[1])
        elif NAMESPACE_END.match(line) and namespaces:
            namespaces.pop()
        elif (match := TYPE.match(line)) and None not in namespaces:
            types.append((number, "::".join(namespaces + [match[1]])))
    return types


def find_types_defined_twice(root):
    """A fault for every definition of a type that another file defines, too."""
    first, faults = {}, []
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in (".h", ".cc"):
            continue
        file = path.relative_to(root).as_posix()
        for line, name in types_of(path.read_text(encoding="utf-8", errors="replace")):
            other = first.setdefault(name, file)
            if other != file:
                faults.append(f"{file}:{line}: {name} is defined in {other}, too")
    return faults


def drawing_faults(text):
    """Where the arrows of the page say something else than the rules. Modules may include what lies
    at the end of any way along the arrows."""
    drawn = {}
    for importer, imported in ARROW.findall(text):
        drawn.setdefault(importer, []).append(imported)
    for module in ALLOWED:
        wrong = closure(module, drawn) ^ closure(module)
        if wrong:
            yield f"the drawing differs from the rules for {module}: {', '.join(sorted(wrong))}"
    for importer in drawn:
        for imported in drawn[importer]:
            inner = imported in ALLOWED and (importer in ALLOWED or importer in OUTER)
            if not inner and (importer, imported) not in OUTER_ALLOWED:
                yield f"the drawing says that {importer} may include {imported}"


def find_cycle(files):
    """One cycle of headers that include each other, as a list of files; [] if there is none."""
    done, path = set(), []

    def visit(file):
        if file in path:
            return path[path.index(file):] + [file]
        if file in done or file not in files:
            return []
        path.append(file)
        for _, quoted, target in files[file]:
            cycle = visit(target) if quoted else []
            if cycle:
                return cycle
        path.pop()
        done.add(file)
        return []

    for file in files:
        cycle = visit(file)
        if cycle:
            return cycle
    return []


def check(root):
    """All faults of the tree, one line each."""
    files = read_includes(root / "src")
    faults = []
    for file, includes in files.items():
        module = module_of(file)
        if module not in ALLOWED and module not in OUTER:
            faults.append(f"src/{file}:1: {module or 'this folder'} is no module of the layer rules")
            continue
        for line, quoted, target in includes:
            fault = check_include(file, quoted, target)
            if fault:
                faults.append(f"src/{file}:{line}: {fault}")
    cycle = find_cycle(files)
    if cycle:
        faults.append("headers include each other: " + " -> ".join(cycle))
    page = root / "docs" / "architecture.md"
    if page.exists():
        text = page.read_text(encoding="utf-8")
        faults += [f"docs/architecture.md:1: {fault}" for fault in drawing_faults(text)]
    return faults + find_types_defined_twice(root), len(files)


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1]
    faults, count = check(root)
    for fault in faults:
        print(fault)
    if not count:
        print(f"no C++ file below {root / 'src'}")
    print(f"{count} files, {len(faults)} faults")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main())
