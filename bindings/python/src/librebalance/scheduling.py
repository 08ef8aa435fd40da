# SPDX-License-Identifier: MIT
"""Where the replicas of workloads go: schedule()."""
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union, overload

from . import manifests
from ._call import NULL, call, context, ffi, int32, lib, options
from .bindings import Binding, Bindings, BindingsLike, bindings_of
from .fleet import FleetLike, Snapshot, snapshot_of
from .ledger import Ledger
from .lists import Fits, Outcome, Reason
from .options import OptionsLike, pointer_of
from .results import Result, Rows, html_table, targets_text
from .times import Time, to_c

#: The answers of one estimator: replicas that fit by cluster. A cluster that is missing has none; Fits.FAILED: it
#: failed there.
Estimator = Mapping[str, int]


@dataclass(frozen=True)
class Decision:
    """Where one binding goes.

    outcome: Outcome.SCHEDULED, or why it cannot be; clusters: replicas by cluster in the order of spec.clusters;
    message: why it cannot be placed; fresh: the previous placement was ignored; affinity_name: the group of
    clusterAffinities that was taken; missing: replicas that do not fit (Outcome.PARTIAL).
    """

    binding: str
    outcome: Outcome
    reason: Reason
    clusters: Mapping[str, int]
    message: str = ""
    fresh: bool = False
    affinity_name: str = ""
    missing: int = 0
    #: Clusters that take the components of a workload with several pod templates.
    with_components: Tuple[str, ...] = field(default=(), repr=False)

    @property
    def placed(self) -> bool:
        """Whether all replicas, or some of them, are placed."""
        return self.outcome in (Outcome.SCHEDULED, Outcome.PARTIAL)

    @property
    def replicas(self) -> int:
        """Replicas placed in all clusters together."""
        return sum(self.clusters.values())

    def __str__(self) -> str:
        where = targets_text(self.clusters.items()) if self.placed else f"{self.outcome.name}: {self.message}"
        return f"{self.binding} -> {where}"

    def _row(self) -> Tuple[object, ...]:
        return (self.binding, self.outcome.name, targets_text(self.clusters.items()), self.message)

    def _repr_html_(self) -> str:
        return html_table(_HEADINGS, [self._row()])


_HEADINGS = ("binding", "outcome", "clusters", "message")


class Decisions(Rows[Decision]):
    """Decisions in the order of the bindings, made from the columns of a result when they are read.

    rows_done: how many bindings were answered; fewer than given only with max_work. result: the columns.
    """

    _table = lib.REBAL_TABLE_DECISION
    _what = "decisions"

    def __init__(self, result: Result, bindings: Bindings) -> None:
        super().__init__(result)
        self.bindings = bindings
        self._made: Dict[int, Decision] = {}

    def _item(self, row: int) -> Decision:
        if row not in self._made:
            self._made[row] = decision_of(self.result, self.bindings, row)
        return self._made[row]

    def __repr__(self) -> str:
        placed = sum(outcome in (Outcome.SCHEDULED, Outcome.PARTIAL)
                     for outcome in self.result.integers(lib.REBAL_DECISION_OUTCOME))
        return f"<Decisions: {len(self)}, of which {placed} placed>"

    def _repr_html_(self) -> str:
        return html_table(_HEADINGS, [one._row() for one in self[:100]], repr(self)[1:-1])


def decision_of(result: Result, bindings: Bindings, row: int) -> Decision:
    """A row of DECISION with its rows of PLACED."""
    cell = result.integer
    first, n = cell(lib.REBAL_DECISION_FIRST_PLACED, row), cell(lib.REBAL_DECISION_PLACED, row)
    places = range(first, first + n)
    names = [result.cluster(cell(lib.REBAL_PLACED_CLUSTER, one)) for one in places]
    return Decision(
        binding=bindings[cell(lib.REBAL_DECISION_BINDING, row)],
        outcome=Outcome(cell(lib.REBAL_DECISION_OUTCOME, row)),
        reason=Reason(cell(lib.REBAL_DECISION_REASON, row)),
        clusters={name: cell(lib.REBAL_PLACED_REPLICAS, one) for name, one in zip(names, places)},
        message=result.text(lib.REBAL_DECISION_MESSAGE, row),
        fresh=bool(cell(lib.REBAL_DECISION_FRESH, row)),
        affinity_name=result.text(lib.REBAL_DECISION_AFFINITY_NAME, row),
        missing=cell(lib.REBAL_DECISION_MISSING, row),
        with_components=tuple(name for name, one in zip(names, places)
                              if cell(lib.REBAL_PLACED_WITH_COMPONENTS, one)))


def estimators_of(estimators: Sequence[Estimator], snapshot: Snapshot) -> Tuple[Any, List[Any]]:
    """Pointers to rebal_estimators, and what keeps them."""
    made: List[Any] = []
    kept: List[Any] = []
    for answers in estimators:
        if not isinstance(answers, Mapping):
            raise TypeError(f"an estimator is a mapping of replicas by cluster, not {type(answers).__name__}")
        ids = {snapshot._fleet._id(name): int32(count, f"estimator {name}") for name, count in answers.items()}
        bound = max(ids, default=-1) + 1
        fits = ffi.new("int32_t[]", [ids.get(cluster, Fits.NO_OPINION) for cluster in range(bound)])
        made.append(options("estimator", fits=fits, clusters=bound))
        kept.append(fits)
    pointers = ffi.new("rebal_estimator *[]", made) if made else NULL
    return pointers, [pointers, made, kept]


@dataclass(frozen=True)
class Call:
    """rebal_schedule_opts, and all that it points to."""

    opts: Any
    snapshot: Snapshot
    bindings: Bindings
    kept: Tuple[Any, ...]


