"""Results as objects: attributes of what result.json holds, tables, and how to show them."""

import builtins
import json
import os
import pathlib

from inlay import _html, _inlay
from inlay._errors import Diagnostic, Error

FORMAT = "inlay/result/1"

# The list of records that a result is about: the first that it has.
_TABLES = ("layers", "architectures", "policies", "points", "builtins", "levels", "residencies")


class Record(dict):
    """An object of result.json: a dict whose keys are attributes, too. Keys that are no names, or
    are those of methods, are reached by [...] alone."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            keys = [key for key in self if isinstance(key, str)]
            hint = _inlay.suggestion_hint(name, keys)
            raise AttributeError(f"there is no '{name}'; {hint}") from None

    def __dir__(self):
        return builtins.list(super().__dir__()) + [key for key in self if key.isidentifier()]


def schema_from(text):
    """A JSON Schema as a dict."""
    return json.loads(text)


def _flatten(record, prefix=""):
    """{'cost.cycles': 5, …}: the scalars of a record and of the records in it; no lists."""
    row = {}
    for key, value in record.items():
        if isinstance(value, dict):
            row.update(_flatten(value, prefix + key + "."))
        elif not isinstance(value, builtins.list):
            row[prefix + key] = value
    return row


def _rows_of(records):
    """A row for every record; where a record has tensors, a row for each of them."""
    rows = []
    for record in records:
        if not isinstance(record, dict):
            rows.append({"value": record})
        elif isinstance(record.get("tensors"), dict):
            rows += [{"level": record["name"], "tensor": name, **_flatten(tensor)}
                     for name, tensor in record["tensors"].items()]
        else:
            rows.append(_flatten(record))
    return rows


class Result:
    """What a command has found out. The keys of result.json are attributes:

        best.total.energy_pj, best.layers[0].mapping

    A result of several semantics (eval) is a sequence of results."""

    def __init__(self, files, warnings=()):
        self._files = builtins.list(files)  # result.json, then summary.txt, then others
        self._data = json.loads(self._files[0][1], object_hook=Record)
        self.warnings = warnings

    def to_dict(self):
        """What result.json holds, as plain dicts and lists."""
        return json.loads(self.to_json())

    def to_json(self):
        """The text of result.json."""
        return self._files[0][1]

    @property
    def summary(self):
        """The text that the command prints."""
        return dict(self._files).get("summary.txt", "")

    @property
    def files(self):
        """{name: text} of everything that save writes: mapping.yaml, plan.json, …"""
        return dict(self._files)

    def save(self, folder):
        """Writes the files into a folder, which must be new or empty."""
        message = _inlay.save(os.fspath(folder), self._files)
        if message:
            raise Error([Diagnostic("error", os.fspath(folder), 0, 0,
                                    message.splitlines()[0].rpartition("error: ")[2], "", message)])

    def rows(self, table=None):
        """The rows of a table as flat dicts: of the list that the result is about (the layers of a
        mapping, the levels × tensors of an evaluation, …), or of the list of that name."""
        if isinstance(self._data, builtins.list):
            return [{"semantics": data.get("semantics"), **row} for data in self._data
                    for row in _rows_of(data.get(table or "levels", []))]
        if table is not None:
            value = getattr(self, table)
            if isinstance(value, dict):
                value = [{"name": key, **(each if isinstance(each, dict) else {"value": each})}
                         for key, each in value.items()]
            return _rows_of(value)
        for name in _TABLES:
            if name in self._data:
                return _rows_of(self._data[name])
        return [_flatten(self._data)]

    def to_pandas(self, table=None):
        """The rows of a table as a pandas.DataFrame."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_pandas needs pandas, which is not installed; "
                              "rows() gives the same as a list of dicts") from None
        return pandas.DataFrame(self.rows(table))

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if isinstance(self._data, builtins.list):
            raise AttributeError(f"a result of several semantics has no '{name}'; take one of "
                                 "them: result[0]")
        return getattr(self._data, name)

    def __getitem__(self, key):
        return self._data[key]

    def __len__(self):
        return len(self._data)

    def __iter__(self):
        return iter(self._data)

    def __bool__(self):
        return True

    def __dir__(self):
        names = builtins.list(super().__dir__())
        return names + dir(self._data) if isinstance(self._data, Record) else names

    def __eq__(self, other):
        return isinstance(other, Result) and self._data == other._data

    __hash__ = None

    def __str__(self):
        return self.summary

    def __repr__(self):
        return f"<inlay.Result: {_html.title(self._data)}>"

    def _repr_html_(self):
        return _html.page(self._data, self.rows(), self.summary)


def _refuse(path, message, hint):
    text = f"{path}: error: {message}\n  hint: {hint}\n"
    raise Error([Diagnostic("error", str(path), 0, 0, message, hint, text)])


def load(path):
    """A result that was saved: result.json, or the folder that holds it."""
    path = pathlib.Path(path)
    file = path / "result.json" if path.is_dir() else path
    try:
        text = file.read_text(encoding="utf-8")
        data = json.loads(text)
    except (OSError, ValueError) as error:
        _refuse(file, f"this cannot be read: {error}",
                "give a result.json or the folder that holds it")
    for each in data if isinstance(data, builtins.list) else [data]:
        form = each.get("format") if isinstance(each, dict) else None
        if form != FORMAT:
            _refuse(file, f"this is no result of the format {FORMAT}",
                    "results are written by save() and by 'inlay COMMAND -o DIR'")
    files = [("result.json", text)]
    if path.is_dir():  # else, whatever lies beside a file of any name is not its own
        others = sorted(other for other in path.rglob("*") if other.is_file() and other != file)
        others.sort(key=lambda other: other.name != "summary.txt")
        for other in others:
            try:
                files.append((other.relative_to(path).as_posix(),
                              other.read_text(encoding="utf-8")))
            except (OSError, UnicodeDecodeError):
                continue  # not text, such as a picture that a user added: no file that Inlay writes
    return Result(files)


for _each in (Record, Result, load):
    _each.__module__ = "inlay"  # where people find them
