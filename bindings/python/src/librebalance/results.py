# SPDX-License-Identifier: MIT
"""What a call returned: rows of the tables of lists/tables.py, column by column, and how tables are shown."""
import datetime
import html
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, TypeVar, Union, overload

from . import times
from ._call import ABSENT, call, decoded, ffi, lib, result
from .fleet import Names

_SIZE = ffi.typeof("size_t *")
Item = TypeVar("Item")


class Result:
    """Rows that a call filled. Columns are read by id: lib.REBAL_DECISION_OUTCOME, or those of lists.tables.COLUMNS.

    It is filled once, and keeps the snapshot of its call alive; its memory is used again once nothing refers to it.
    """

    __slots__ = ("pointer", "names", "_columns")

    def __init__(self, names: Optional[Names] = None) -> None:
        self.pointer = result()
        self.names = names
        self._columns: Dict[int, Tuple[Any, int]] = {}

    def _column(self, column: int) -> Tuple[Any, int]:
        """A column of integers where the result keeps it, and how many there are."""
        found = self._columns.get(column)
        if found is None:
            n = ffi.new(_SIZE)
            values = lib.rebal_result_i64(self.pointer, column, n)
            found = self._columns[column] = (values, n[0] if values else 0)
        return found

    def count(self, table: int) -> int:
        """Number of rows of a table."""
        return int(lib.rebal_result_count(self.pointer, table))

    def integers(self, column: int) -> List[int]:
        """A column of integers, a copy."""
        values, n = self._column(column)
        return list(ffi.unpack(values, n)) if n else []

    def integer(self, column: int, row: int) -> int:
        """One cell of a column of integers; ABSENT where there is none."""
        values, n = self._column(column)
        cell: int = values[row] if row < n else ABSENT
        return cell

    def optional(self, column: int) -> List[Optional[int]]:
        """A column of integers, None where a cell is absent."""
        return [None if value == ABSENT else value for value in self.integers(column)]

    def text(self, column: int, row: int) -> str:
        """One text."""
        length = ffi.new(_SIZE)
        return decoded(lib.rebal_result_text(self.pointer, column, row, length), length[0])

    def texts(self, column: int, table: int) -> List[str]:
        """A column of texts."""
        return [self.text(column, row) for row in range(self.count(table))]

    def time(self, column: int, row: int) -> Optional[datetime.datetime]:
        """One time in UTC; None where it is not set."""
        out = ffi.new("rebal_time *")
        lib.rebal_result_time(self.pointer, column, row, out)
        return times.from_c(out)

    def cluster(self, value: int) -> str:
        """The name of a cluster id, "" where a cell is absent."""
        return "" if value == ABSENT or self.names is None else self.names[value]

    def clusters(self, column: int) -> List[str]:
        """A column of clusters by name, "" where a cell is absent."""
        return [self.cluster(value) for value in self.integers(column)]

    def fingerprint(self) -> str:
        """32 hexadecimal digits: equal for equal calls, on every machine. StateError: the call did not request it."""
        high, low = ffi.new("uint64_t *"), ffi.new("uint64_t *")
        call(lib.rebal_result_fingerprint, self.pointer, high, low)
        return f"{high[0]:016x}{low[0]:016x}"


class Rows(Sequence[Item]):
    """Rows of a table as values, made when they are read. result: its columns."""

    _table = 0
    _what = ""

    def __init__(self, result: Result) -> None:
        self.result = result

    def _item(self, row: int) -> Item:
        raise NotImplementedError

    def _row(self, at: int) -> int:
        row = at + len(self) if at < 0 else at
        if not 0 <= row < len(self):
            raise IndexError(f"there are {len(self)} {self._what}, none is {at}")
        return row

    def __len__(self) -> int:
        return self.result.count(self._table)

    @overload
    def __getitem__(self, at: int) -> Item: ...
    @overload
    def __getitem__(self, at: slice) -> "List[Item]": ...

    def __getitem__(self, at: Union[int, slice]) -> "Union[Item, List[Item]]":
        if isinstance(at, slice):
            return [self._item(row) for row in range(*at.indices(len(self)))]
        return self._item(self._row(at))

    def __iter__(self) -> Iterator[Item]:
        return (self._item(row) for row in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)


def html_table(headings: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """A table for a notebook. Everything is escaped."""
    head = "".join(f"<th>{html.escape(one)}</th>" for one in headings)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(_cell(one))}</td>" for one in row) + "</tr>" for row in rows)
    about = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{about}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    return "" if value is None else str(value)


def targets_text(clusters: Iterable[Any]) -> str:
    """Clusters with replicas for people: "member1:2, member2:1"."""
    return ", ".join(f"{name}:{count}" for name, count in clusters)
