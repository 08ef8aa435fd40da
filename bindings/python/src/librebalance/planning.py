# SPDX-License-Identifier: MIT
"""What would move, under which limits, and the proof that nothing moves needlessly: plan()."""
import datetime
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from ._call import ABSENT, NONE, NULL, call, context, encoded, ffi, int32, int64, lib, make, saved_by
from ._call import options as structure
from .bindings import Bindings, BindingsLike, bindings_of
from .descheduling import budgets_of, opts_of
from .fleet import Fleet, FleetLike, Names, Snapshot
from .ledger import Ledger, alone
from .lists import DeletionRule, LimitScope, MemberReplica, Outcome, PlanMode
from .lists.errors import ParseError
from .options import OptionsLike, pointer_of
from .results import Result, html_table, targets_text
from .scheduling import Estimator, call_of, flags_of
from .store import Store
from .times import Duration, Time, nanoseconds, to_c

#: Replicas, or percent of them such as "25%".
Share = Union[int, str]
#: Replicas by cluster, by the name of a binding.
Bounds = Mapping[str, Mapping[str, int]]


# ---- the contents of a plan -----------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Planned:
    """The plan of one binding.

    present, wanted, planned: replicas by cluster now, as if nothing limited moves, and after the moves that the limits
    grant; ready: those of present that are ready. drift: replicas that move from present to wanted; granted: from
    present to planned; withheld: that limits keep from moving, limited_by: the index in Plan.limits of the first, or
    None; left: that still move afterwards. added, removed: replicas that planned has more or fewer in all. whole: it
    moves as a whole or not at all. message: why it cannot be placed; then it keeps what it has.
    """

    binding: str
    replicas: int
    outcome: Outcome
    message: str
    present: Mapping[str, int]
    wanted: Mapping[str, int]
    planned: Mapping[str, int]
    ready: Mapping[str, int]
    drift: int
    granted: int
    withheld: int
    limited_by: Optional[int]
    left: int
    added: int
    removed: int
    whole: bool
    max_surge: int
    max_unavailable: int

    def __str__(self) -> str:
        return (f"{self.binding}: {targets_text(self.present.items()) or 'nowhere'} -> "
                f"{targets_text(self.planned.items()) or 'nowhere'}, {self.granted} of {self.drift} moved")


@dataclass(frozen=True)
class PlannedMove:
    """Replicas of a binding that leave a cluster and appear in another one."""

    binding: str
    source: str
    target: str
    replicas: int


@dataclass(frozen=True)
class Limited:
    """What came of a limit.

    replicas: that it allows; used: that move under it; withheld: replicas of bindings that it cut first; shadow: how
    many more would move without it. tokens, tokens_at: of a pace, for the Limit of the next plan.
    """

    scope: LimitScope
    subject: str
    replicas: int
    used: int
    withheld: int
    shadow: int
    tokens: Optional[int]
    tokens_at: Optional[datetime.datetime]


@dataclass(frozen=True)
class LimitUse:
    """What a limit, by its index in the limits, counted for one subject: replicas used, and left to move; below 0: a
    move made by hand moves too many."""

    limit: int
    subject: str
    used: int
    left: int


def limited_of(result: Result) -> Tuple[Limited, ...]:
    """Rows of LIMITED."""
    cell, found = result.integer, []
    for row in range(result.count(lib.REBAL_TABLE_LIMITED)):
        tokens = cell(lib.REBAL_LIMITED_TOKENS, row)
        found.append(Limited(LimitScope(cell(lib.REBAL_LIMITED_SCOPE, row)),
                             result.text(lib.REBAL_LIMITED_SUBJECT, row), cell(lib.REBAL_LIMITED_REPLICAS, row),
                             cell(lib.REBAL_LIMITED_USED, row), cell(lib.REBAL_LIMITED_WITHHELD, row),
                             cell(lib.REBAL_LIMITED_SHADOW, row), None if tokens == ABSENT else tokens,
                             result.time(lib.REBAL_LIMITED_TOKENS_AT, row)))
    return tuple(found)


