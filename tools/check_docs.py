#!/usr/bin/env python3
"""Checks the documentation: the pages beside README.md, docs/, src/README.md, tests/README.md.

Usage: check_docs.py [ROOT]   (default: this project)
Prints every fault as file:line and exits with 1 if there is one. What is checked:
- a relative link leads to a file or folder that is there, and its #anchor to a heading;
- a path in `back quotes` that starts with a folder of the project is there; one with * matches
  something, unless it is a pattern to be filled in, with <...> or a word in capitals;
- every page below docs/ is in the contents, docs/README.md;
- a picture that a page shows has a title and adapts to dark pages, and every text of class "count"
  in it stands in what the commands of that page print.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDERS = ("bench", "cmake", "docs", "examples", "library", "src", "tests", "tools", "web")
FENCE = re.compile(r"^```(.*)\n((?:(?!```).*\n)*)```", re.MULTILINE)
LINK = re.compile(r"(!?)\[[^\]]*\]\(([^()\s]+)\)")
PATH = re.compile(r"`((?:%s)/[^`\s]*)`" % "|".join(FOLDERS))
COUNT = re.compile(r'class="[^"]*\bcount\b[^"]*">([^<]*)<')


def pages(root):
    names = ("src/README.md", "tests/README.md")
    return sorted({root / name for name in names if (root / name).exists()}
                  | set(root.glob("*.md")) | set(root.glob("docs/**/*.md")))


def blank(match):
    """The same number of lines and characters, without what stands there."""
    return re.sub(r"[^\n]", " ", match[0])


def prose(text):
    """The page without its fenced and indented blocks, at the same places."""
    text = FENCE.sub(blank, text)
    return re.sub(r"(?<=\n\n)(?: {4}.*\n)+", blank, text)


def anchors(text):
    """The anchors of a page's headings, as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#+ +(.*)$", FENCE.sub(blank, text), flags=re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return found


def picture_faults(path, printed):
    text = path.read_text(encoding="utf-8")
    if "<title" not in text or "prefers-color-scheme: dark" not in text:
        yield f"{path.name} has no title, or nothing for dark pages"
    for count in COUNT.findall(text):
        if not re.search(r"(?<![\d.])" + re.escape(count) + r"(?![\d.]|,\d)", printed):
            yield f"{path.name} says {count}, which no command of the page prints"


def link_faults(page, picture, target, text):
    """What is wrong with one link of a page with this text."""
    if re.match(r"[a-z]+:", target):
        return
    name, _, anchor = target.partition("#")
    path = (page.parent / name) if name else page
    if not path.exists():
        yield f"{target} is not there"
    elif anchor and anchor not in anchors(path.read_text(encoding="utf-8")):
        yield f"{name or 'the page'} has no heading #{anchor}"
    elif picture and path.suffix == ".svg":
        printed = "".join(body for info, body in FENCE.findall(text) if info == "console")
        yield from picture_faults(path, printed)


def path_fault(root, path):
    """Why a path in back quotes is wrong; none if it is right."""
    path = path.split(":")[0].rstrip("/")
    if re.search(r"[<{…]|\.\.\.|\b[A-Z]{2,}\b(?!\.md)", path):
        return None
    if "*" in path:
        return None if any(root.glob(path)) else "matches nothing"
    return None if (root / path).exists() else "is not there"


def check(root):
    """Every fault as "file:line: text", and how many pages there are."""
    faults, linked = [], set()
    contents = root / "docs" / "README.md"
    for page in pages(root):
        text = page.read_text(encoding="utf-8")
        body = prose(text)

        def report(at, what):
            line = body.count("\n", 0, at) + 1
            faults.append(f"{page.relative_to(root)}:{line}: {what}")

        for match in LINK.finditer(body):
            for fault in link_faults(page, match[1] == "!", match[2], text):
                report(match.start(), fault)
            if page == contents:
                linked.add((page.parent / match[2].partition("#")[0]).resolve())
        for match in PATH.finditer(body):
            fault = path_fault(root, match[1])
            if fault:
                report(match.start(), f"{match[1]} {fault}")
    for page in sorted(root.glob("docs/**/*.md")):
        if page != contents and page.resolve() not in linked:
            name = page.relative_to(contents.parent)
            faults.append(f"docs/README.md:1: {name} is not in the contents")
    return faults, len(pages(root))


def main():
    faults, number = check(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT)
    print("\n".join(faults) if faults else f"{number} pages: links, paths and pictures are right")
    return 1 if faults or not number else 0


if __name__ == "__main__":
    sys.exit(main())
