# SPDX-License-Identifier: MIT
"""What is lost: clusters, sets of them, or each of a kind."""
from dataclasses import dataclass
from typing import Any, Iterable, List, Sequence, Tuple, Union

from ._call import ABSENT, ffi
from ._call import options as structure
from .lists import Loss as LossKind
from .results import Result

#: A name, names, or sequences of names that are lost at once.
Lost = Union[str, Iterable[Union[str, Sequence[str]]], None]


@dataclass(frozen=True)
class Swept:
    """What is lost, and whether the bindings affected are wanted."""

    kinds: int
    sets: Tuple[Tuple[int, ...], ...]
    flags: int

    def opts(self, schedule: Any, **members: Any) -> Tuple[Any, Any]:
        """rebal_sweep_opts, and what keeps what it points to."""
        offsets = [0]
        for one in self.sets:
            offsets.append(offsets[-1] + len(one))
        kept = (ffi.new("uint32_t[]", [cluster for one in self.sets for cluster in one] or [0]),
                ffi.new("uint32_t[]", offsets))
        listed = {"set_clusters": kept[0], "set_offsets": kept[1], "n_sets": len(self.sets)} if self.sets else {}
        return structure("sweep_opts", flags=self.flags, kinds=self.kinds, schedule=schedule, **listed, **members), kept


#: What losses are made of: clusters, sets of them, or a kind of which each is lost.
KINDS = {"nothing": LossKind.NOTHING, "cluster": LossKind.CLUSTER, "zone": LossKind.ZONE, "region": LossKind.REGION,
          "provider": LossKind.PROVIDER}


def kinds_of(by: Union[str, Sequence[str]], is_set: bool) -> int:
    given = (by,) if isinstance(by, str) else tuple(by)
    for one in given:
        if one not in KINDS:
            raise ValueError(f"by must be of {', '.join(KINDS)}, not {one!r}")
    kinds = {KINDS[one] for one in given} | ({LossKind.SET} if is_set else set())
    return sum(1 << kind for kind in kinds or {LossKind.CLUSTER})


def sets_of(clusters: Lost) -> List[Tuple[str, ...]]:
    """Names of clusters that are lost at once."""
    return [(one,) if isinstance(one, str) else tuple(one)
            for one in ((clusters,) if isinstance(clusters, str) else clusters or ())]


def name_of(result: Result, names: int, numbers: int, row: int, sets: Sequence[Tuple[str, ...]]) -> str:
    """What a row calls its loss; the clusters of a set."""
    number = result.integer(numbers, row)
    return result.text(names, row) if number == ABSENT else ", ".join(sets[number])
