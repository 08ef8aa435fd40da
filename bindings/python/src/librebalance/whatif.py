# SPDX-License-Identifier: MIT
"""What would be: how much more fits, what a move made by hand breaks, and which single change makes it fit."""
import enum
from dataclasses import dataclass
from typing import Any, FrozenSet, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union

from ._call import ABSENT, NONE, call, context, int32, int64, lib
from ._call import options as structure
from .bindings import BindingsLike
from .fleet import Fleet, FleetLike
from .ledger import Ledger, alone
from .lists import Breach, Filter, Outcome, SingleChange
from .lists import Loss as LossKind
from .lists.errors import InvalidArgumentError
from .losses import Lost, Swept, kinds_of, name_of, sets_of
from .options import OptionsLike
from .planning import Limit, Limited, LimitUse, limited_of, limits_to_c, uses_of
from .results import Result, Rows, html_table
from .scheduling import Call, Estimator, call_of, flags_of
from .times import Time, to_c

Bit = TypeVar("Bit", bound=enum.IntEnum)


def _row(made: Call, binding: Optional[str]) -> int:
    """The row of the binding in question; None: there is only one."""
    if binding is not None:
        return made.bindings.row(binding)
    if len(made.bindings) != 1:
        raise InvalidArgumentError(f"there are {len(made.bindings)} bindings: binding must be set", field="binding")
    return 0


def _bits(value: int, kind: Type[Bit]) -> FrozenSet[Bit]:
    """The values whose bits are set."""
    return frozenset(one for one in kind if value >> one & 1)


# ---- how much more fits ---------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Room:
    """How many replicas fit with a loss. kind, name, clusters: what is lost; replicas: that fit before the first
    refusal; outcome, message: of one more, SCHEDULED where no more were tried."""

    kind: LossKind
    name: str
    clusters: int
    replicas: int
    outcome: Outcome
    message: str


class Headroom(Rows[Room]):
    """How many replicas fit, with each loss in the order of rebal_sweep(). result: the columns, HEADROOM."""

    _table = lib.REBAL_TABLE_HEADROOM
    _what = "losses"

    def __init__(self, result: Result, sets: Sequence[Tuple[str, ...]]) -> None:
        super().__init__(result)
        self._sets = tuple(sets)

    def _item(self, row: int) -> Room:
        cell = self.result.integer
        name = name_of(self.result, lib.REBAL_HEADROOM_NAME, lib.REBAL_HEADROOM_SET, row, self._sets)
        return Room(LossKind(cell(lib.REBAL_HEADROOM_KIND, row)), name, cell(lib.REBAL_HEADROOM_CLUSTERS, row),
                    cell(lib.REBAL_HEADROOM_REPLICAS, row), Outcome(cell(lib.REBAL_HEADROOM_OUTCOME, row)),
                    self.result.text(lib.REBAL_HEADROOM_MESSAGE, row))

    def __repr__(self) -> str:
        least = min(self.result.integers(lib.REBAL_HEADROOM_REPLICAS), default=0)
        return f"<Headroom: {len(self)} losses, at least {least} replicas fit>"

    def _repr_html_(self) -> str:
        rows = [(one.kind.name.lower(), one.name, one.replicas, one.message) for one in self[:100]]
        return html_table(("lost", "name", "replicas", "one more"), rows, repr(self)[1:-1])


def headroom(fleet: FleetLike, bindings: BindingsLike, *, binding: Optional[str] = None, clusters: Lost = None,
             by: Union[str, Sequence[str]] = (), most: int = 0, options: OptionsLike = None,
             ledger: Optional[Ledger] = None, known: Optional[BindingsLike] = None,
             estimators: Sequence[Estimator] = (), summaries: bool = True, nodes: bool = False,
             single_group: bool = False) -> Headroom:
    """How many replicas of a new binding would fit before the first refusal (rebal_headroom()): of one as the binding
    named, without the replicas that it has; None: the only one. Nothing is changed.

    clusters, by: what is lost, as in sweep(); neither: nothing. most: how many are tried; 0: 1,000,000. All else is as
    in schedule().

    NotFoundError: no such cluster or binding; InvalidArgumentError: there are several bindings, and none is named;
    OutOfRangeError: most is negative; ValueError: by is something else.
    """
    made = call_of(fleet, bindings, compat=options, ledger=ledger, known=known, estimators=estimators,
                   flags=flags_of(summaries, nodes, single_group, False))
    sets = sets_of(clusters)
    kinds = kinds_of(by, bool(sets)) if by or sets else 1 << LossKind.NOTHING
    lost = Swept(kinds, tuple(tuple(map(made.snapshot.cluster_id, one)) for one in sets), 0)
    opts, kept = lost.opts(made.opts)
    result = Result(made.snapshot._names)
    arguments = (context(), made.snapshot._pointer, made.bindings._pointer, _row(made, binding), int32(most, "most"),
                 opts, result.pointer)
    with alone(ledger):
        call(lib.rebal_headroom, *arguments)
    del kept
    return Headroom(result, sets)


