# SPDX-License-Identifier: MIT
"""How many replicas fit: estimate()."""
from typing import Dict, Mapping, Optional

from . import _call, records
from ._call import NONE, call, context, ffi, lib
from .fleet import Fleet
from .ledger import Ledger, alone
from .options import OptionsLike, pointer_of
from .results import Result


def estimate(fleet: Fleet, requests: Optional[Mapping[str, str]] = None, *, options: OptionsLike = None,
             ledger: Optional[Ledger] = None, nodes: bool = False) -> Dict[str, int]:
    """Replicas of one kind that fit into each cluster besides present ones, by name (rebal_estimate()).

    requests: of one replica, such as {"cpu": "100m"}; None: nothing, so that free pods alone count. options:
    what differs from the defaults; ledger: what is spent already; nodes: from nodes only, Fits.NO_OPINION where they
    are not known.

    ParseError, OutOfRangeError: a request is not a quantity; StateError: closed, or a ledger in use by another thread.
    """
    flags = lib.REBAL_ESTIMATE_FLAG_NODES if nodes else 0
    compat, kept = pointer_of(options)
    result = Result(fleet._names)
    with fleet._busy:
        handle = NONE
        if requests is not None:
            out = ffi.new("uint32_t *")
            record = records.Kept("REQUIREMENTS", {"resourceRequest": dict(requests)})
            call(lib.rebal_fleet_intern, fleet._pointer, record.record, out)
            handle, fleet._frozen = out[0], None
        snapshot = fleet.snapshot()
    with alone(ledger) as spent:
        opts = _call.options("estimate_opts", flags=flags, compat=compat, ledger=spent)
        call(lib.rebal_estimate, context(), snapshot._pointer, handle, opts, result.pointer)
    del kept
    return dict(zip(result.clusters(lib.REBAL_ESTIMATE_CLUSTER), result.integers(lib.REBAL_ESTIMATE_REPLICAS)))
