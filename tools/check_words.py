#!/usr/bin/env python3
"""Checks the words of comments, pages, messages and names of tests in all files of the project.

Usage: check_words.py [ROOT]   (default: this project)
Prints every fault as file:line and exits with 1 if there is one. Parts of a program are not people:
a sentence about them names the thread, process, caller, node, layer or user that is meant, and says
what is reported, from which call on. Files in PENDING are exempt until they are reworded; one that
needs no exemption any more is a fault too.
"""

import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
# A pattern, and what to write in its place.
WORDS = [
    (r"\b(?:nobody|somebody|everybody|anybody|whoever|someone|anyone|everyone)\b",
     "name the thread, process, caller, node or user"),
    (r"\bno one\b", "say 'no' with the thing, or 'no single'"),
    (r"\b(?:tell|tells|told) of\b", "say 'reports', 'is reported' or 'is called with'"),
    (r"\b(?:is|are) told (?:at|in|on|once|until|by|where)\b|\bbefore (?:it is|they are) told\b",
     "say 'is reported'"),
    (r"\b(?:hear|hears|heard) of\b", "say 'gets', 'is called with' or 'is reported'"),
    (r"\bfrom now on\b", "say what holds after the call, the line or the step"),
    # Names that had to be looked up.
    (r"\b(?:company|companies)\b", "say 'search group', or 'processes'"),
    (r"\bcrews?\b", "say 'workers', or 'processes'"),
    (r"\b(?:redecide[rsd]?|redeciding)\b", "say 'reassign'"),
]
# Between words: a phrase may go on in the next line of a comment or string.
GAP = r'(?:\s|//|#|\*|")+'
SKIPPED_FOLDERS = {".git", ".cache", "__pycache__", "build", "dist", "node_modules"}
SKIPPED_FILES = {"LICENSE", "NOTICE", "check_words.py", "check_words_test.py"}
PENDING = set()


def texts(root):
    """The path below the root and the text of every file; binary files are left out."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - SKIPPED_FOLDERS)
        for name in sorted(set(names) - SKIPPED_FILES):
            path = pathlib.Path(folder) / name
            try:
                yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                continue


def check(root, pending=frozenset()):
    """Every fault as "file:line: text", and how many files there are."""
    patterns = [(re.compile(pattern.replace(" ", GAP), re.IGNORECASE), instead)
                for pattern, instead in WORDS]
    faults, number = [], 0
    for name, text in texts(root):
        number += 1
        found = [(text.count("\n", 0, match.start()) + 1, " ".join(match[0].split()), instead)
                 for pattern, instead in patterns for match in pattern.finditer(text)]
        if name not in pending:
            faults += [f"{name}:{line}: '{word}': {instead}"
                       for line, word, instead in sorted(found)]
        elif not found:
            faults.append(f"{name}:1: is reworded: remove it from PENDING in tools/check_words.py")
    return faults, number


def main():
    given = len(sys.argv) > 1
    faults, number = check(pathlib.Path(sys.argv[1]).resolve() if given else ROOT, PENDING)
    print("\n".join(faults) if faults else f"{number} files: no word to be replaced")
    return 1 if faults or not number else 0


if __name__ == "__main__":
    sys.exit(main())