def uses_of(result: Result) -> Tuple[LimitUse, ...]:
    """Rows of LIMIT_USE."""
    cell = result.integer
    return tuple(LimitUse(cell(lib.REBAL_LIMIT_USE_LIMIT, row), result.text(lib.REBAL_LIMIT_USE_SUBJECT, row),
                          cell(lib.REBAL_LIMIT_USE_USED, row), cell(lib.REBAL_LIMIT_USE_LEFT, row))
                 for row in range(result.count(lib.REBAL_TABLE_LIMIT_USE)))


@dataclass(frozen=True)
class ClusterUse:
    """Replicas of all bindings in a cluster before and after, and those that move out of it and into it."""

    cluster: str
    before: int
    after: int
    moved_out: int
    moved_in: int


@dataclass(frozen=True)
class Proof:
    """What is proved of a plan of the mode LEAST: gap 0: nothing that is allowed moves less. kept, moved: by weight."""

    bindings: int
    classes: int
    placed: int
    kept: int
    moved: int
    gap: int
    exact: bool


@dataclass(frozen=True)
class ReplicaInMember:
    """What becomes of a replica that leaves a member or arrives in it.

    state: LEAVES: pod is the name of the one that goes, rule why before the next one; IN_SUBSET: its pod gets the
    subset of the WorkloadSpread; see MemberReplica. None: there is none, or it is not known.
    """

    binding: str
    state: MemberReplica
    pod: Optional[str]
    rule: DeletionRule
    spread: Optional[str]
    subset: Optional[str]


