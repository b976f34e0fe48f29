"""What a caller gives, as the texts that the options of a command take."""

import collections.abc
import datetime
import json
import os
import tempfile

from inlay._result import Result


class Inputs:
    """Turns inputs into names and paths. Texts and dicts become files of a folder that lives as long
    as the call. Messages and results do not show its path: they name such a file by the keyword
    that it was given for."""

    def __init__(self):
        self._folder = None
        self._names = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._folder is not None:
            self._folder.cleanup()

    def text(self, keyword, value, suffix=".yaml"):
        """A name or path as it is; a text of several lines, a mapping or a result as the path of a
        file or folder."""
        if isinstance(value, Result):
            path = self._path(keyword, "")
            value.save(path)
            return path
        if isinstance(value, collections.abc.Mapping):
            return self._write(keyword, suffix, json.dumps(value, indent=1) + "\n")
        if isinstance(value, os.PathLike):
            value = os.fspath(value)
        if not isinstance(value, str):
            raise TypeError(f"{keyword}: expected a name, a path, a YAML text, a dict or a result, "
                            f"not {type(value).__name__}")
        return self._write(keyword, suffix, value) if "\n" in value else value

    def hide_folder(self, text):
        """A text without the path of the folder."""
        return text.replace(self._folder.name + "/", "") if self._folder is not None else text

    def hide_folder_in(self, path):
        """The same of a file that was written."""
        if self._folder is None:
            return
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.hide_folder(text))

    def _path(self, keyword, suffix):
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="inlay-")
        self._names.append(keyword)
        count = self._names.count(keyword)
        name = keyword if count == 1 else f"{keyword}-{count}"
        return os.path.join(self._folder.name, name + suffix)

    def _write(self, keyword, suffix, content):
        path = self._path(keyword, suffix)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        return path


def _wrong(option, expected, value):
    return TypeError(f"{option['key']}: expected {expected}, not {value!r}")


def _flag(option, value, _):
    if not isinstance(value, bool):
        raise _wrong(option, "True or False", value)
    return [""] if value else []


def _integer(option, value, _):
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise _wrong(option, "a whole number", value)
    return [str(value.__index__())]


def _text(option, value, inputs):
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return [format(value, ".17g") if isinstance(value, float) else str(value)]
    if isinstance(value, (list, tuple)):
        return _choices(option, value, inputs)
    return [inputs.text(option["key"], value)]


def _choice(option, value, _):
    if not isinstance(value, str):
        raise _wrong(option, "a text", value)
    return [value]


def _choices(option, value, _):
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, (list, tuple)) or not all(isinstance(word, str) for word in words):
        raise _wrong(option, "a text or a list of texts", value)
    return [",".join(words)]


def _duration(option, value, _):
    if isinstance(value, datetime.timedelta):
        value = value.total_seconds()
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return [f"{value:f}s"]
    if not isinstance(value, str):
        raise _wrong(option, "seconds, a text such as '5min' or a timedelta", value)
    return [value]


def _assignments(option, value, _):
    if not isinstance(value, collections.abc.Mapping):
        raise _wrong(option, "a dict such as {'batch': 8}", value)
    return [f"{name}={number}" for name, number in value.items()]


_CONVERTERS = {"flag": _flag, "integer": _integer, "text": _text, "choice": _choice,
               "choices": _choices, "duration": _duration, "assignments": _assignments}


def texts_of(option, value, inputs):
    """The texts of an option as a user would write them: one, but for flags and assignments.
    TypeError where the value is of a kind that the option cannot take."""
    return _CONVERTERS[option["type"]](option, value, inputs)
