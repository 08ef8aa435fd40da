# SPDX-License-Identifier: MIT
"""How C is called: one way to call, to fail, to own an object and to pass text. Everything else builds on this.

cffi releases the GIL during every call. Contexts (rebal_ctx) belong to a thread: context() gives that of this one.
"""
import threading
from types import TracebackType
from typing import Any, Callable, List, Optional, Tuple, Type, TypeVar, Union

from ._native import ffi, lib
from .lists.errors import EXCEPTIONS, InvalidArgumentError, OutOfRangeError, RebalanceError, StateError

NULL = ffi.NULL
NONE: int = lib.REBAL_NONE
ABSENT: int = lib.REBAL_ABSENT

Self = TypeVar("Self", bound="Handle")


class _PerThread(threading.local):
    """What each thread has of its own: the structure that errors come in, and a context."""

    def __init__(self) -> None:
        self.error = ffi.new("rebal_error *", {"struct_size": ffi.sizeof("rebal_error")})
        self.context: Any = None
        self.builder: Any = None


_mine = _PerThread()


def _text_of(chars: Any) -> str:
    text: str = ffi.string(chars).decode("utf-8", "replace")
    return text


def failure(code: int, error: Any) -> RebalanceError:
    """The exception for a code and what the library wrote about it."""
    kind = EXCEPTIONS.get(code, RebalanceError)
    message = _text_of(error.message) or _text_of(lib.rebal_strerror(code))
    return kind(message, field=_text_of(error.field), document=error.document, line=error.line, column=error.column,
                where=error.where, code=code)


def call(function: Callable[..., int], *arguments: Any) -> None:
    """Calls a function that ends with a rebal_error: raises its error. A number that no C type of the parameter
    holds is an OutOfRangeError, too."""
    error = _mine.error
    try:
        code = function(*arguments, error)
    except OverflowError as overflow:
        raise OutOfRangeError(str(overflow)) from None
    if code:
        raise failure(code, error)


def make(kind: str, function: Callable[..., int], *arguments: Any, keep: Tuple[Any, ...] = ()) -> Any:
    """The object that a function returns by its last parameter before the error: a rebal_<kind> that is freed with its
    last reference. keep: what must outlive it."""
    out = ffi.new(f"rebal_{kind} **")
    call(function, *arguments, out)
    return own(kind, out[0], keep=keep)


def own(kind: str, pointer: Any, free: Optional[Callable[[Any], None]] = None, keep: Tuple[Any, ...] = ()) -> Any:
    """A pointer that is freed with its last reference, and what must outlive it after that."""
    release = free or getattr(lib, f"rebal_{kind}_free")
    if not keep:
        return ffi.gc(pointer, release)
    return ffi.gc(pointer, lambda gone, kept=keep: release(gone))


def options(kind: str, **members: Any) -> Any:
    """A structure rebal_<kind> that begins with its size. What it points to must be kept by the caller."""
    name = f"rebal_{kind}"
    try:
        return ffi.new(f"{name} *", {"struct_size": ffi.sizeof(name), **members})
    except OverflowError as overflow:
        raise OutOfRangeError(f"{name}: {overflow}") from None


def encoded(text: Union[str, bytes], what: str = "text") -> bytes:
    """UTF-8 of a text. Anything else is a TypeError that names what was expected."""
    if isinstance(text, str):
        return text.encode()
    if isinstance(text, (bytes, bytearray, memoryview)):
        return bytes(text)
    raise TypeError(f"{what} must be str, not {type(text).__name__}")


def decoded(pointer: Any, length: Optional[Any] = None) -> str:
    """A text that the library returned."""
    if length is None:
        return _text_of(pointer) if pointer else ""
    text: str = ffi.unpack(pointer, length).decode("utf-8", "replace") if length else ""
    return text


def buffered(function: Callable[..., int], *arguments: Any) -> str:
    """A text that a function writes into a buffer (rules of rebal_quantity_format())."""
    length = ffi.new("size_t *")
    code = function(*arguments, NULL, 0, length, _mine.error)
    if code and code != lib.REBAL_ERANGE:
        raise failure(code, _mine.error)
    buffer = ffi.new("char[]", length[0] + 1)
    call(function, *arguments, buffer, length[0] + 1, length)
    return decoded(buffer, length[0])


def written(function: Callable[..., int], *arguments: Any) -> str:
    """A text that a function appends to the rebal_text before its error."""
    text = make("text", lib.rebal_text_new)
    call(function, *arguments, text)
    return bytes_of(text)


def saved_by(function: Callable[..., int], *arguments: Any) -> bytes:
    """What a function such as rebal_fleet_save() writes into a buffer."""
    length = ffi.new("size_t *")
    function(*arguments, NULL, 0, length, NULL)
    buffer = ffi.new("char[]", max(length[0], 1))
    call(function, *arguments, buffer, length[0], length)
    return bytes(ffi.buffer(buffer, length[0]))