class Plan:
    """A plan, which does not change: any number of threads may read it. Nothing is applied by it.

    result: its tables PLANNED, PLANNED_CLUSTER, MOVE, LIMITED, LIMIT_USE, CLUSTER_USE and PROOF by column.
    """

    def __init__(self, pointer: Any, names: Names) -> None:
        self._pointer = pointer
        self.result = Result(names)
        self._names: Optional[Tuple[str, ...]] = None
        call(lib.rebal_plan_read, pointer, self.result.pointer)

    def __len__(self) -> int:
        return self.result.count(lib.REBAL_TABLE_PLANNED)

    def _rows(self, table: int) -> range:
        return range(self.result.count(table))

    def _binding(self, row: int) -> str:
        if self._names is None:
            result, rows = self.result, self._rows(lib.REBAL_TABLE_PLANNED)
            self._names = tuple("/".join(filter(None, (result.text(lib.REBAL_PLANNED_NAMESPACE, one),
                                                       result.text(lib.REBAL_PLANNED_NAME, one)))) for one in rows)
        return self._names[row]

    def _replicas(self, row: int, column: int) -> Dict[str, int]:
        cell = self.result.integer
        first = cell(lib.REBAL_PLANNED_FIRST_CLUSTER, row)
        rows = range(first, first + cell(lib.REBAL_PLANNED_CLUSTERS, row))
        return {self.result.cluster(cell(lib.REBAL_PLANNED_CLUSTER_CLUSTER, one)): cell(column, one)
                for one in rows if cell(column, one) != ABSENT}

    def __getitem__(self, row: int) -> Planned:
        """What is planned for a binding, by its row."""
        at = row + len(self) if row < 0 else row
        if not 0 <= at < len(self):
            raise IndexError(f"there are {len(self)} bindings, none is {row}")

        def cell(column: int) -> int:
            return self.result.integer(column, at)

        by, present = cell(lib.REBAL_PLANNED_LIMITED_BY), self._replicas(at, lib.REBAL_PLANNED_CLUSTER_PRESENT)
        ready = self._replicas(at, lib.REBAL_PLANNED_CLUSTER_READY)
        return Planned(
            self._binding(at), cell(lib.REBAL_PLANNED_REPLICAS), Outcome(cell(lib.REBAL_PLANNED_OUTCOME)),
            self.result.text(lib.REBAL_PLANNED_MESSAGE, at), present,
            self._replicas(at, lib.REBAL_PLANNED_CLUSTER_WANTED), self._replicas(at, lib.REBAL_PLANNED_CLUSTER_PLANNED),
            {name: count for name, count in ready.items() if name in present}, cell(lib.REBAL_PLANNED_DRIFT),
            cell(lib.REBAL_PLANNED_GRANTED), cell(lib.REBAL_PLANNED_WITHHELD), None if by == ABSENT else by,
            cell(lib.REBAL_PLANNED_DRIFT_LEFT), cell(lib.REBAL_PLANNED_ADDED), cell(lib.REBAL_PLANNED_REMOVED),
            bool(cell(lib.REBAL_PLANNED_WHOLE)), cell(lib.REBAL_PLANNED_MAX_SURGE),
            cell(lib.REBAL_PLANNED_MAX_UNAVAILABLE))

    @property
    def bindings(self) -> Tuple[Planned, ...]:
        """What is planned for each binding, in their order."""
        return tuple(self[row] for row in range(len(self)))

    @property
    def moves(self) -> Tuple[PlannedMove, ...]:
        """What moves: bindings in their order, pairs of clusters by name."""
        cell, result = self.result.integer, self.result
        return tuple(PlannedMove(self._binding(cell(lib.REBAL_MOVE_BINDING, row)),
                                 result.cluster(cell(lib.REBAL_MOVE_SOURCE, row)),
                                 result.cluster(cell(lib.REBAL_MOVE_TARGET, row)), cell(lib.REBAL_MOVE_REPLICAS, row))
                     for row in self._rows(lib.REBAL_TABLE_MOVE))

    @property
    def clusters(self) -> Tuple[ClusterUse, ...]:
        """Each cluster before and after."""
        cell, result = self.result.integer, self.result
        columns = (lib.REBAL_CLUSTER_USE_BEFORE, lib.REBAL_CLUSTER_USE_AFTER, lib.REBAL_CLUSTER_USE_MOVED_OUT,
                   lib.REBAL_CLUSTER_USE_MOVED_IN)
        return tuple(ClusterUse(result.cluster(cell(lib.REBAL_CLUSTER_USE_CLUSTER, row)),
                                *(cell(column, row) for column in columns))
                     for row in self._rows(lib.REBAL_TABLE_CLUSTER_USE))

    @property
    def limits(self) -> Tuple[Limited, ...]:
        """What came of each limit in the order given, then of each PodDisruptionBudget."""
        return limited_of(self.result)

    @property
    def uses(self) -> Tuple[LimitUse, ...]:
        """What each limit counted for each subject."""
        return uses_of(self.result)

    @property
    def proof(self) -> Optional[Proof]:
        """How far the plan is proved to be the least; None in other modes than LEAST."""
        if not self._rows(lib.REBAL_TABLE_PROOF):
            return None
        bindings, classes, placed, kept, moved, gap, exact = (self.result.integer(column, 0) for column in (
            lib.REBAL_PROOF_BINDINGS, lib.REBAL_PROOF_CLASSES, lib.REBAL_PROOF_PLACED, lib.REBAL_PROOF_KEPT,
            lib.REBAL_PROOF_MOVED, lib.REBAL_PROOF_GAP, lib.REBAL_PROOF_EXACT))
        return Proof(bindings, classes, placed, kept, moved, gap, bool(exact))

    def _changed(self, cluster: str) -> Tuple[int, int]:
        """The id of a cluster, and how many replicas leave it or arrive there; NONE where the plan has no such one."""
        number, n, cell = NONE, 0, self.result.integer
        for row in self._rows(lib.REBAL_TABLE_PLANNED_CLUSTER):
            found = cell(lib.REBAL_PLANNED_CLUSTER_CLUSTER, row)
            if found != ABSENT and self.result.cluster(found) == cluster:
                before, after = (cell(column, row) for column in (lib.REBAL_PLANNED_CLUSTER_PRESENT,
                                                                  lib.REBAL_PLANNED_CLUSTER_PLANNED))
                number = found
                n += abs((0 if after == ABSENT else after) - (0 if before == ABSENT else before))
        return number, n

    def in_member(self, cluster: str, member: Store, store: Store, *, now: Time,
                  options: OptionsLike = None) -> Tuple[ReplicaInMember, ...]:
        """What the plan does in a member whose objects are known: one for each replica that leaves the cluster or
        arrives there, those of a binding in the order in which pods go or come (rebal_plan_member()). store has the
        bindings of the plan, and templates of workloads that the member does not have yet. No store is changed.

        Empty where the plan changes nothing in the cluster. ParseError: an object of the member cannot be read.
        """
        for one in (member, store):
            if not isinstance(one, Store):
                raise TypeError(f"expected a Store, not {type(one).__name__}")
        number, n = self._changed(cluster)
        compat, kept = pointer_of(options)
        columns = {name: ffi.new("uint32_t[]", max(n, 1))
                   for name in ("bindings", "states", "pods", "rules", "spreads", "subsets")}
        rows = structure("member_rows", capacity=n, **columns)
        if n == 0:
            return ()
        with member._alone() as inside, store._alone() as plane:
            call(lib.rebal_plan_member, self._pointer, plane, number, inside, to_c(now), compat, rows)
        del kept
        return tuple(ReplicaInMember(
            self._binding(columns["bindings"][row]), MemberReplica(columns["states"][row]),
            member._name(columns["pods"][row]), DeletionRule(columns["rules"][row]),
            member._name(columns["spreads"][row]),
            member._text(columns["spreads"][row], f"spec.subsets[{columns['subsets'][row]}].name")) for row in range(n))

    @property
    def moved(self) -> int:
        """Replicas that move, of all bindings."""
        return sum(self.result.integers(lib.REBAL_PLANNED_GRANTED))

    def verify(self) -> int:
        """Verifies a plan of the mode LEAST by code that shares nothing with what made it (rebal_plan_verify()), and
        returns the gap: 0: nothing that is allowed moves less. NotFoundError: the plan has another mode; MismatchError:
        the proof is wrong."""
        problem, answer, gap = structure("movement"), structure("movement_answer"), ffi.new("int64_t *")
        call(lib.rebal_plan_movement, self._pointer, problem, answer)
        call(lib.rebal_plan_verify, context(), problem, answer, gap)
        return int(gap[0])

    def fingerprint(self) -> str:
        """32 hexadecimal digits: of all that the plan was made from, by name and value, equal on every machine."""
        high, low = ffi.new("uint64_t *"), ffi.new("uint64_t *")
        lib.rebal_plan_fingerprint(self._pointer, high, low)
        return f"{high[0]:016x}{low[0]:016x}"

    def save(self) -> bytes:
        """The plan as bytes, which load() reads on any machine; equal plans give the same bytes."""
        return saved_by(lib.rebal_plan_save, self._pointer)

    @classmethod
    def load(cls, data: Union[bytes, bytearray, memoryview], fleet: Fleet) -> "Plan":
        """The plan that save() wrote, for a fleet, whose ids its clusters get by name. Its fingerprint shows
        whether it still fits. ParseError: these are no such bytes; UnsupportedError: a later version wrote them."""
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"a saved plan is bytes, not {type(data).__name__}")
        if not isinstance(fleet, Fleet):
            raise TypeError(f"expected a Fleet, not {type(fleet).__name__}")
        view = ffi.from_buffer(data)
        with fleet._busy:
            pointer = make("plan", lib.rebal_plan_load, fleet._pointer, NULL, view, len(view))
            fleet._frozen = None  # it may have given ids to new names
        return cls(pointer, fleet._names)

    def __repr__(self) -> str:
        return f"<Plan: {len(self)} bindings, {self.moved} replicas moved>"

    def _repr_html_(self) -> str:
        rows = [(one.binding, one.source, one.target, one.replicas) for one in self.moves[:100]]
        return html_table(("binding", "source", "target", "replicas"), rows, repr(self)[1:-1])


