# SPDX-License-Identifier: MIT
"""Where the replicas of Kubernetes workloads go in a fleet of clusters, what would move, and why.

The plain level is in this module. Objects go in as dictionaries, models of the kubernetes client or texts, and typed
dataclasses come out. Everything is a call of the C library: nothing is decided in Python.
"""
import sys as _sys

if not getattr(_sys, "_is_gil_enabled", lambda: True)():
    raise ImportError("librebalance needs the GIL: start Python with PYTHON_GIL=1, or use a build with it")

from ._call import check_abi as _check_abi, clear_cache, version
from .bindings import Binding, Bindings, Placement
from .descheduling import Caps, Descheduling, deschedule
from .detecting import Detection, Detector
from .estimating import estimate
from .explaining import Explanation, explain
from .failover import (Eviction, Failover, assess_evictions, condition_taints, cool_down, evict, failover,
                       policy_taints, taint_verdict)
from .fleet import Fleet, Snapshot
from .ledger import Ledger, Spent
from .lists import (ActionKind, Breach, DeletionRule, Fits, LimitScope, Loss, MemberReplica, Observed, Option, Outcome,
                    PlanDialect, PlanMode, Reason, Reconsider, SingleChange, StepState, WaveReason, WaveState)
from .lists.errors import (AbiError, ExistsError, InvalidArgumentError, LimitError, MismatchError, NotFoundError,
                           OutOfMemoryError, OutOfRangeError, ParseError, RebalanceError, StateError, TryAgainError,
                           UnsupportedError)
from .options import Options
from .planning import ClusterUse, Limit, Limited, LimitUse, Plan, Planned, PlannedMove, Proof, ReplicaInMember, plan
from .rebalancing import Move, Moves, rebalance, rebalancer_step
from .scheduling import Decision, Decisions, schedule
from .simulation import Simulation, simulate
from .spread import Admission, Spreads, spread
from .steps import Action, Observations, Step, Turn
from .store import Key, Request, Store, Watch
from .waves import Reconsidered, Standing, Wave, plan_step, reconsider
from .whatif import Change, Changes, Headroom, Room, Tried, counterfactual, headroom, try_move

_check_abi()

__version__ = "0.1.0"

__all__ = [
    "AbiError", "Action", "ActionKind", "Admission", "Binding", "Bindings", "Breach", "Caps", "Change", "Changes",
    "ClusterUse", "Decision", "Decisions", "DeletionRule", "Descheduling", "Detection", "Detector", "Eviction",
    "ExistsError", "Explanation", "Failover", "Fits", "Fleet", "Headroom", "InvalidArgumentError", "Key", "Ledger",
    "Limit", "LimitError", "LimitScope", "LimitUse", "Limited", "Loss", "MemberReplica", "MismatchError", "Move",
    "Moves", "NotFoundError", "Observations", "Observed", "Option", "Options", "OutOfMemoryError", "OutOfRangeError",
    "Outcome", "ParseError", "Placement", "Plan", "PlanDialect", "PlanMode", "Planned", "PlannedMove", "Proof",
    "Reason", "RebalanceError", "Reconsider", "Reconsidered", "ReplicaInMember", "Request", "Room", "Simulation",
    "SingleChange", "Snapshot", "Spent", "Spreads", "Standing", "StateError", "Step", "StepState", "Store", "Tried",
    "TryAgainError", "Turn", "UnsupportedError", "Watch", "Wave", "WaveReason", "WaveState", "assess_evictions",
    "clear_cache", "condition_taints", "cool_down", "counterfactual", "deschedule", "estimate", "evict", "explain",
    "failover", "headroom", "plan", "plan_step", "policy_taints", "rebalance", "rebalancer_step", "reconsider",
    "schedule", "simulate", "spread", "taint_verdict", "try_move", "version",
]
