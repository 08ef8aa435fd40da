# SPDX-License-Identifier: MIT
"""Replicas that cannot be scheduled where they are: deschedule()."""
import datetime
from dataclasses import dataclass
from typing import Any, List, Mapping, Optional, Sequence, Tuple

from ._call import ABSENT, NULL, call, context, ffi, int64, lib, make
from ._call import options as structure
from .bindings import BindingsLike, bindings_of
from .fleet import FleetLike, Snapshot, snapshot_of
from .lists import DescheduleCap, DescheduleReason, DescheduleSource
from .options import OptionsLike, pointer_of
from .results import Result
from .scheduling import Estimator, estimators_of
from .steps import Turn
from .store import Store
from .times import Duration, Time, nanoseconds, to_c


@dataclass(frozen=True)
class Target:
    """A cluster of a binding in which replicas are not ready.

    replicas: that it should have; ready: None when unknown; undesired: fewer are ready than it should have;
    unschedulable: replicas that cannot be scheduled, by source and, of estimators, the index of the one that is
    believed; after: replicas that it is left with; withheld: replicas that a cap keeps where they are, and which.
    """

    binding: str
    cluster: str
    replicas: int
    ready: Optional[int]
    undesired: bool
    unschedulable: int
    estimator: Optional[int]
    after: int
    source: DescheduleSource
    since: Optional[datetime.datetime]
    withheld: int
    withheld_by: DescheduleCap


class Descheduling(Turn):
    """A run of the descheduler: what it found of each target, and the actions."""

    @property
    def targets(self) -> Tuple[Target, ...]:
        """Targets in which a cluster lacks ready replicas; with explain all of them."""
        cell, result = self.result.integer, self.result
        return tuple(Target(
            self._binding(cell(lib.REBAL_DESCHEDULED_BINDING, row)),
            result.cluster(cell(lib.REBAL_DESCHEDULED_CLUSTER, row)), cell(lib.REBAL_DESCHEDULED_REPLICAS, row),
            _optional(cell(lib.REBAL_DESCHEDULED_READY, row)), bool(cell(lib.REBAL_DESCHEDULED_UNDESIRED, row)),
            cell(lib.REBAL_DESCHEDULED_UNSCHEDULABLE, row), _optional(cell(lib.REBAL_DESCHEDULED_ESTIMATOR, row)),
            cell(lib.REBAL_DESCHEDULED_AFTER, row), DescheduleSource(cell(lib.REBAL_DESCHEDULED_SOURCE, row)),
            result.time(lib.REBAL_DESCHEDULED_SINCE, row), cell(lib.REBAL_DESCHEDULED_WITHHELD, row),
            DescheduleCap(cell(lib.REBAL_DESCHEDULED_WITHHELD_BY, row)))
            for row in range(result.count(lib.REBAL_TABLE_DESCHEDULED)))


def _optional(value: int) -> Optional[int]:
    return None if value == ABSENT else value


def _flags(**given: bool) -> int:
    return sum(int(getattr(lib, f"REBAL_DESCHEDULE_FLAG_{name.upper()}")) for name, value in given.items() if value)


@dataclass(frozen=True)
class Caps:
    """How many replicas a run may take away at most: altogether, from each cluster, from the workloads of each
    namespace, from each workload. 0: no cap."""

    total: int = 0
    cluster: int = 0
    namespace: int = 0
    workload: int = 0


def budgets_of(budgets: Sequence[Mapping[str, Any]]) -> Tuple[Any, List[Any]]:
    """PodDisruptionBudgets as records, and what keeps them."""
    store, kept, pointers = Store(budgets), [], []
    for one in store._ids("PodDisruptionBudget"):
        builder = make("builder", lib.rebal_builder_new, NULL)
        out = ffi.new("rebal_record **")
        call(lib.rebal_store_record, store._pointer, one, builder, out)
        kept.append(builder)
        pointers.append(out[0])
    return ffi.new("rebal_record *[]", pointers), [kept, pointers]


def opts_of(snapshot: Snapshot, *, estimators: Sequence[Estimator] = (), options: OptionsLike = None,
            interval: Optional[Duration] = None, threshold: Optional[Duration] = None, caps: Caps = Caps(),
            budgets: Sequence[Mapping[str, Any]] = (), any_kind: bool = False, from_status: bool = False,
            from_pods: bool = False, given_bindings: bool = False, explain: bool = False) -> Tuple[Any, List[Any]]:
    """rebal_deschedule_opts, and what keeps what it points to. The snapshot has the clusters of the estimators."""
    compat, kept_options = pointer_of(options)
    answers, kept = estimators_of(estimators, snapshot)
    records_of, kept_budgets = budgets_of(budgets) if budgets else (NULL, [])
    opts = structure(
        "deschedule_opts", compat=compat, interval_ns=nanoseconds(interval, "interval"),
        threshold_ns=nanoseconds(threshold, "threshold"), estimators=answers, n_estimators=len(estimators),
        max_total=int64(caps.total, "caps.total"), max_by_cluster=int64(caps.cluster, "caps.cluster"),
        max_by_namespace=int64(caps.namespace, "caps.namespace"), max_by_workload=int64(caps.workload, "caps.workload"),
        budgets=records_of, n_budgets=len(kept_budgets[1]) if kept_budgets else 0,
        flags=_flags(given_bindings=given_bindings, explain=explain, any_kind=any_kind, from_status=from_status,
                     from_pods=from_pods, threshold_given=threshold is not None))
    return opts, [kept_options, kept, kept_budgets]


def deschedule(fleet: FleetLike, bindings: BindingsLike, *, now: Time, estimators: Sequence[Estimator] = (),
               options: OptionsLike = None, interval: Optional[Duration] = None, threshold: Optional[Duration] = None,
               caps: Caps = Caps(), budgets: Sequence[Mapping[str, Any]] = (), any_kind: bool = False,
               from_status: bool = False, from_pods: bool = False, given_bindings: bool = False,
               explain: bool = False) -> Descheduling:
    """One run of Karmada's descheduler over bindings: replicas that are not ready since they cannot be scheduled are
    taken from their clusters, as actions (rebal_deschedule_step()).

    estimators: replicas by cluster that cannot be scheduled there; threshold: for longer than that, None: 5 minutes;
    interval: until the next run, None: 2 minutes. caps, budgets (PodDisruptionBudgets): what may be taken away.
    any_kind: not Deployments alone; from_status, from_pods: what counts where no estimator has an opinion;
    given_bindings: whatever their kind, placement or deletion; explain: a row for every target.

    reason of a step: lists.DescheduleReason. OutOfRangeError: interval, threshold or a cap is negative.
    """
    owner = fleet._fleet if isinstance(fleet, Snapshot) else fleet
    rows = bindings_of(owner, bindings)
    for name in {name for one in estimators for name in one}:
        owner._id(name)
    snapshot = snapshot_of(fleet)
    opts, kept = opts_of(snapshot, estimators=estimators, options=options, interval=interval, threshold=threshold,
                         caps=caps, budgets=budgets, given_bindings=given_bindings, explain=explain, any_kind=any_kind,
                         from_status=from_status, from_pods=from_pods)
    result = Result(snapshot._names)
    call(lib.rebal_deschedule_step, context(), snapshot._pointer, rows._pointer, to_c(now), opts, result.pointer)
    del kept
    return Descheduling(result, DescheduleReason, rows.__getitem__)


__all__ = ["Caps", "Descheduling", "Target", "deschedule"]