# ---- what a plan is made with ---------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Limit:
    """How many replicas may move.

    scope: what is counted; LABEL counts by the value of the label of pods. subject: the one cluster, namespace,
    binding or value; None: each has a budget of its own. interval: a pace: replicas is the burst, and one more may move
    after each interval; tokens, tokens_at: as in Plan.limits of the previous plan, None: the bucket is full.
    """

    scope: LimitScope
    replicas: int
    subject: Optional[str] = None
    label: Optional[str] = None
    interval: Optional[Duration] = None
    tokens: int = 0
    tokens_at: Optional[Time] = None

    def _to_c(self) -> Tuple[Any, List[Any]]:
        texts = {"subject": self.subject, "label": self.label}
        kept: Dict[str, Any] = {name: ffi.new("char[]", encoded(text, name))
                                for name, text in texts.items() if text is not None}
        lengths = {f"{name}_len": len(buffer) - 1 for name, buffer in kept.items()}
        at = to_c(self.tokens_at)
        made = structure("limit", scope=int32(self.scope, "scope"), replicas=int64(self.replicas, "replicas"),
                         interval_ns=nanoseconds(self.interval, "interval"), tokens=int64(self.tokens, "tokens"),
                         tokens_at=at, **kept, **lengths)
        return made, [kept, at]


