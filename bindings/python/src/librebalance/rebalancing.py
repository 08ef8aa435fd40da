# SPDX-License-Identifier: MIT
"""What would move if workloads were placed afresh: rebalance(), and the steps of a WorkloadRebalancer."""
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union, cast

from . import manifests, records
from ._call import NULL, call, context, lib, options
from .fleet import Fleet
from .ledger import Ledger
from .lists import ActionKind, RebalancerReason
from .manifests import Manifest, Manifests
from .options import OptionsLike
from .results import Result, html_table, targets_text
from .scheduling import Decision, Decisions, Estimator, schedule
from .steps import Observations, Turn
from .store import Store
from .times import Time, to_c


@dataclass(frozen=True)
class Move:
    """What a WorkloadRebalancer comes to for one workload.

    result, reason: as in status.observedWorkloads: "Successful", or "Failed" and why; before, after: replicas by
    cluster; decision: None when the workload was not triggered.
    """

    workload: str
    result: str
    reason: str
    binding: str
    before: Mapping[str, int]
    decision: Optional[Decision]

    @property
    def after(self) -> Mapping[str, int]:
        """Replicas by cluster afterwards; as before where nothing was found."""
        return self.decision.clusters if self.decision is not None and self.decision.placed else self.before

    @property
    def moved(self) -> int:
        """Replicas that leave one cluster and appear in another, as rebalancectl counts them (MOVED): what is only
        added or taken away does not move."""
        differences = [self.after.get(name, 0) - self.before.get(name, 0) for name in {**self.before, **self.after}]
        return min(sum(max(one, 0) for one in differences), sum(max(-one, 0) for one in differences))

    def __str__(self) -> str:
        if self.decision is None:
            return f"{self.workload}: {self.result} {self.reason}"
        if not self.decision.placed:
            return f"{self.workload}: stays, {self.decision.outcome.name}: {self.decision.message}"
        return (f"{self.workload}: {targets_text(self.before.items()) or 'nowhere'} -> "
                f"{targets_text(self.after.items())}, {self.moved} moved")


class Moves(Sequence[Move]):
    """What a WorkloadRebalancer comes to, in the order of its status; rebalancer: the object as it is afterwards."""

    def __init__(self, moves: List[Move], rebalancer: Dict[str, Any]) -> None:
        self._moves = moves
        self.rebalancer = rebalancer

    def __len__(self) -> int:
        return len(self._moves)

    def __getitem__(self, at: Any) -> Any:
        return self._moves[at]

    def __iter__(self) -> Iterator[Move]:
        return iter(self._moves)

    @property
    def moved(self) -> int:
        """Replicas that move, of all workloads."""
        return sum(one.moved for one in self._moves)

    def __repr__(self) -> str:
        return f"<Moves: {len(self)} workloads, {self.moved} replicas moved>"

    def _repr_html_(self) -> str:
        rows = [(one.workload, one.result, targets_text(one.before.items()), targets_text(one.after.items()), one.moved,
                 one.decision.message if one.decision else one.reason) for one in self._moves]
        return html_table(("workload", "result", "before", "after", "moved", "message"), rows, repr(self)[1:-1])


def rebalancer_step(rebalancer: Manifest, *, now: Time, observations: Optional[Observations] = None) -> Turn:
    """One call of a run over a WorkloadRebalancer, as it was read at the start of the run, given all that was observed
    of the run's actions so far. It is called until it is not waiting (rebal_rebalancer_step()).

    reason of the step: lists.RebalancerReason. ParseError: not a WorkloadRebalancer; InvalidArgumentError: without
    metadata.creationTimestamp.
    """
    record = records.Kept("WORKLOAD_REBALANCER", dict(manifests.mapping(rebalancer)))
    opts = options("rebalancer_opts", observations=NULL if observations is None else observations._pointer)
    result = Result()
    call(lib.rebal_rebalancer_step, context(), record.record, to_c(now), opts, result.pointer)
    return Turn(result, RebalancerReason)


