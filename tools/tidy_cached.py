#!/usr/bin/env python3
"""clang-tidy that remembers what it found clean, as ccache remembers objects.

CMake calls it as it would call clang-tidy: OPTIONS SOURCE -- COMPILER FLAGS. A file is looked at again
only if its preprocessed text (with comments, for NOLINT), the configuration, the options or clang-tidy
itself have changed; findings are never remembered. The marks lie in ~/.cache/inlay-tidy, or under
XDG_CACHE_HOME; removing them is safe.
"""
import hashlib
import os
import pathlib
import subprocess
import sys

TIDY = "clang-tidy-14"
ROOT = pathlib.Path(__file__).resolve().parent.parent


def preprocessed(compile_command):
    """The text that the compiler sees, without the path of this checkout; None if it does not compile."""
    command = list(compile_command)
    if "-o" in command:
        place = command.index("-o")
        del command[place : place + 2]
    command = [word for word in command if word != "-c"] + ["-E", "-C"]
    run = subprocess.run(command, capture_output=True, check=False)
    return run.stdout.replace(os.fsencode(ROOT), b".") if run.returncode == 0 else None


def mark_of(options, compile_command):
    """The file that says 'clean' for this text under these rules; None if there can be none."""
    text = preprocessed(compile_command)
    if text is None:
        return None
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    key = hashlib.sha256()
    for part in (version, (ROOT / ".clang-tidy").read_bytes(), " ".join(options).encode(), text):
        key.update(hashlib.sha256(part).digest())
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    return cache / "inlay-tidy" / key.hexdigest()


def main(arguments):
    split = arguments.index("--")
    *options, _ = arguments[:split]
    mark = mark_of(options, arguments[split + 1 :])
    if mark and mark.exists():
        return 0
    code = subprocess.run([TIDY, *arguments], check=False).returncode
    if code == 0 and mark:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