def _share(value: Optional[Share], name: str, given: int, percent: int) -> Tuple[int, int]:
    """Replicas or percent, and the flags that say which."""
    if value is None:
        return 0, 0
    if not isinstance(value, str):
        return int64(value, name), given
    if not value.endswith("%") or not value[:-1].isdecimal():
        raise ParseError(f"{name} is replicas, or percent such as '25%', not {value!r}", field=name)
    return int64(int(value[:-1]), name), given | percent


def _by_name(given: Any, what: str) -> Any:
    """The items of a mapping."""
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} must be a mapping by name, not {type(given).__name__}")
    return given.items()


def _cells(bounds: Bounds, rows: Bindings, snapshot: Snapshot, bound: int, what: str) -> Any:
    """Cells of each binding and cluster; negative: no bound."""
    cells = ffi.new("int64_t[]", [-1]) if not len(rows) * bound else ffi.new("int64_t[]", len(rows) * bound)
    ffi.memmove(cells, b"\xff" * ffi.sizeof(cells), ffi.sizeof(cells))
    for name, clusters in _by_name(bounds, what):
        first = rows.row(name) * bound
        for cluster, count in _by_name(clusters, what):
            cells[first + snapshot.cluster_id(cluster)] = int64(count, what)
    return cells


def _bounds(rows: Bindings, snapshot: Snapshot, minimums: Optional[Bounds],
            maximums: Optional[Bounds]) -> Dict[str, Any]:
    given = {"minimums": minimums, "maximums": maximums}
    if all(one is None for one in given.values()):
        return {}
    bound = 1 + max((snapshot.cluster_id(name) for name in snapshot.clusters), default=-1)
    made: Dict[str, Any] = {name: _cells(bounds, rows, snapshot, bound, name)
                            for name, bounds in given.items() if bounds is not None}
    return {**made, "bound_clusters": bound, "bound_stride": bound}


def _weights(rows: Bindings, weights: Optional[Mapping[str, int]]) -> Any:
    if weights is None:
        return NULL
    cells = ffi.new("int64_t[]", [1] * max(len(rows), 1))
    for name, weight in _by_name(weights, "weights"):
        cells[rows.row(name)] = int64(weight, "weights")
    return cells


def _moving(max_surge: Optional[Share], max_unavailable: Optional[Share], progress_deadline: Optional[Duration],
            tolerance: Optional[int]) -> Tuple[Dict[str, Any], int]:
    """Members about how far to go, and flags."""
    surge, flags = _share(max_surge, "max_surge", lib.REBAL_PLAN_FLAG_SURGE_GIVEN, lib.REBAL_PLAN_FLAG_SURGE_PERCENT)
    unavailable, more = _share(max_unavailable, "max_unavailable", lib.REBAL_PLAN_FLAG_UNAVAILABLE_GIVEN,
                               lib.REBAL_PLAN_FLAG_UNAVAILABLE_PERCENT)
    if tolerance is not None:
        flags |= lib.REBAL_PLAN_FLAG_TOLERANCE_GIVEN
    return {"max_surge": surge, "max_unavailable": unavailable,
            "tolerance": 0 if tolerance is None else int32(tolerance, "tolerance"),
            "progress_deadline_ns": nanoseconds(progress_deadline, "progress_deadline")}, flags | more


def _ids(names: Union[str, Iterable[str]], snapshot: Snapshot) -> Any:
    return ffi.new("uint32_t[]", [snapshot.cluster_id(name) for name in ([names] if isinstance(names, str) else names)])


def limits_to_c(limits: Sequence[Limit], budgets: Sequence[Mapping[str, Any]]) -> Tuple[Dict[str, Any], List[Any]]:
    """Members limits and budgets, and what keeps what they point to."""
    for one in limits:
        if not isinstance(one, Limit):
            raise TypeError(f"expected a Limit, not {type(one).__name__}")
    listed = [one._to_c() for one in limits]
    pointers = ffi.new("rebal_limit *[]", [one for one, _ in listed])
    records_of, kept = budgets_of(budgets) if budgets else (NULL, [])
    return {"limits": pointers, "n_limits": len(listed), "budgets": records_of,
            "n_budgets": len(kept[1]) if kept else 0}, [listed, kept]


