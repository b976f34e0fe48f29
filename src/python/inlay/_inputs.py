"""What a caller gives, as the texts that the options of a command take."""

import collections.abc
import datetime
import json
import os

from inlay._result import Result


class Inputs:
    """Turns inputs into names and paths. Texts and dicts become files in memory, `files`, which the
    command reads like others. They are called by the keyword that they were given for."""

    def __init__(self):
        self.files = {}  # {name: text}
        self._names = []
        self._given = set()  # paths

    def text(self, keyword, value, suffix=".yaml"):
        """A name or path as it is; a text of several lines, a mapping or a result as the name of a
        file or folder in memory."""
        if isinstance(value, Result):
            folder = self._name(keyword, "")
            self.files.update({f"{folder}/{name}": text for name, text in value.files.items()})
            return folder
        if isinstance(value, collections.abc.Mapping):
            return self._add(keyword, suffix, json.dumps(value, indent=1) + "\n")
        if isinstance(value, os.PathLike):
            value = os.fspath(value)
        if not isinstance(value, str):
            raise TypeError(f"{keyword}: expected a name, a path, a YAML text, a dict or a result, "
                            f"not {type(value).__name__}")
        if "\n" in value:
            return self._add(keyword, suffix, value)
        self._given.add(value)
        return "./" + value if value in self.files else value

    def _name(self, keyword, suffix):
        """One that neither another input nor a path that was given has."""
        while True:
            self._names.append(keyword)
            count = self._names.count(keyword)
            name = (keyword if count == 1 else f"{keyword}-{count}") + suffix
            if name not in self._given:
                return name

    def _add(self, keyword, suffix, content):
        name = self._name(keyword, suffix)
        self.files[name] = content
        return name


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


def _numbers(option, value, inputs):
    if isinstance(value, str):
        return [value]
    if isinstance(value, collections.abc.Mapping):
        return [",".join(_assignments(option, value, inputs))]
    return _integer(option, value, inputs)


def _settings(option, value, _):
    if not isinstance(value, collections.abc.Mapping):
        raise _wrong(option, "a dict such as {'tokens': 256}", value)
    return [f"{name}={str(one).lower() if isinstance(one, bool) else one}"
            for name, one in value.items()]


def _texts(option, value, inputs):
    values = value if isinstance(value, (list, tuple)) else [value]
    return [inputs.text(option["key"], one) for one in values]


_CONVERTERS = {"flag": _flag, "integer": _integer, "text": _text, "choice": _choice,
               "choices": _choices, "duration": _duration, "assignments": _assignments,
               "numbers": _numbers, "settings": _settings, "texts": _texts}


def texts_of(option, value, inputs):
    """The texts of an option as a user would write them: one, but for flags and what may be given
    again.
    TypeError where the value is of a kind that the option cannot take."""
    return _CONVERTERS[option["type"]](option, value, inputs)
