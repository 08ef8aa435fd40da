# SPDX-License-Identifier: MIT
"""Carrying a plan out: which bindings deserve it, reconsider(), and what can be written now, plan_step()."""
import datetime
from dataclasses import dataclass
from typing import Any, List, Mapping, Optional, Sequence, Tuple

from ._call import ABSENT, NULL, call, context, encoded, ffi, int32, lib
from ._call import options as structure
from .bindings import Bindings, BindingsLike, bindings_of
from .fleet import FleetLike, Snapshot, snapshot_of
from .ledger import Ledger, alone
from .lists import PlanDialect, Reconsider, WaveReason, WaveState
from .options import OptionsLike, pointer_of
from .planning import Plan, limits_to_c
from .results import Result
from .steps import Observations, Turn
from .times import Duration, Time, duration_from_c, nanoseconds, to_c


# ---- which bindings deserve it --------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Reconsidered:
    """Whether a binding should be moved now. permille: its drift in permille of its replicas; time, moved, due: when it
    was moved last, how many replicas moved then, and whether it is due: the history of the next call."""

    binding: str
    verdict: Reconsider
    drift: int
    permille: int
    time: Optional[datetime.datetime]
    moved: int
    due: bool


def _history(rows: Sequence[Reconsidered]) -> Tuple[Any, List[Any]]:
    """rebal_move_history, and what keeps what it points to."""
    for one in rows:
        if not isinstance(one, Reconsidered):
            raise TypeError(f"history is what reconsider() returned, not {type(one).__name__}")
    keys, offsets = [encoded(one.binding, "binding") for one in rows], [0]
    for key in keys:
        offsets.append(offsets[-1] + len(key))
    times = ffi.new("rebal_time[]", max(len(rows), 1))
    for at, one in enumerate(rows):
        times[at] = to_c(one.time)[0]
    members = {"keys": ffi.new("char[]", b"".join(keys)), "offsets": ffi.new("uint32_t[]", offsets), "times": times,
               "moved": ffi.new("int64_t[]", [one.moved for one in rows] or [0]),
               "due": ffi.new("int64_t[]", [int(one.due) for one in rows] or [0])}
    return structure("move_history", n=len(rows), **members), [members]


def reconsider(plan: Plan, bindings: Bindings, *, now: Time, low: int = 0, high: int = 0,
               cool_down: Optional[Duration] = None, history: Sequence[Reconsidered] = (),
               applied: bool = False) -> List[Reconsidered]:
    """Which bindings of a plan should be moved now (rebal_reconsider()); bindings: those that it was made for.

    low, high: drift in permille of the replicas that keeps a binding due, and that makes it due; 0: 50, and 100.
    cool_down: time without moves after a move; history: what the call before returned; applied: the caller carries the
    plan out for the bindings that are due, which the history then records.

    MismatchError: other bindings; OutOfRangeError: low is above high, or a number is negative.
    """
    if not isinstance(plan, Plan):
        raise TypeError(f"expected a Plan, not {type(plan).__name__}")
    if not isinstance(bindings, Bindings):
        raise TypeError(f"expected the Bindings of the plan, not {type(bindings).__name__}")
    past, kept = _history(history)
    opts = structure("reconsider_opts", flags=lib.REBAL_RECONSIDER_FLAG_APPLIED if applied else 0,
                     low=int32(low, "low"), high=int32(high, "high"),
                     cool_down_ns=nanoseconds(cool_down, "cool_down"), history=past)
    result = Result()
    call(lib.rebal_reconsider, plan._pointer, bindings._pointer, to_c(now), opts, result.pointer)
    del kept
    cell = result.integer
    return [Reconsidered(result.text(lib.REBAL_RECONSIDERED_KEY, row),
                         Reconsider(cell(lib.REBAL_RECONSIDERED_VERDICT, row)),
                         cell(lib.REBAL_RECONSIDERED_DRIFT, row), cell(lib.REBAL_RECONSIDERED_PERMILLE, row),
                         result.time(lib.REBAL_RECONSIDERED_TIME, row), cell(lib.REBAL_RECONSIDERED_MOVED, row),
                         bool(cell(lib.REBAL_RECONSIDERED_IS_DUE, row)))
            for row in range(result.count(lib.REBAL_TABLE_RECONSIDERED))]


# ---- waves ----------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Standing:
    """Where a binding of a plan stands.

    cluster: that the reason is about, "" for none; foreign: another program wrote the present value; cycle: the first
    row of those that block each other, or None; after: when to call again, None: no timer is set; message: of a write
    that was refused. removed, added: replicas of the write; left: that clusters still have too many and too few.
    present, ready: replicas assigned now, and ready for sure; floor: that no write makes fewer ready.
    """

    binding: str
    state: WaveState
    reason: WaveReason
    cluster: str
    foreign: bool
    cycle: Optional[int]
    after: Optional[datetime.timedelta]
    message: str
    removed: int
    added: int
    left: int
    present: int
    ready: int
    floor: int