def bytes_of(text: Any) -> str:
    """What a rebal_text holds."""
    length = ffi.new("size_t *")
    return decoded(lib.rebal_text_bytes(text, length), length[0])


def context() -> Any:
    """The rebal_ctx of this thread: scratch memory, and what was derived from snapshots."""
    if _mine.context is None:
        _mine.context = make("ctx", lib.rebal_ctx_new, NULL, NULL)
    return _mine.context


def clear_cache() -> None:
    """Drops what the calls of this thread derived from snapshots, which they keep for the next ones: up to 64 MiB for
    each thread; and the memory of results that nothing refers to any more, two of which are kept to be filled again.
    Answers do not depend on it."""
    if _mine.context is not None:
        lib.rebal_ctx_clear(_mine.context)
    while _idle:
        lib.rebal_result_free(_idle.pop())


#: Empty results: their memory makes the next call faster, one of 100,000 bindings by half.
_idle: List[Any] = []
_RESULT = ffi.typeof("rebal_result **")


def result() -> Any:
    """An empty rebal_result. With its last reference, which any view of its memory holds, it can be filled again."""
    try:
        pointer = _idle.pop()
    except IndexError:
        out = ffi.new(_RESULT)
        call(lib.rebal_result_new, NULL, out)
        pointer = out[0]
    return ffi.gc(pointer, _give_back)


def _give_back(pointer: Any) -> None:
    if len(_idle) < 2:
        lib.rebal_result_reset(pointer)
        _idle.append(pointer)
    else:
        lib.rebal_result_free(pointer)


def builder() -> Any:
    """The rebal_builder of this thread. A record of it lives until it makes the next one."""
    if _mine.builder is None:
        _mine.builder = make("builder", lib.rebal_builder_new, NULL)
    return _mine.builder


def integer(value: Any, what: str) -> int:
    """An integer; no float or text is taken for one."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{what} must be int, not {type(value).__name__}")
    return int(value.__index__())


def int32(value: Any, what: str) -> int:
    """An integer within int32."""
    number = integer(value, what)
    if not -(2**31) <= number < 2**31:
        raise OutOfRangeError(f"{what}: {number} is not within int32", field=what)
    return number


def int64(value: Any, what: str) -> int:
    """An integer within int64."""
    number = integer(value, what)
    if not -(2**63) <= number < 2**63:
        raise OutOfRangeError(f"{what}: {number} is not within int64", field=what)
    return number


class Handle:
    """An object of the library. It is freed when nothing refers to it any more; close() ends its use before that.

    It is used by one thread at a time: a call while another thread is within one is a StateError, not a crash.
    """

    def __init__(self, pointer: Any) -> None:
        self._held: Any = pointer
        self._lock = threading.Lock()

    @property
    def _pointer(self) -> Any:
        if self._held is None:
            raise StateError(f"this {type(self).__name__} is closed")
        return self._held

    @property
    def closed(self) -> bool:
        """Was close() called?"""
        return self._held is None

    def close(self) -> None:
        """Ends the use of the object; what was made from it stays valid."""
        self._held = None

    def __enter__(self: Self) -> Self:
        self._pointer
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def _alone(self) -> "Alone":
        """with self._alone() as pointer: no other thread is within a call of this object."""
        return Alone(self)


class Alone:
    """Keeps other threads out of an object for the time of a call."""

    __slots__ = ("_handle",)

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def __enter__(self) -> Any:
        pointer = self._handle._pointer
        if not self._handle._lock.acquire(blocking=False):
            raise StateError(f"this {type(self._handle).__name__} is in use by another thread; each object is used by "
                             "one thread at a time")
        return pointer

    def __exit__(self, *_: Any) -> None:
        self._handle._lock.release()


def version() -> str:
    """The version of the library that is linked, such as "0.1.0"."""
    return decoded(lib.rebal_version())


def check_abi() -> None:
    """Raises ImportError where the library at run time is not the one that the headers belong to."""
    built = (lib.REBAL_VERSION_MAJOR, lib.REBAL_VERSION_MINOR)
    found = tuple(int(part) for part in version().split(".")[:2])
    if found < built:
        raise ImportError(f"librebalance {version()} is older than {built[0]}.{built[1]}, with which this package was "
                          "built")


def enum_text(number: int, value: int) -> str:
    """The text of an enumerator, as rebalancectl prints it."""
    return decoded(lib.rebal_enum_name(number, value, NULL))


def pair(name: Union[str, bytes], what: str) -> Tuple[bytes, int]:
    """Pointer and length of a text, as arguments."""
    text = encoded(name, what)
    return text, len(text)


__all__ = ["ABSENT", "InvalidArgumentError", "NONE", "NULL", "Handle", "call", "ffi", "lib", "make"]
