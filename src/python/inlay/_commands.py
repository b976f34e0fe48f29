"""The functions of the package, one for each command of the table that the extension holds."""

import builtins
import inspect
import keyword
import os
import re
import sys
import typing
import warnings

from inlay import _inlay
from inlay._errors import Diagnostic, Error, Infeasible, InputWarning, InternalError, Interrupted
from inlay._inputs import Inputs, texts_of
from inlay._result import Result, schema_from

Progress = typing.Union[typing.Callable[[str], object], bool, None]

_NO_ANSWER, _WRONG_INPUT, _OUR_FAULT, _INTERRUPTED = 1, 2, 3, 130

# What is printed instead of a result: how to give it back.
_PRINTED = {"convert": lambda text: text or None, "schema": schema_from, "report": lambda text: None}


def parameter_name(argument):
    """'BUFFERS.csv' -> 'buffers', 'NAME-or-FILE' -> 'name_or_file', 'IN' -> 'in_'."""
    name = re.sub(r"\W+", "_", argument.split(".")[0]).lower()
    return name + "_" if keyword.iskeyword(name) else name


def _default(option):
    if option["type"] == "flag":
        return False
    if option["type"] in ("integer", "numbers") and option["default"].isdigit():
        return int(option["default"])
    return option["default"] or None


def signature_of(command):
    """How the function is called; without annotations, which the stub has."""
    kind = inspect.Parameter
    parameters = []
    for argument in command["arguments"]:
        name = parameter_name(argument["name"])
        if argument["repeated"]:
            parameters.append(kind(name, kind.VAR_POSITIONAL))
        else:
            default = kind.empty if argument["required"] else None
            parameters.append(kind(name, kind.POSITIONAL_OR_KEYWORD, default=default))
    for option in command["options"]:
        parameters.append(kind(option["key"], kind.KEYWORD_ONLY, default=_default(option)))
    parameters.append(kind("progress", kind.KEYWORD_ONLY, default=None))
    return inspect.Signature(parameters)


def _doc(command):
    """What help() shows."""
    lines = [command["sentence"][:1].upper() + command["sentence"][1:] + ".", ""]
    if command["details"]:
        lines += [command["details"], ""]
    for argument in command["arguments"]:
        lines.append(f"{parameter_name(argument['name'])}: {argument['sentence']}")
    for option in command["options"]:
        choices = f" ({', '.join(option['choices'])})" if option["choices"] else ""
        lines.append(f"{option['key']}: {option['sentence']}{choices}")
    lines.append("progress: a callable that is given a line now and then, or False for silence; "
                 "without it, a line on standard error where that is a terminal")
    return "\n".join(lines)


def _bind(command, signature, args, kwargs):
    """{parameter: value} of what was given; TypeError as of any function, with a suggestion."""
    known = [name for name, parameter in signature.parameters.items()
             if parameter.kind is not inspect.Parameter.VAR_POSITIONAL]
    for name in kwargs:
        if name not in known:
            hint = _inlay.suggestion_hint(name, known)
            raise TypeError(f"{command['name']}() has no keyword '{name}'; {hint}")
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{command['name']}() {error}") from None
    for argument in command["arguments"]:
        name = parameter_name(argument["name"])
        given = bound.arguments.get(name)
        values = given if argument["repeated"] else [given]
        if argument["list"] and values == [[]]:
            values = []
        if argument["required"] and (not values or None in builtins.list(values)):
            raise TypeError(f"{command['name']}() needs {name}: {argument['sentence']}")
    return bound.arguments


def _terminal_line(line):
    sys.stderr.write("\r\x1b[K" + line)
    sys.stderr.flush()


def _listener(progress):
    """What the extension calls with lines of progress, or None."""
    if progress is False:
        return None
    if callable(progress):
        return lambda line: progress(line.rstrip("\n")) if line.strip() else None
    if progress not in (None, True):
        raise TypeError("progress: expected a callable, True or False")
    stream = sys.stderr
    return _terminal_line if stream is not None and stream.isatty() else None


def _diagnostics(outcome):
    """Errors and, apart from them, warnings."""
    errors, warned = [], []
    for entry in outcome["diagnostics"]:
        diagnostic = Diagnostic(**entry)
        (warned if diagnostic.severity == "warning" else errors).append(diagnostic)
    return errors, warned


def _finish(command, outcome):
    """The value of the call, or its exception."""
    errors, warned = _diagnostics(outcome)
    for warning in warned:
        warnings.warn(InputWarning(str(warning)), stacklevel=4)
    result = Result(outcome["files"], tuple(warned)) if outcome["files"] else None
    raised, code = outcome["raised"], outcome["code"]
    if isinstance(raised, KeyboardInterrupt):
        raise Interrupted(result) from None
    if raised is not None:
        raise raised
    if code == _NO_ANSWER:
        raise Infeasible(errors, result)
    if code == _OUR_FAULT:
        raise InternalError(errors)
    if code == _WRONG_INPUT:
        raise Error(errors)
    if result is not None:
        return result
    return _PRINTED.get(command["name"], str)(outcome["printed"])


def _call(command, signature, args, kwargs):
    given = _bind(command, signature, args, kwargs)
    listener = _listener(given.pop("progress", None))
    inputs = Inputs()
    arguments = []
    for argument in command["arguments"]:
        name = parameter_name(argument["name"])
        suffix = os.path.splitext(argument["name"])[1] or ".yaml"
        if given.get(name) is None:
            continue
        is_list = argument["list"] and isinstance(given[name], (builtins.list, tuple))
        values = given[name] if argument["repeated"] or is_list else [given[name]]
        arguments += [inputs.text(name, value, suffix) for value in values]
    options = []
    for option in command["options"]:
        if given.get(option["key"]) is not None:
            options += [(option["key"], text)
                        for text in texts_of(option, given[option["key"]], inputs)]
    return _finish(command, _inlay.run(command["name"], arguments, options, inputs.files, listener))


def _function(command):
    signature = signature_of(command)

    def function(*args, **kwargs):
        return _call(command, signature, args, kwargs)

    function.__name__ = function.__qualname__ = command["name"]
    function.__module__ = "inlay"
    function.__doc__ = _doc(command)
    function.__signature__ = signature
    return function


def functions():
    """{name: function} of all commands."""
    return builtins.dict((command["name"], _function(command)) for command in _inlay.commands())