def plan(fleet: FleetLike, bindings: BindingsLike, *, now: Time, mode: PlanMode = PlanMode.FRESH,
         drain: Union[str, Iterable[str]] = (), lose: Union[str, Iterable[str]] = (),
         descheduler: Optional[Mapping[str, Any]] = None, limits: Sequence[Limit] = (),
         budgets: Sequence[Mapping[str, Any]] = (), budgets_over_clusters: bool = False,
         tolerance: Optional[int] = None, weights: Optional[Mapping[str, int]] = None,
         minimums: Optional[Bounds] = None, maximums: Optional[Bounds] = None, max_surge: Optional[Share] = None,
         max_unavailable: Optional[Share] = None, progress_deadline: Optional[Duration] = None,
         options: OptionsLike = None, ledger: Optional[Ledger] = None, ledger_expiry: Optional[Time] = None,
         known: Optional[BindingsLike] = None, assigning: Optional[BindingsLike] = None,
         estimators: Sequence[Estimator] = (), summaries: bool = True, nodes: bool = False,
         single_group: bool = False) -> Plan:
    """Plans where all bindings are to go, and what of it moves now (rebal_plan_make()). Nothing is changed, the ledger
    neither.

    mode: FRESH: as if a reschedule had just been triggered; STEADY: the same without the trigger; LEAST: what moves
    least within tolerance permille (None: 100) around the fresh placement. drain, lose: clusters that take nothing any
    more; replicas in lost ones are gone. descheduler: arguments of deschedule(), which takes replicas away first.
    limits, budgets (PodDisruptionBudgets): how much may move; budgets_over_clusters: those of no cluster count over
    all, not in each. weights, minimums, maximums: of LEAST, by binding. max_surge, max_unavailable: replicas, or
    percent such as "25%" (None: 25 %), while the plan is carried out; progress_deadline: how long a write is waited
    for, None: 10 minutes. All else is as in schedule().

    NotFoundError: no such cluster or binding; InvalidArgumentError: max_surge and max_unavailable are both 0;
    OutOfRangeError: a tolerance outside 0 to 1000, or a negative number; ParseError: a budget cannot be read.
    """
    if descheduler is not None and not isinstance(descheduler, Mapping):
        raise TypeError(f"descheduler must be a mapping of arguments, not {type(descheduler).__name__}")
    owner = fleet._fleet if isinstance(fleet, Snapshot) else fleet
    rows = bindings_of(owner, bindings)
    for name in {name for one in (descheduler or {}).get("estimators", ()) for name in one}:
        owner._id(name)
    made = call_of(fleet, rows, compat=options, ledger=ledger, ledger_expiry=ledger_expiry, known=known,
                   assigning=assigning, estimators=estimators, flags=flags_of(summaries, nodes, single_group, False))
    removing, kept_removing = (NULL, []) if descheduler is None else opts_of(made.snapshot, **descheduler)
    moving, flags = _moving(max_surge, max_unavailable, progress_deadline, tolerance)
    drained, lost = _ids(drain, made.snapshot), _ids(lose, made.snapshot)
    lists, kept = limits_to_c(limits, budgets)
    bounds, weighed = _bounds(rows, made.snapshot, minimums, maximums), _weights(rows, weights)
    if budgets_over_clusters:
        flags |= lib.REBAL_PLAN_FLAG_BUDGETS_OVER_CLUSTERS
    opts = structure("plan_opts", flags=flags, mode=int32(mode, "mode"), schedule=made.opts, deschedule=removing,
                     weights=weighed, drained=drained, n_drained=len(drained), lost=lost, n_lost=len(lost), **moving,
                     **lists, **bounds)
    arguments = (context(), made.snapshot._pointer, rows._pointer, to_c(now), opts)
    with alone(ledger):
        pointer = make("plan", lib.rebal_plan_make, *arguments)
    del kept, kept_removing
    return Plan(pointer, made.snapshot._names)


__all__ = ["Bounds", "ClusterUse", "Limit", "LimitUse", "Limited", "Plan", "Planned", "PlannedMove", "Proof", "Share",
           "plan"]