def call_of(fleet: FleetLike, bindings: BindingsLike, *, compat: OptionsLike = None, ledger: Optional[Ledger] = None,
            ledger_expiry: Optional[Time] = None, known: Optional[BindingsLike] = None,
            assigning: Optional[BindingsLike] = None, estimators: Sequence[Estimator] = (), flags: int = 0,
            **members: Any) -> Call:
    """The arguments of a call of the scheduler: bindings are read first, so that the snapshot has what they name."""
    owner = fleet._fleet if isinstance(fleet, Snapshot) else fleet
    rows = bindings_of(owner, bindings)
    given = flags or estimators or members or compat is not None or ledger is not None or ledger_expiry is not None
    if not given and known is None and assigning is None:
        return Call(NULL, snapshot_of(fleet), rows, ())  # the usual call: half of its cost were the steps below
    others = [None if one is None else bindings_of(owner, one) for one in (known, assigning)]
    if estimators and not isinstance(fleet, Snapshot):
        for name in {name for one in estimators if isinstance(one, Mapping) for name in one}:
            owner._id(name)
    snapshot = snapshot_of(fleet)
    compat_pointer, kept_options = pointer_of(compat)
    list_of, kept = estimators_of(estimators, snapshot)
    expiry = to_c(ledger_expiry) if ledger_expiry is not None else NULL
    opts = options("schedule_opts", flags=flags, compat=compat_pointer,
                   ledger=ledger._pointer if ledger is not None else NULL, ledger_expiry=expiry,
                   known=others[0]._pointer if others[0] is not None else NULL,
                   assigning=others[1]._pointer if others[1] is not None else NULL,
                   estimators=list_of, n_estimators=len(estimators), **members)
    return Call(opts, snapshot, rows, (kept_options, kept, expiry, others, ledger))


def is_one(bindings: BindingsLike) -> bool:
    """One object, whose answer is one decision, and not several."""
    return not isinstance(bindings, Bindings) and manifests.is_one(bindings)


def run(function: Any, made: Call, ledger: Optional[Ledger]) -> Result:
    """Makes a call that takes rebal_schedule_opts."""
    result = Result(made.snapshot._names)
    arguments = (context(), made.snapshot._pointer, made.bindings._pointer, made.opts, result.pointer)
    if ledger is None:
        call(function, *arguments)
    else:
        with ledger._alone():
            call(function, *arguments)
    return result


def flags_of(summaries: bool, nodes: bool, single_group: bool, fingerprint: bool) -> int:
    """Bits of rebal_schedule_opts.flags."""
    return ((0 if summaries else lib.REBAL_SCHEDULE_FLAG_NO_SUMMARY)
            | (lib.REBAL_SCHEDULE_FLAG_NODES if nodes else 0)
            | (lib.REBAL_SCHEDULE_FLAG_SINGLE_GROUP if single_group else 0)
            | (lib.REBAL_SCHEDULE_FLAG_FINGERPRINT if fingerprint else 0))


@overload
def schedule(fleet: FleetLike, bindings: Union[Binding, Mapping[str, Any]], *, options: OptionsLike = None,
             ledger: Optional[Ledger] = None, ledger_expiry: Optional[Time] = None,
             known: Optional[BindingsLike] = None, assigning: Optional[BindingsLike] = None,
             estimators: Sequence[Estimator] = (), summaries: bool = True, nodes: bool = False,
             single_group: bool = False, fingerprint: bool = False) -> Decision: ...
@overload
def schedule(fleet: FleetLike, bindings: BindingsLike, *, options: OptionsLike = None,
             ledger: Optional[Ledger] = None, ledger_expiry: Optional[Time] = None,
             known: Optional[BindingsLike] = None, assigning: Optional[BindingsLike] = None,
             estimators: Sequence[Estimator] = (), summaries: bool = True, nodes: bool = False,
             single_group: bool = False, fingerprint: bool = False) -> "Union[Decision, Decisions]": ...


def schedule(fleet: FleetLike, bindings: BindingsLike, *, options: OptionsLike = None,
             ledger: Optional[Ledger] = None, ledger_expiry: Optional[Time] = None,
             known: Optional[BindingsLike] = None, assigning: Optional[BindingsLike] = None,
             estimators: Sequence[Estimator] = (), summaries: bool = True, nodes: bool = False,
             single_group: bool = False, fingerprint: bool = False) -> "Union[Decision, Decisions]":
    """Schedules each binding as Karmada's scheduler would, whether or not it is due (rebal_schedule()).

    fleet: a Fleet, or a Snapshot of one; bindings: one Binding or object, which gives a Decision; several, a text, or
    Bindings made before, which give Decisions in their order. A binding that does not fit is an answer, not an error.

    options: what differs from the defaults; ledger: what is spent already, which is charged in the order of the
    bindings, until ledger_expiry; None: they are independent of each other. known, assigning: other bindings, for
    workload affinity. estimators: answers of other estimators; summaries: use the clusters' resource summaries; nodes:
    limit by nodes, too, where they are known. single_group: try one group of clusterAffinities only. fingerprint:
    compute Decisions.result.fingerprint().

    ParseError, OutOfRangeError: an object cannot be read; MismatchError: objects of different fleets; StateError:
    closed, or a ledger in use by another thread.
    """
    made = call_of(fleet, bindings, compat=options, ledger=ledger, ledger_expiry=ledger_expiry, known=known,
                   assigning=assigning, estimators=estimators,
                   flags=flags_of(summaries, nodes, single_group, fingerprint))
    decisions = Decisions(run(lib.rebal_schedule, made, ledger), made.bindings)
    return decisions[0] if is_one(bindings) else decisions


__all__ = ["Decision", "Decisions", "Estimator", "schedule"]