def _targets(binding: Mapping[str, Any]) -> Dict[str, int]:
    clusters = binding.get("spec", {}).get("clusters") or []
    return {one["name"]: one.get("replicas", 0) for one in clusters}


def _named(workloads: Sequence[Mapping[str, Any]]) -> Dict[str, Any]:
    return {"apiVersion": "apps.karmada.io/v1alpha1", "kind": "WorkloadRebalancer", "metadata": {"name": "rebalance"},
            "spec": {"workloads": list(workloads)}}


def _run(store: Store, name: str, now: Time) -> Tuple[Dict[str, Any], List[str]]:
    """Runs a WorkloadRebalancer of a store to its end: the object afterwards, and the bindings it triggered."""
    observed, triggered = Observations(), []
    given = store.get("WorkloadRebalancer", name)
    seen, waiting = given, True
    while waiting:
        turn = rebalancer_step(given, now=now, observations=observed)
        for action in turn.actions:
            if action.kind == ActionKind.PATCH_SPEC:
                triggered.append(f"{action.namespace}/{action.name}" if action.namespace else action.name)
        waiting = turn.waiting
        if waiting:
            turn.carry_out(store, now, observed)
        if store.has("WorkloadRebalancer", name):
            seen = store.get("WorkloadRebalancer", name)
    return seen, triggered


def _binding_of(workload: Mapping[str, Any]) -> str:
    name = manifests.binding_name(workload.get("name", ""), workload.get("kind", ""))
    return f"{workload['namespace']}/{name}" if workload.get("namespace") else name


def rebalance(fleet: Fleet, bindings: Union[Manifests, Store],
              workloads: Union[Manifest, Sequence[Mapping[str, Any]], None] = None, *, now: Time,
              options: OptionsLike = None, ledger: Optional[Ledger] = None, estimators: Sequence[Estimator] = (),
              nodes: bool = False) -> Moves:
    """What would move if a WorkloadRebalancer were created now: nothing is changed.

    bindings: objects, or a store of them; workloads: a WorkloadRebalancer, or what its spec.workloads would list; None:
    the workloads of all bindings. options, ledger, estimators, nodes: as in schedule().

    ParseError, OutOfRangeError: an object cannot be read; TypeError: Bindings, which do not have the objects any more.
    """
    store = Store(bindings.objects() if isinstance(bindings, Store) else bindings)
    kinds = ("ResourceBinding", "ClusterResourceBinding")
    before = {f"{key.namespace}/{key.name}" if key.namespace else key.name: _targets(store.get(key.kind, key.name,
                                                                                               key.namespace))
              for kind in kinds for key in store.keys(kind)}
    if workloads is None:
        workloads = [one["spec"]["resource"] for kind in kinds for one in store.objects(kind)]
    if manifests.is_one(workloads):
        given = manifests.mapping(cast(Manifest, workloads))
    else:
        given = _named(cast("Sequence[Mapping[str, Any]]", workloads))
    store.apply(given, now)
    rebalancer, triggered = _run(store, given["metadata"]["name"], now)
    objects = [_object(store, name) for name in dict.fromkeys(triggered)]
    made = schedule(fleet, objects, options=options, ledger=ledger, estimators=estimators, nodes=nodes)
    decisions = {one.binding: one for one in made} if isinstance(made, Decisions) else {}
    moves = []
    for one in rebalancer.get("status", {}).get("observedWorkloads", []):
        workload = one["workload"]
        name = _binding_of(workload)
        about = f"{workload['kind']} " + "/".join(filter(None, (workload.get("namespace"), workload["name"])))
        moves.append(Move(about, one.get("result", ""), one.get("reason", ""), name, before.get(name, {}),
                          decisions.get(name)))
    return Moves(moves, rebalancer)


def _object(store: Store, name: str) -> Dict[str, Any]:
    namespace, slash, last = name.rpartition("/")
    return store.get("ResourceBinding" if slash else "ClusterResourceBinding", last, namespace)