# ---- a move made by hand --------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Tried:
    """What comes of a move that is made by hand.

    broken: what it breaks, or leaves broken; broken_before: spread constraints that are broken without it. rejected_by:
    filter plugins that reject the target; available: replicas that fit there, None where it is rejected. drift_before,
    drift: replicas that would move to the fresh placement without the move and after it; outcome, message: of that
    placement. granted: replicas that limits and budgets grant; limited_by: the index in limits of the one that grants
    the fewest, or None. limits, uses: what it takes of each, as Plan.limits and Plan.uses.
    """

    binding: str
    source: str
    target: str
    replicas: int
    broken: FrozenSet[Breach]
    broken_before: FrozenSet[Breach]
    rejected_by: FrozenSet[Filter]
    available: Optional[int]
    outcome: Outcome
    message: str
    drift_before: int
    drift: int
    granted: int
    limited_by: Optional[int]
    limits: Tuple[Limited, ...]
    uses: Tuple[LimitUse, ...]

    def __str__(self) -> str:
        broken = ", ".join(one.name.lower() for one in sorted(self.broken))
        return (f"{self.binding}: {self.replicas} from {self.source} to {self.target}: drift {self.drift_before} -> "
                f"{self.drift}, {'breaks ' + broken if broken else 'breaks nothing'}")

    def _repr_html_(self) -> str:
        rows = [(self.limits[one.limit].scope.name.lower(), one.subject, one.used, one.left) for one in self.uses]
        return html_table(("limit", "subject", "used", "left"), rows, str(self))


def try_move(fleet: FleetLike, bindings: BindingsLike, source: str, target: str, replicas: int, *,
             binding: Optional[str] = None, now: Optional[Time] = None, limits: Sequence[Limit] = (),
             budgets: Sequence[Mapping[str, Any]] = (), budgets_over_clusters: bool = False,
             options: OptionsLike = None, ledger: Optional[Ledger] = None, known: Optional[BindingsLike] = None,
             estimators: Sequence[Estimator] = (), summaries: bool = True, nodes: bool = False,
             single_group: bool = False) -> Tried:
    """What a move of replicas of one binding from source to target would break, what would be left to move, and what it
    takes of limits and PodDisruptionBudgets (rebal_try()). Nothing is changed.

    binding: its name; None: the only one. now: needed with limits. All else is as in plan() and schedule().

    NotFoundError: no such cluster or binding; InvalidArgumentError: source and target are the same, there are several
    bindings and none is named, or now is missing; OutOfRangeError: the source has fewer replicas, or none are moved;
    ParseError: a budget cannot be read.
    """
    made = call_of(fleet, bindings, compat=options, ledger=ledger, known=known, estimators=estimators,
                   flags=flags_of(summaries, nodes, single_group, False))
    row, at = _row(made, binding), to_c(now)
    lists, kept = limits_to_c(limits, budgets)
    move = structure("move", binding=row, source=made.snapshot.cluster_id(source),
                     target=made.snapshot.cluster_id(target), replicas=int32(replicas, "replicas"),
                     flags=lib.REBAL_PLAN_FLAG_BUDGETS_OVER_CLUSTERS if budgets_over_clusters else 0,
                     schedule=made.opts, now=at, **lists)
    result = Result(made.snapshot._names)
    arguments = (context(), made.snapshot._pointer, made.bindings._pointer, move, result.pointer)
    with alone(ledger):
        call(lib.rebal_try, *arguments)
    del kept

    def cell(column: int) -> int:
        return result.integer(column, 0)

    available, by = cell(lib.REBAL_TRIED_AVAILABLE), cell(lib.REBAL_TRIED_LIMITED_BY)
    return Tried(made.bindings[row], source, target, replicas, _bits(cell(lib.REBAL_TRIED_BROKEN), Breach),
                 _bits(cell(lib.REBAL_TRIED_BROKEN_BEFORE), Breach), _bits(cell(lib.REBAL_TRIED_REJECTED_BY), Filter),
                 None if available == ABSENT else available, Outcome(cell(lib.REBAL_TRIED_OUTCOME)),
                 result.text(lib.REBAL_TRIED_MESSAGE, 0), cell(lib.REBAL_TRIED_DRIFT_BEFORE),
                 cell(lib.REBAL_TRIED_DRIFT), cell(lib.REBAL_TRIED_GRANTED), None if by == ABSENT else by,
                 limited_of(result), uses_of(result))


