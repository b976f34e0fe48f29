"""What goes wrong, as exceptions."""

import typing


class Diagnostic(typing.NamedTuple):
    """One sentence about an input. Lines and columns count from 1; 0: the file as a whole."""

    severity: str  # "error" or "warning"
    file: str  # "" where it is about no file
    line: int
    column: int
    message: str
    hint: str  # "", or what to do about it
    text: str  # all of it, with the line of the file and a caret below the column

    def __str__(self) -> str:
        return self.text.rstrip("\n")


class Error(Exception):
    """Something is wrong with what was asked: everything at once in `diagnostics`."""

    def __init__(self, diagnostics=()):
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(str(diagnostic) for diagnostic in self.diagnostics))


class Infeasible(Error):
    """There is no answer, or not for every layer; `result` is what there is, or None."""

    def __init__(self, diagnostics=(), result=None):
        super().__init__(diagnostics)
        self.result = result


class InternalError(Error):
    """A fault of Inlay."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C; `result` is the best so far, or None."""

    def __init__(self, result=None):
        super().__init__("interrupted" + (", with the best so far in .result" if result else ""))
        self.result = result


class InputWarning(UserWarning):
    """What an input should not say, though it can be read."""


for _each in (Diagnostic, Error, Infeasible, InternalError, Interrupted, InputWarning):
    _each.__module__ = "inlay"  # where people find them
