# SPDX-License-Identifier: MIT
"""Clusters and applications that fail: eviction by taints, graceful eviction, failover of applications, taints by
conditions and policies, and how long a workload stays out of a cluster."""
import datetime
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Type

from . import records
from ._call import NULL, call, context, ffi, lib
from ._call import options as structure
from .bindings import Bindings, BindingsLike, bindings_of
from .fleet import FleetLike, Snapshot, snapshot_of
from .lists import TaintVerdict
from .lists.errors import InvalidArgumentError
from .options import OptionsLike, pointer_of
from .results import Result
from .steps import Turn
from .times import Duration, Time, nanoseconds, to_c


@dataclass(frozen=True)
class Cooling:
    """A cluster that a binding stays out of, since it was evicted from there, and until when."""

    binding: str
    cluster: str
    until: Optional[datetime.datetime]


class Failover(Turn):
    """A pass of the failover of applications; unhealthy: what to give the next pass."""

    @property
    def unhealthy(self) -> Dict[str, Dict[str, datetime.datetime]]:
        """Since when each binding is unhealthy, by cluster: all that is to be remembered."""
        found: Dict[str, Dict[str, datetime.datetime]] = {}
        for row in range(self.result.count(lib.REBAL_TABLE_UNHEALTHY_KEPT)):
            since = self.result.time(lib.REBAL_UNHEALTHY_KEPT_SINCE, row)
            if since is not None:
                cluster = self.result.cluster(self.result.integer(lib.REBAL_UNHEALTHY_KEPT_CLUSTER, row))
                binding = self._binding(self.result.integer(lib.REBAL_UNHEALTHY_KEPT_BINDING, row))
                found.setdefault(binding, {})[cluster] = since
        return found


class Eviction(Turn):
    """A turn of the taint manager for one cluster; next_eviction: what to give the next turn where evictions are
    paced."""

    @property
    def next_eviction(self) -> Optional[datetime.datetime]:
        """When the next binding may be evicted; None: at once."""
        return self.result.time(lib.REBAL_PACE_NEXT, 0)


def _ready(fleet: FleetLike, bindings: BindingsLike) -> Tuple[Snapshot, Bindings]:
    rows = bindings_of(fleet._fleet if isinstance(fleet, Snapshot) else fleet, bindings)
    return snapshot_of(fleet), rows


def _options(options: OptionsLike, flags: int = 0, **members: Any) -> Tuple[Any, Any]:
    """rebal_failover_opts, and what keeps its options."""
    compat, kept = pointer_of(options)
    return structure("failover_opts", flags=flags, compat=compat, **members), kept


def _run(function: Any, kind: Any, snapshot: Snapshot, rows: Bindings, opts: Any, now: Time, *first: Any,
         reason: Type[int] = int) -> Any:
    result = Result(snapshot._names)
    call(function, context(), snapshot._pointer, *first, rows._pointer, to_c(now), opts, result.pointer)
    return kind(result, reason, rows.__getitem__)


def _eviction_flags(enabled: bool, purge_directly: bool) -> int:
    return int((lib.REBAL_FAILOVER_FLAG_EVICT_BY_TAINT if enabled else 0)
               | (lib.REBAL_FAILOVER_FLAG_PURGE_DIRECTLY if purge_directly else 0))


def taint_verdict(fleet: FleetLike, cluster: str, bindings: BindingsLike, *, now: Time,
                  options: OptionsLike = None, enabled: bool = True) -> Turn:
    """What the NoExecute taints of a cluster mean for each binding, by its applied placement: reason of its step is
    lists.TaintVerdict, after how long it is tolerated. enabled: as in evict(). NotFoundError: no such cluster."""
    snapshot, rows = _ready(fleet, bindings)
    opts, kept = _options(options, _eviction_flags(enabled, False))
    turn: Turn = _run(lib.rebal_taint_verdict, Turn, snapshot, rows, opts, now, snapshot.cluster_id(cluster),
                      reason=TaintVerdict)
    del kept
    return turn


