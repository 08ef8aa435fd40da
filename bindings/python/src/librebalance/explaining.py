# SPDX-License-Identifier: MIT
"""Why a workload goes where it goes: explain()."""
from dataclasses import dataclass
from typing import Any, Iterator, List, Mapping, Optional, Sequence, Tuple, Union, overload

from ._call import ABSENT, buffered, int64, lib
from .bindings import Binding, BindingsLike
from .fleet import FleetLike
from .ledger import Ledger
from .lists import Filter, Stage, Tie, Why
from .options import OptionsLike
from .results import Result, html_table
from .scheduling import Call, Decision, Estimator, call_of, decision_of, flags_of, is_one, run


@dataclass(frozen=True)
class Reason:
    """What a stage made of a cluster; cluster "" for a region, or the whole binding.

    sentence: the same in English. plugin: what rejects; expected and found: what was required and what the cluster
    has; score, allocatable (replicas that fit, besides present ones), available, before and after (replicas): None if
    unset; tie and peer: why another one that was equal was taken first.
    """

    cluster: str
    stage: Stage
    verdict: Why
    sentence: str
    plugin: Optional[Filter]
    affinity_name: str
    expected: str
    found: str
    score: Optional[int]
    allocatable: Optional[int]
    available: Optional[int]
    resource: str
    group: str
    before: Optional[int]
    after: Optional[int]
    tie: Optional[Tie]
    peer: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Explanation:
    """A decision and its reasons, stage by stage; counts: how many clusters met each verdict, complete also where rows
    were limited."""

    decision: Decision
    reasons: Tuple[Reason, ...]
    counts: Tuple[Tuple[Stage, Why, int], ...]

    def of(self, cluster: str) -> List[Reason]:
        """The reasons about one cluster."""
        return [one for one in self.reasons if one.cluster == cluster]

    def __str__(self) -> str:
        return "\n".join([str(self.decision), *(f"  {one.sentence}" for one in self.reasons)])

    def _repr_html_(self) -> str:
        rows = [(one.stage.name, one.cluster or one.group, one.verdict.name, one.sentence) for one in self.reasons]
        return html_table(("stage", "cluster", "verdict", "why"), rows, str(self.decision))


def _optional(result: Result, column: int, row: int) -> Optional[int]:
    value = result.integer(column, row)
    return None if value == ABSENT else value


def _reason(made: Call, result: Result, row: int) -> Reason:
    text = result.text
    plugin, tie = _optional(result, lib.REBAL_EXPLAIN_PLUGIN, row), _optional(result, lib.REBAL_EXPLAIN_TIE, row)
    return Reason(
        cluster=result.cluster(result.integer(lib.REBAL_EXPLAIN_CLUSTER, row)),
        stage=Stage(result.integer(lib.REBAL_EXPLAIN_STAGE, row)),
        verdict=Why(result.integer(lib.REBAL_EXPLAIN_VERDICT, row)),
        sentence=buffered(lib.rebal_explain_text, made.bindings._pointer, result.pointer, lib.REBAL_TABLE_EXPLAIN, row),
        plugin=None if plugin is None else Filter(plugin),
        affinity_name=text(lib.REBAL_EXPLAIN_AFFINITY_NAME, row),
        expected=text(lib.REBAL_EXPLAIN_EXPECTED, row), found=text(lib.REBAL_EXPLAIN_FOUND, row),
        score=_optional(result, lib.REBAL_EXPLAIN_SCORE, row),
        allocatable=_optional(result, lib.REBAL_EXPLAIN_ALLOCATABLE, row),
        available=_optional(result, lib.REBAL_EXPLAIN_AVAILABLE, row),
        resource=text(lib.REBAL_EXPLAIN_RESOURCE, row), group=text(lib.REBAL_EXPLAIN_GROUP, row),
        before=_optional(result, lib.REBAL_EXPLAIN_BEFORE, row),
        after=_optional(result, lib.REBAL_EXPLAIN_AFTER, row),
        tie=None if tie is None else Tie(tie), peer=text(lib.REBAL_EXPLAIN_PEER, row))


def _explanations(made: Call, result: Result) -> Iterator[Explanation]:
    owners = result.integers(lib.REBAL_EXPLAIN_BINDING)
    counted = list(zip(result.integers(lib.REBAL_EXPLAIN_COUNT_BINDING), result.integers(lib.REBAL_EXPLAIN_COUNT_STAGE),
                       result.integers(lib.REBAL_EXPLAIN_COUNT_VERDICT),
                       result.integers(lib.REBAL_EXPLAIN_COUNT_CLUSTERS)))
    rows: List[List[int]] = [[] for _ in range(len(made.bindings))]
    counts: List[List[Tuple[Stage, Why, int]]] = [[] for _ in range(len(made.bindings))]
    for row, owner in enumerate(owners):
        rows[owner].append(row)
    for owner, stage, verdict, clusters in counted:
        counts[owner].append((Stage(stage), Why(verdict), clusters))
    for at, owner in enumerate(result.integers(lib.REBAL_DECISION_BINDING)):
        yield Explanation(decision_of(result, made.bindings, at),
                          tuple(_reason(made, result, row) for row in rows[owner]), tuple(counts[owner]))


@overload
def explain(fleet: FleetLike, bindings: Union[Binding, Mapping[str, Any]], *, rows: int = 100_000,
            options: OptionsLike = None, ledger: Optional[Ledger] = None, estimators: Sequence[Estimator] = (),
            summaries: bool = True, nodes: bool = False, single_group: bool = False) -> Explanation: ...
@overload
def explain(fleet: FleetLike, bindings: BindingsLike, *, rows: int = 100_000, options: OptionsLike = None,
            ledger: Optional[Ledger] = None, estimators: Sequence[Estimator] = (), summaries: bool = True,
            nodes: bool = False, single_group: bool = False) -> "Union[Explanation, List[Explanation]]": ...


def explain(fleet: FleetLike, bindings: BindingsLike, *, rows: int = 100_000, options: OptionsLike = None,
            ledger: Optional[Ledger] = None, estimators: Sequence[Estimator] = (), summaries: bool = True,
            nodes: bool = False, single_group: bool = False) -> "Union[Explanation, List[Explanation]]":
    """schedule(), and why: what every stage made of every cluster. Arguments and errors are those of schedule(); rows:
    reasons for each binding, at most. A ledger is charged as there: give a fork for a preview.

    OutOfRangeError: rows is not within 1 to 2^63 - 1.
    """
    limit = int64(rows, "rows")
    made = call_of(fleet, bindings, compat=options, ledger=ledger, estimators=estimators, explain_rows=limit,
                   flags=flags_of(summaries, nodes, single_group, False))
    found = list(_explanations(made, run(lib.rebal_schedule, made, ledger)))
    return found[0] if is_one(bindings) else found
