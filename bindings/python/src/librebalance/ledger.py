# SPDX-License-Identifier: MIT
"""Spent capacity: what was promised and is not yet seen in the clusters' summaries."""
import contextlib
import datetime
from dataclasses import dataclass
from typing import Any, ContextManager, List, Mapping, Optional, Sequence, Tuple, Union

from . import records, times
from ._call import ABSENT, NONE, NULL, Handle, call, ffi, int32, lib, make, options, pair
from .bindings import Bindings
from .fleet import Fleet, loaded, saved
from .lists.errors import NotFoundError
from .results import Result
from .times import Time


@dataclass(frozen=True)
class Spent:
    """Replicas of one component of a binding that a cluster holds, until expiry (None: for ever)."""

    key: str
    cluster: str
    component: int
    replicas: int
    expiry: Optional[datetime.datetime]


class Ledger(Handle):
    """What bindings of a fleet hold by key ("namespace/name") and cluster. schedule(..., ledger=ledger) charges it, so
    that each binding sees what those before it were given. One thread at a time."""

    def __init__(self, fleet: Fleet) -> None:
        if not isinstance(fleet, Fleet):
            raise TypeError(f"expected a Fleet, not {type(fleet).__name__}")
        with fleet._busy:
            super().__init__(make("ledger", lib.rebal_ledger_new, fleet._pointer, NULL))
        self._fleet = fleet

    def charge(self, key: str, cluster: str, components: Sequence[Tuple[int, Optional[Mapping[str, Any]]]],
               expiry: Optional[Time] = None) -> None:
        """Replaces what a binding holds in a cluster: replicas and spec.replicaRequirements of each component; a
        workload of one pod template has one. No replicas at all remove the entry.

        OutOfRangeError: negative replicas, or an expiry outside the years 1 to 9999."""
        fleet = self._fleet
        with fleet._busy:
            handles = ffi.new("uint32_t[]", [self._intern(needs) for _, needs in components])
            counts = ffi.new("int32_t[]", [int32(count, "replicas") for count, _ in components])
            until = to_expiry(expiry)
            charge = options("charge", cluster=fleet._id(cluster), requirements=handles, replicas=counts,
                             n=len(components), expiry=until)
            fleet._frozen = None
            with self._alone() as ledger:
                call(lib.rebal_ledger_charge, ledger, *pair(key, "key"), charge)

    def _intern(self, needs: Optional[Mapping[str, Any]]) -> int:
        if needs is None:
            return NONE
        out = ffi.new("uint32_t *")
        call(lib.rebal_fleet_intern, self._fleet._pointer, records.build("REQUIREMENTS", needs), out)
        return int(out[0])

    def release(self, key: str, cluster: Optional[str] = None) -> None:
        """Drops what a binding holds, in one cluster or in all of them."""
        row = NONE if cluster is None else self._fleet._id(cluster)
        with self._alone() as ledger:
            call(lib.rebal_ledger_release, ledger, *pair(key, "key"), row)

    def expire(self, now: Time) -> None:
        """Drops every binding whose expiry is before now."""
        with self._alone() as ledger:
            call(lib.rebal_ledger_expire, ledger, times.to_c(now))

    def fork(self) -> "Ledger":
        """An independent copy, for a preview."""
        with self._alone() as ledger:
            return Ledger._own(self._fleet, make("ledger", lib.rebal_ledger_fork, ledger))

    def read(self) -> List[Spent]:
        """What is held, by key, then by the cluster's name."""
        result = Result(self._fleet._names)
        with self._alone() as ledger:
            call(lib.rebal_ledger_read, ledger, result.pointer)
        rows = range(result.count(lib.REBAL_TABLE_SPENT))
        return [Spent(result.text(lib.REBAL_SPENT_KEY, row),
                      result.cluster(result.integer(lib.REBAL_SPENT_CLUSTER, row)),
                      result.integer(lib.REBAL_SPENT_COMPONENT, row), result.integer(lib.REBAL_SPENT_REPLICAS, row),
                      result.time(lib.REBAL_SPENT_EXPIRY, row)) for row in rows]

    def save(self) -> bytes:
        """The ledger and its fleet as bytes, which load() reads on any machine."""
        with self._alone() as ledger:
            return saved(self._fleet, NULL, ledger)

    @classmethod
    def load(cls, data: Union[bytes, bytearray, memoryview]) -> "Ledger":
        """The ledger that save() wrote, with a fleet of its own. ParseError: these are no such bytes."""
        fleet, _, pointer = loaded(Fleet, data)
        if pointer is None:
            raise NotFoundError("these bytes hold a fleet without ledger")
        return cls._own(fleet, pointer)

    @classmethod
    def _own(cls, fleet: Fleet, pointer: Any) -> "Ledger":
        made = cls.__new__(cls)
        Handle.__init__(made, pointer)
        made._fleet = fleet
        return made

    def __reduce__(self) -> "Tuple[object, ...]":
        return (type(self).load, (self.save(),))

    def __repr__(self) -> str:
        return "<Ledger, closed>" if self.closed else f"<Ledger of {len({one.key for one in self.read()})} bindings>"


def alone(ledger: Optional[Ledger]) -> "ContextManager[Any]":
    """with alone(ledger) as pointer: no other thread is within a call of the ledger; NULL: there is none."""
    return contextlib.nullcontext(NULL) if ledger is None else ledger._alone()


def save_all(bindings: Bindings, ledger: Optional[Ledger]) -> bytes:
    """Bindings, their fleet and a ledger of it as bytes."""
    if ledger is None:
        return bindings.save()
    with ledger._alone() as pointer:
        return saved(bindings.fleet, bindings._pointer, pointer)


def load_all(data: bytes) -> Tuple[Bindings, Optional[Ledger]]:
    """What save_all() wrote, with a fleet of its own."""
    fleet, rows, pointer = loaded(Fleet, data)
    return Bindings._own(fleet, rows), None if pointer is None else Ledger._own(fleet, pointer)


def to_expiry(expiry: Optional[Time]) -> Any:
    """A rebal_time, or NULL for never."""
    return NULL if expiry is None else times.to_c(expiry)


__all__ = ["ABSENT", "Ledger", "Spent"]
