"""Fits neural networks into the on-chip memories of accelerators.

The functions are the commands of the command line, with keyword arguments for their options:

    >>> import inlay
    >>> best = inlay.map("resnet50/conv2_1_3x3", arch="eyeriss")
    >>> best.layers[0].certificate.status
    'optimal'

An input is the name of a built-in (`inlay.list()`), a path, a YAML text or a dict.
"""

from inlay import _commands
from inlay._errors import Diagnostic, Error, Infeasible, InputWarning, InternalError, Interrupted
from inlay._inlay import version as __version__
from inlay._result import Record, Result, load

# The names of some commands (map, eval, list) are those of built-in functions: they are no part of
# `from inlay import *`.
__all__ = ["Diagnostic", "Error", "Infeasible", "InputWarning", "InternalError", "Interrupted",
           "Record", "Result", "load"]

globals().update(_commands.functions())
