# SPDX-License-Identifier: MIT
"""Feature gates and known behaviour of the reference: which answers are wanted (rebalance-compat(7))."""
from typing import Any, Dict, Optional, Tuple, Union

from ._call import NULL, call, enum_text, ffi, lib, make, pair
from .lists import NUMBERS, Level, Option
from .lists.errors import NotFoundError

#: Options as functions take them: None is every default, a text the name of a level such as "karmada-1.19".
OptionsLike = Union["Options", str, None]


class Options:
    """All options at a level, then those named: Options("karmada-1.19", partial_placement=True).

    level: "default", "karmada-1.19" or "repaired". Names are those of lists.Option in lower case. It does not change
    and may be used by any number of threads. NotFoundError: no such level; TypeError: no such option.
    """

    def __init__(self, level: str = "default", **values: bool) -> None:
        self._pointer = make("compat", lib.rebal_compat_new, NULL)
        self._made_from: Tuple[str, Dict[str, bool]] = (level, dict(values))
        try:
            call(lib.rebal_compat_set_level, self._pointer, *pair(level, "level"))
        except NotFoundError:
            known = ", ".join(enum_text(NUMBERS["Level"], one) for one in Level)
            raise NotFoundError(f"there is no such level {level!r}; the levels are {known}") from None
        for name, value in values.items():
            option = Option.__members__.get(name.upper())
            if option is None:
                raise TypeError(f"no option {name}; see librebalance.lists.Option")
            if value not in (0, 1):
                raise TypeError(f"{name} must be bool, not {value!r}")
            call(lib.rebal_compat_set, self._pointer, int(option), int(value))

    def __getitem__(self, option: Option) -> bool:
        """The value of an option."""
        out = ffi.new("int64_t *")
        call(lib.rebal_compat_get, self._pointer, int(option), out)
        return bool(out[0])

    def __reduce__(self) -> "tuple[object, ...]":
        return (_options, self._made_from)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Options) and all(self[option] == other[option] for option in Option)

    def __hash__(self) -> int:
        return hash(tuple(self[option] for option in Option))

    def __repr__(self) -> str:
        level, values = self._made_from
        return f"Options({', '.join([repr(level), *(f'{name}={value}' for name, value in values.items())])})"


def _options(level: str, values: Dict[str, bool]) -> Options:
    return Options(level, **values)


def pointer_of(options: OptionsLike) -> Tuple[Any, Optional[Options]]:
    """A rebal_compat and what keeps it."""
    if options is None:
        return NULL, None
    kept = Options(options) if isinstance(options, str) else options
    if not isinstance(kept, Options):
        raise TypeError(f"options must be Options, a level or None, not {type(options).__name__}")
    return kept._pointer, kept