class Wave(Turn):
    """What can be written now: actions, whose ordinal is the row of the plan, and where each binding stands."""

    def __init__(self, result: Result, plan: Plan) -> None:
        super().__init__(result, binding=plan._binding)

    @property
    def bindings(self) -> Tuple[Standing, ...]:
        """Where each binding of the plan stands, in its order."""
        cell, result, found = self.result.integer, self.result, []
        columns = (lib.REBAL_WAVE_REMOVED, lib.REBAL_WAVE_ADDED, lib.REBAL_WAVE_LEFT, lib.REBAL_WAVE_PRESENT,
                   lib.REBAL_WAVE_READY, lib.REBAL_WAVE_FLOOR)
        for row in range(result.count(lib.REBAL_TABLE_WAVE)):
            cycle = cell(lib.REBAL_WAVE_CYCLE, row)
            found.append(Standing(
                self._binding(row), WaveState(cell(lib.REBAL_WAVE_STATE, row)),
                WaveReason(cell(lib.REBAL_WAVE_REASON, row)), result.cluster(cell(lib.REBAL_WAVE_CLUSTER, row)),
                bool(cell(lib.REBAL_WAVE_FOREIGN, row)), None if cycle == ABSENT else cycle,
                duration_from_c(cell(lib.REBAL_WAVE_AFTER_NS, row)), result.text(lib.REBAL_WAVE_MESSAGE, row),
                *(cell(column, row) for column in columns)))
        return tuple(found)

    @property
    def waiting(self) -> bool:
        """Is a binding under way, or waits for something that is?"""
        return any(state in (WaveState.MOVING, WaveState.WAITING)
                   for state in self.result.integers(lib.REBAL_WAVE_STATE))

    @property
    def next_wave(self) -> Optional[datetime.datetime]:
        """With an interval: when the next wave may be sent; for the next call."""
        return self.result.time(lib.REBAL_PACE_NEXT, 0) if self.result.count(lib.REBAL_TABLE_PACE) else None

    def __repr__(self) -> str:
        return f"<Wave: {self.result.count(lib.REBAL_TABLE_WAVE)} bindings, {len(self.actions)} actions>"


def plan_step(fleet: FleetLike, bindings: BindingsLike, plan: Plan, *, now: Time,
              dialect: PlanDialect = PlanDialect.PLAIN, back: bool = False, take_over: bool = False,
              own_not_counted: bool = False, any_capacity: bool = False, options: OptionsLike = None,
              ledger: Optional[Ledger] = None, interval: Optional[Duration] = None, next_wave: Optional[Time] = None,
              observations: Optional[Observations] = None, budgets: Sequence[Mapping[str, Any]] = (),
              budgets_over_clusters: bool = False) -> Wave:
    """The writes that can be sent now to carry a plan out (rebal_plan_step()). Nothing is remembered between calls.

    bindings: as they are observed now, with what members report of them. dialect: KARMADA: beside Karmada's scheduler,
    which is suspended meanwhile. back: from planned to present; take_over: what other plans left is removed;
    own_not_counted: summaries do not count what members run of the bindings; any_capacity: no cluster is ever full.
    ledger: what others hold; interval: between two waves, next_wave: Wave.next_wave of the call before. observations:
    what came of the writes of this wave. budgets: PodDisruptionBudgets, of which a wave takes no more than they allow
    now; budgets_over_clusters: those of no cluster count over all, not in each.

    MismatchError: objects of different fleets; OutOfRangeError: interval is negative; InvalidArgumentError: there is no
    such dialect.
    """
    if not isinstance(plan, Plan):
        raise TypeError(f"expected a Plan, not {type(plan).__name__}")
    rows = bindings_of(fleet._fleet if isinstance(fleet, Snapshot) else fleet, bindings)
    snapshot = snapshot_of(fleet)
    compat, kept = pointer_of(options)
    flags = sum(flag for flag, given in ((lib.REBAL_PLAN_STEP_FLAG_BACK, back),
                                         (lib.REBAL_PLAN_STEP_FLAG_TAKE_OVER, take_over),
                                         (lib.REBAL_PLAN_STEP_FLAG_OWN_NOT_COUNTED, own_not_counted),
                                         (lib.REBAL_PLAN_STEP_FLAG_ANY_CAPACITY, any_capacity),
                                         (lib.REBAL_PLAN_STEP_FLAG_BUDGETS_OVER_CLUSTERS,
                                          budgets_over_clusters)) if given)
    guards, kept_guards = limits_to_c((), budgets)
    after = to_c(next_wave)
    result = Result(snapshot._names)
    with alone(ledger) as spent:
        opts = structure("plan_step_opts", flags=flags, dialect=int32(dialect, "dialect"), compat=compat,
                         ledger=spent, next_wave=after, interval_ns=nanoseconds(interval, "interval"),
                         observations=NULL if observations is None else observations._pointer,
                         budgets=guards["budgets"], n_budgets=guards["n_budgets"])
        call(lib.rebal_plan_step, context(), snapshot._pointer, rows._pointer, plan._pointer, to_c(now), opts,
             result.pointer)
    del kept, kept_guards
    return Wave(result, plan)


__all__ = ["Reconsidered", "Standing", "Wave", "plan_step", "reconsider"]