def evict(fleet: FleetLike, cluster: str, bindings: BindingsLike, *, now: Time, options: OptionsLike = None,
          enabled: bool = True, purge_directly: bool = False, interval: Optional[Duration] = None,
          next_eviction: Optional[Time] = None) -> Eviction:
    """One turn of the taint manager: bindings that do not tolerate the NoExecute taints of a cluster are evicted from
    it, as actions (rebal_taint_eviction_step()).

    enabled: the flag enable-no-execute-taint-eviction, which is off in the reference; without it all taints are
    tolerated. purge_directly: without waiting for a replacement; interval: between two evictions, None: all at once;
    next_eviction: of the last turn. NotFoundError: no such cluster.
    """
    snapshot, rows = _ready(fleet, bindings)
    moment = NULL if next_eviction is None else to_c(next_eviction)
    opts, kept = _options(options, _eviction_flags(enabled, purge_directly), next_eviction=moment,
                          eviction_interval_ns=nanoseconds(interval, "interval"))
    turn: Eviction = _run(lib.rebal_taint_eviction_step, Eviction, snapshot, rows, opts, now,
                          snapshot.cluster_id(cluster), reason=TaintVerdict)
    del kept
    return turn


def assess_evictions(fleet: FleetLike, bindings: BindingsLike, *, now: Time, options: OptionsLike = None,
                     timeout: Optional[Duration] = None) -> Turn:
    """One turn of the graceful-eviction controller: which eviction tasks of each binding stay, and when to look again
    (rebal_graceful_eviction_step()). timeout: after which a task ends by itself, None: 10 minutes."""
    snapshot, rows = _ready(fleet, bindings)
    flags = 0 if timeout is None else lib.REBAL_FAILOVER_FLAG_TIMEOUT_GIVEN
    opts, kept = _options(options, flags, graceful_eviction_timeout_ns=nanoseconds(timeout, "timeout"))
    turn: Turn = _run(lib.rebal_graceful_eviction_step, Turn, snapshot, rows, opts, now)
    del kept
    return turn


def failover(fleet: FleetLike, bindings: BindingsLike, *, now: Time, options: OptionsLike = None,
             unhealthy: Optional[Mapping[str, Mapping[str, Time]]] = None) -> Failover:
    """One pass of the failover of applications: clusters in which an application was unhealthy for longer than it
    tolerates are evicted, as actions (rebal_application_failover_step()).

    unhealthy: that of the last pass; only for objects, Bindings are given it when they are made.
    """
    owner = fleet._fleet if isinstance(fleet, Snapshot) else fleet
    if isinstance(bindings, Bindings):
        if unhealthy:
            raise InvalidArgumentError("unhealthy is given to Bindings when they are made")
        rows = bindings
    else:
        rows = Bindings(owner, bindings, unhealthy=unhealthy)
    opts, kept = _options(options)
    turn: Failover = _run(lib.rebal_application_failover_step, Failover, snapshot_of(fleet), rows, opts, now)
    del kept
    return turn


def condition_taints(fleet: FleetLike, *, now: Time) -> Turn:
    """The taints that each cluster gets and loses by its Ready condition, as actions: a step for each cluster id
    (rebal_condition_taints_step())."""
    snapshot, result = snapshot_of(fleet), Result(snapshot_of(fleet)._names)
    call(lib.rebal_condition_taints_step, context(), snapshot._pointer, to_c(now), NULL, result.pointer)
    return Turn(result, binding=result.cluster)


def policy_taints(fleet: FleetLike, policies: Sequence[Mapping[str, Any]], *, now: Time) -> Turn:
    """The same by ClusterTaintPolicies (rebal_taint_policies_step())."""
    kept: List[records.Kept] = [records.Kept("TAINT_POLICY", policy) for policy in policies]
    snapshot, result = snapshot_of(fleet), Result(snapshot_of(fleet)._names)
    pointers = ffi.new("rebal_record *[]", [one.record for one in kept])
    call(lib.rebal_taint_policies_step, context(), snapshot._pointer, pointers, len(kept), to_c(now), NULL,
         result.pointer)
    return Turn(result, binding=result.cluster)


def cool_down(fleet: FleetLike, bindings: Bindings, *, now: Time, duration: Duration) -> Tuple[Cooling, ...]:
    """The clusters that each binding stays out of, since it was evicted from them less than duration ago, by the
    history that Bindings were given. OutOfRangeError: duration is negative."""
    snapshot, rows = _ready(fleet, bindings)
    result = Result(snapshot._names)
    opts = structure("cool_down_opts", cool_down_ns=nanoseconds(duration, "duration"))
    call(lib.rebal_cool_down, context(), snapshot._pointer, rows._pointer, to_c(now), opts, result.pointer)
    return tuple(Cooling(rows[result.integer(lib.REBAL_COOLING_BINDING, row)],
                         result.cluster(result.integer(lib.REBAL_COOLING_CLUSTER, row)),
                         result.time(lib.REBAL_COOLING_UNTIL, row))
                 for row in range(result.count(lib.REBAL_TABLE_COOLING)))