# ---- which change would do ------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Change:
    """A single change after which a binding fits, or a cluster is chosen for it.

    cluster: where; "": it is of the placement alone. name: which taint, label, constraint or resource; before, after:
    the number now and the one that does, None where the change is none. cost: by which changes are ordered; replicas:
    of the cluster in the answer with it, or of all.
    """

    kind: SingleChange
    cluster: str
    name: str
    before: Optional[int]
    after: Optional[int]
    cost: int
    replicas: int


class Changes(Rows[Change]):
    """Single changes, the cheapest first; none: no change that was tried does. result: the columns, COUNTERFACTUAL."""

    _table = lib.REBAL_TABLE_COUNTERFACTUAL
    _what = "changes"

    def _item(self, row: int) -> Change:
        cell = self.result.integer
        before, after = (cell(column, row) for column in (lib.REBAL_COUNTERFACTUAL_BEFORE,
                                                          lib.REBAL_COUNTERFACTUAL_AFTER))
        return Change(SingleChange(cell(lib.REBAL_COUNTERFACTUAL_KIND, row)),
                      self.result.cluster(cell(lib.REBAL_COUNTERFACTUAL_CLUSTER, row)),
                      self.result.text(lib.REBAL_COUNTERFACTUAL_NAME, row), None if before == ABSENT else before,
                      None if after == ABSENT else after, cell(lib.REBAL_COUNTERFACTUAL_COST, row),
                      cell(lib.REBAL_COUNTERFACTUAL_REPLICAS, row))

    def __repr__(self) -> str:
        return f"<Changes: {len(self)} that would do>"

    def _repr_html_(self) -> str:
        rows = [(one.kind.name.lower(), one.cluster, one.name, one.before, one.after) for one in self[:100]]
        return html_table(("change", "cluster", "of", "before", "after"), rows, repr(self)[1:-1])


def counterfactual(fleet: Fleet, bindings: BindingsLike, *, binding: Optional[str] = None,
                   cluster: Optional[str] = None, kinds: Sequence[SingleChange] = (), most: int = 0,
                   options: OptionsLike = None, ledger: Optional[Ledger] = None,
                   known: Optional[BindingsLike] = None, assigning: Optional[BindingsLike] = None,
                   estimators: Sequence[Estimator] = (), summaries: bool = True, nodes: bool = False,
                   single_group: bool = False) -> Changes:
    """Which single change would have the cluster chosen for a binding; None: would let the binding fit
    (rebal_counterfactual()). Each was decided with, in a copy of the fleet; nothing is changed.

    binding: its name; None: the only one. kinds: which changes are tried; none: all. most: so many of the cheapest; 0:
    all. All else is as in schedule().

    NotFoundError: no such cluster or binding; InvalidArgumentError: there are several bindings, and none is named.
    """
    if not isinstance(fleet, Fleet):
        raise TypeError(f"expected a Fleet, not {type(fleet).__name__}")
    made = call_of(fleet, bindings, compat=options, ledger=ledger, known=known, assigning=assigning,
                   estimators=estimators, flags=flags_of(summaries, nodes, single_group, False))
    opts = structure("counterfactual_opts", kinds=sum({1 << int32(one, "kinds") for one in kinds}), schedule=made.opts,
                     max_answers=int64(most, "most"))
    row, aim = _row(made, binding), NONE if cluster is None else made.snapshot.cluster_id(cluster)
    result = Result(made.snapshot._names)
    arguments = (context(), fleet._pointer, made.bindings._pointer, row, aim, opts, result.pointer)
    with fleet._busy, alone(ledger):
        call(lib.rebal_counterfactual, *arguments)
    return Changes(result)


__all__ = ["Change", "Changes", "Headroom", "Room", "Tried", "counterfactual", "headroom", "try_move"]
