# SPDX-License-Identifier: MIT
"""Where the replicas of Kubernetes workloads go in a fleet of clusters, what would move, and why.

The plain level is in this module. Objects go in as dictionaries, models of the kubernetes client or texts, and typed
dataclasses come out. Everything is a call of the C library: nothing is decided in Python.
"""
import sys as _sys

if not getattr(_sys, "_is_gil_enabled", lambda: True)():
    raise ImportError("librebalance needs the GIL: start Python with PYTHON_GIL=1, or use a build with it")

from ._call import check_abi as _check_abi, version
from .bindings import Binding, Bindings, Placement
from .fleet import Fleet, Snapshot
from .ledger import Ledger, Spent
from .lists import Fits, Option, Outcome, Reason
from .lists.errors import (AbiError, ExistsError, InvalidArgumentError, LimitError, MismatchError, NotFoundError,
                           OutOfMemoryError, OutOfRangeError, ParseError, RebalanceError, StateError, TryAgainError,
                           UnsupportedError)
from .options import Options
from .scheduling import Decision, Decisions, schedule

_check_abi()

__version__ = "0.1.0"

__all__ = [
    "AbiError", "Binding", "Bindings", "Decision", "Decisions", "ExistsError", "Fits", "Fleet", "InvalidArgumentError",
    "Ledger", "LimitError", "MismatchError", "NotFoundError", "Option", "Options", "OutOfMemoryError",
    "OutOfRangeError", "Outcome", "ParseError", "Placement", "Reason", "RebalanceError", "Snapshot", "Spent",
    "StateError", "TryAgainError", "UnsupportedError", "schedule", "version",
]
