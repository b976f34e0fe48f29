#!/usr/bin/env python3
"""Compares results with the schemas that the command prints, every object closed.

Usage: result_schema.py BINARY FILE...
Prints what is wrong and exits with 1 if anything is. A file that is no result is a fault.
"""

import functools
import json
import pathlib
import subprocess
import sys

# The schema by the format that a document states.
KINDS = {"inlay/result/1": "result", "inlay/plan/1": "plan"}


@functools.lru_cache
def _validator(binary, kind):
    import jsonschema  # only where there are results

    def close(schema):
        if isinstance(schema, dict):
            if "properties" in schema:
                schema.setdefault("additionalProperties", False)
            for value in schema.values():
                close(value)
        elif isinstance(schema, list):
            for value in schema:
                close(value)
        return schema

    text = subprocess.run([binary, "schema", kind], check=True, capture_output=True).stdout
    return jsonschema.Draft7Validator(close(json.loads(text)))


def kind_of(document):
    """"result", "plan", or None for anything else."""
    first = document[0] if isinstance(document, list) and document else document
    return KINDS.get(first.get("format")) if isinstance(first, dict) else None


def _causes(error):
    """Of the alternatives of a schema, what is wrong with the one of the command."""
    by_schema = {}
    for cause in error.context:
        by_schema.setdefault(cause.schema_path[0], []).append(cause)
    return min(by_schema.values(), key=len, default=[])


def faults(binary, document):
    """What of a result does not match its schema, as "place: text"."""
    kind = kind_of(document)
    if kind is None:
        return ["it is no result"]
    return ["/".join(map(str, cause.absolute_path)) + ": " + cause.message[:200]
            for error in _validator(str(binary), kind).iter_errors(document)
            for cause in [error, *_causes(error)]]


def main():
    binary, *names = sys.argv[1:]
    wrong = [f"{name}: {fault}" for name in names
             for fault in faults(binary, json.loads(pathlib.Path(name).read_text()))]
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
