# SPDX-License-Identifier: MIT
# Made by generate.py from include/rebalance/codes.def.
"""An exception for each error code."""
from typing import Dict, Optional, Type


class RebalanceError(Exception):
    """A failure of a call of the library.

    code: REBAL_E*; field: path of the field such as spec.replicas, or ""; document, line, column: place in a text,
    counted from 1, 0 where no text was read; where: row, id or byte offset that the message speaks of, or -1.
    """

    code = 0

    def __init__(self, message: str, *, field: str = "", document: int = 0, line: int = 0, column: int = 0,
                 where: int = -1, code: Optional[int] = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.document = document
        self.line = line
        self.column = column
        self.where = where
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        place = f"document {self.document}, line {self.line}, column {self.column}: " if self.line else ""
        field = f"{self.field}: " if self.field and self.field not in self.message else ""
        return f"{place}{field}{self.message}"

    def __reduce__(self) -> "tuple[object, ...]":
        return (_again, (type(self), self.message, self.__dict__))


def _again(kind: Type[RebalanceError], message: str, state: "dict[str, object]") -> RebalanceError:
    error = kind(message)
    error.__dict__.update(state)
    return error


class InvalidArgumentError(RebalanceError, ValueError):
    """REBAL_EINVAL: invalid argument."""

    code = -1


class OutOfMemoryError(RebalanceError, MemoryError):
    """REBAL_ENOMEM: out of memory."""

    code = -2


class AbiError(RebalanceError):
    """REBAL_EABI: structure size is not supported."""

    code = -3


class StateError(RebalanceError):
    """REBAL_ESTATE: call not allowed in this state."""

    code = -4


class LimitError(RebalanceError):
    """REBAL_ELIMIT: a limit was exceeded."""

    code = -5


class UnsupportedError(RebalanceError):
    """REBAL_EUNSUPPORTED: not supported by this version of the library."""

    code = -6


class ParseError(RebalanceError, ValueError):
    """REBAL_EPARSE: text is malformed."""

    code = -7


class NotFoundError(RebalanceError, LookupError):
    """REBAL_ENOTFOUND: no such object."""

    code = -8


class ExistsError(RebalanceError):
    """REBAL_EEXIST: object already exists."""

    code = -9


class OutOfRangeError(RebalanceError, ValueError):
    """REBAL_ERANGE: value out of range."""

    code = -10


class MismatchError(RebalanceError):
    """REBAL_EMISMATCH: objects do not belong together."""

    code = -11


class TryAgainError(RebalanceError):
    """REBAL_EAGAIN: failed for now; try again later."""

    code = -12


#: The exception of each code.
EXCEPTIONS: Dict[int, Type[RebalanceError]] = {
    -1: InvalidArgumentError,
    -2: OutOfMemoryError,
    -3: AbiError,
    -4: StateError,
    -5: LimitError,
    -6: UnsupportedError,
    -7: ParseError,
    -8: NotFoundError,
    -9: ExistsError,
    -10: OutOfRangeError,
    -11: MismatchError,
    -12: TryAgainError,
}
