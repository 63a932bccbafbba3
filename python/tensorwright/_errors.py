"""The exceptions and warnings of the package."""

from __future__ import annotations

import builtins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


class Error(Exception):
    """What all errors of the package are: a message with what is known about it.

    Attributes:
        code: such as "T0104", which `tensorwright.explain` tells more about; "" if there is none.
        message: without place and remedy.
        file, line, column: where in a program or model, or "" and 0.
        node: name of the model's node, or "".
        excerpt: the line of a text and below it a caret, or "".
        remedy: what to change.
        notes: further errors and notes of the same compilation, as text.

    >>> import tensorwright as tw
    >>> try:
    ...     tw.compile("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { %y = tgraph.rleu %x : tensor<4xf32> }")
    ... except tw.Error as error:
    ...     print(error.code, error.line, error.column)
    T0514 1 60
    """

    def __init__(
        self,
        message: str = "",
        *,
        code: str = "",
        file: str = "",
        line: int = 0,
        column: int = 0,
        node: str = "",
        excerpt: str = "",
        remedy: str = "",
        notes: Iterable[str] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.file = file
        self.line = line
        self.column = column
        self.node = node
        self.excerpt = excerpt
        self.remedy = remedy
        self.notes = tuple(notes)

    def __str__(self) -> str:
        text = ""
        if self.file:
            text += f"{self.file}:{self.line}:{self.column}: " if self.line else f"{self.file}: "
        if self.node and not self.message.startswith(f"node '{self.node}'"):
            text += f"node '{self.node}': "
        text += self.message
        if self.code:
            text += f" [{self.code}]"
        for part in (self.excerpt.rstrip("\n"), *self.notes, self.remedy):
            if part:
                text += "\n" + part
        return text

    def __reduce__(self) -> tuple[Any, ...]:
        return (_remake, (type(self), self.args, self.__dict__))


def _remake(kind: type[Error], arguments: tuple[Any, ...], state: dict[str, Any]) -> Error:
    error = kind(*arguments)
    error.__dict__.update(state)
    return error


class CompileError(Error):
    """The program or model is malformed or meaningless, or the compiler is wrong."""


class UnsupportedError(Error, NotImplementedError):
    """Sound, but not something that this release or target can do."""


class ArgumentError(Error, ValueError):
    """An argument that does not fit: another type, shape, name or option than is expected."""


class FileError(Error, OSError):
    """A file that is missing, or cannot be read or written."""


class ModuleError(Error, ValueError):
    """A module that is damaged, cut, or of another format version."""


class DeviceError(Error, RuntimeError):
    """A device that is not there, or lacks what the module needs."""


class RunError(Error, RuntimeError):
    """A run that failed: a driver, a lost device, or a loop without end."""


class OutOfMemoryError(Error, MemoryError):
    """No memory for a module, a buffer or a run."""


class TimeoutError(Error, builtins.TimeoutError):
    """A run that takes longer than it was waited for. It goes on."""


class CompilerMissingError(Error, ImportError):
    """The compiler's library is not installed: modules run without it."""


class CompileWarning(UserWarning):
    """What the compiler warns of."""


class FallbackWarning(UserWarning):
    """An op of a graph of torch that has no form here, and is left to torch."""


class CopyWarning(UserWarning):
    """An argument had to be copied, since it is strided or not aligned."""
