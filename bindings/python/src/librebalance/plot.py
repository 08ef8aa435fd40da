# SPDX-License-Identifier: MIT
"""Pictures, where matplotlib is installed: replicas by cluster before and after, headroom, and what losses come to.

Each function draws into matplotlib axes, ax or new ones, and returns them. Clusters are sorted by name. ImportError:
matplotlib or NumPy is not installed.
"""
from typing import Any, Dict, List, Mapping, Optional, Union

import numpy as np

from .bindings import Bindings
from .estimating import estimate
from .fleet import Fleet
from .frames import optional
from .rebalancing import Moves
from .scheduling import Decisions
from .shards import Losses
from .tables import cluster_names, table

#: What has replicas by cluster.
Placed = Union[Mapping[str, int], Decisions, Bindings]

_BEFORE, _AFTER, _NONE = "#9aa5b1", "#2166ac", "#b2182b"


def by_cluster(placed: Placed) -> Dict[str, int]:
    """Replicas of all bindings by cluster: of Decisions what was decided, of Bindings what they have now.

    TypeError: it is something else.
    """
    if isinstance(placed, Decisions):
        rows, names = table(placed, "PLACED"), placed.bindings.fleet._names
    elif isinstance(placed, Bindings):
        rows, names = table(placed, "TARGET"), placed.fleet._names
    elif isinstance(placed, Mapping):
        return dict(placed)
    else:
        raise TypeError(f"expected Decisions, Bindings or replicas by cluster, not {type(placed).__name__}")
    words = cluster_names(names)
    sums = np.zeros(len(words), np.int64)
    np.add.at(sums, rows.integers("cluster"), rows.integers("replicas"))
    return {words[at]: int(sums[at]) for at in np.flatnonzero(sums)}


def _axes(ax: Any, rows: int) -> Any:
    """The axes given, or new ones that are high enough for so many rows."""
    pyplot = optional("matplotlib.pyplot", "librebalance.plot")
    if ax is not None:
        return ax
    return pyplot.subplots(figsize=(7.0, 1.2 + 0.36 * max(rows, 1)), layout="constrained")[1]


def _bars(ax: Any, names: List[str], columns: Mapping[str, Mapping[str, int]], colours: List[str]) -> None:
    """Bars to the right, the first name at the top, with their numbers."""
    height = 0.8 / len(columns)
    for at, (label, values) in enumerate(columns.items()):
        places = [row + (at - (len(columns) - 1) / 2) * height for row in range(len(names))]
        bars = ax.barh(places, [values.get(name, 0) for name in names], height, label=label, color=colours[at])
        ax.bar_label(bars, padding=2, fontsize="small")
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(max(len(names), 1) - 0.5, -0.5)
    ax.margins(x=0.1)
    ax.spines[["top", "right"]].set_visible(False)
    ax.xaxis.get_major_locator().set_params(integer=True)


def replicas(before: Union[Placed, Moves], after: Optional[Placed] = None, *, ax: Any = None) -> Any:
    """Two bars for each cluster: replicas of all bindings before and after.

    before, after: Decisions, Bindings, or replicas by cluster; or Moves of rebalance() alone. TypeError: it is
    something else, or one of two is missing.
    """
    if isinstance(before, Moves):
        if after is not None:
            raise TypeError("Moves have a before and an after of their own")
        sums = _summed([one.before for one in before]), _summed([one.after for one in before])
    elif after is None:
        raise TypeError("after is missing")
    else:
        sums = by_cluster(before), by_cluster(after)
    names = sorted(set(sums[0]) | set(sums[1]))
    axes = _axes(ax, 2 * len(names))
    _bars(axes, names, {"before": sums[0], "after": sums[1]}, [_BEFORE, _AFTER])
    axes.set_xlabel("replicas")
    axes.legend(frameon=False, ncols=2, loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.2)
    return axes


def _summed(parts: List[Mapping[str, int]]) -> Dict[str, int]:
    found: Dict[str, int] = {}
    for part in parts:
        for name, count in part.items():
            found[name] = found.get(name, 0) + count
    return found


def headroom(fleet: Fleet, requests: Optional[Mapping[str, str]] = None, *, ax: Any = None) -> Any:
    """A bar for each cluster: replicas that fit, besides present ones, each with these requests, as in estimate().
    Clusters without any are red. ParseError: a request is not a quantity."""
    fits = estimate(fleet, requests)
    names = sorted(fits)
    axes = _axes(ax, len(names))
    _bars(axes, names, {"fits": fits}, [_AFTER])
    for label, name in zip(axes.get_yticklabels(), names):
        if fits[name] <= 0:
            label.set_color(_NONE)
    each = ", ".join(f"{name} {amount}" for name, amount in sorted((requests or {}).items()))
    axes.set_xlabel(f"replicas that fit ({each})" if each else "replicas that fit")
    return axes


def losses(lost: Losses, *, ax: Any = None) -> Any:
    """Two bars for each loss: replicas that move, and that are in no cluster then. After the name of a loss: how many
    bindings are not placed; before it, if several kinds are lost, its kind. TypeError: it is not a Losses."""
    if not isinstance(lost, Losses):
        raise TypeError(f"expected the Losses of sweep(), not {type(lost).__name__}")
    several = len({one.kind for one in lost}) > 1
    names = [(f"{one.kind.name.lower()} " if several else "") + one.name
             + (f" ({one.unplaced} unplaced)" if one.unplaced else "") for one in lost]
    axes = _axes(ax, 2 * len(names))
    _bars(axes, names, {"moved": {name: one.moved for name, one in zip(names, lost)},
                        "missing": {name: one.missing for name, one in zip(names, lost)}}, [_AFTER, _NONE])
    axes.set_xlabel("replicas")
    axes.set_ylabel("lost")
    axes.legend(frameon=False, ncols=2, loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.2)
    return axes


__all__ = ["by_cluster", "headroom", "losses", "replicas"]
