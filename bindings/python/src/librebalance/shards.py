# SPDX-License-Identifier: MIT
"""Where one core or one machine is too small: the same answers from any concurrent.futures.Executor.

    with ProcessPoolExecutor() as executor:
        decisions = schedule_many(fleet, bindings, executor=executor)
        losses = lose(fleet, bindings, by="region", executor=executor)

    dask.distributed.Client(...).get_executor() is an executor, too; workers need librebalance, nothing else.

Fleet and bindings travel as bytes (Bindings.save()), once for each shard, and a worker keeps them from one shard to the
next. Answers do not depend on how bindings are cut: they are those of one process, byte for byte.

ImportError: NumPy is not installed.
"""
import concurrent.futures
import hashlib
import os
import threading
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, TypeVar, Union, overload

import numpy as np

from . import records
from ._call import ABSENT, int64, lib
from .bindings import Bindings, BindingsLike, bindings_of
from .fleet import Fleet
from .frames import optional
from .gathered import Gathered, Part, column_of, part_of
from .ledger import Ledger
from .lists import Outcome
from .lists.errors import MismatchError, NotFoundError, OutOfRangeError
from .lists.fields import OBJECTS
from .options import OptionsLike
from .results import Result, html_table
from .scheduling import Decisions, Estimator, call_of, flags_of, run
from .tables import Integers, cluster_names, table

Answer = TypeVar("Answer")


# ---- work and workers -----------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class _Work:
    """Fleet and bindings as a worker gets them, and how to schedule. The bytes are None where memory is shared."""

    data: Optional[bytes]
    key: str
    bindings: Optional[Bindings]
    arguments: Dict[str, Any]
    is_known: bool

    def copy(self) -> Bindings:
        """The bindings, for this task alone."""
        assert self.data is not None
        return Bindings.load(self.data)

    def run(self, bindings: Bindings, **members: Any) -> Result:
        """Schedules them."""
        known = bindings if self.is_known else None
        ledger = members.pop("ledger", None)
        return run(lib.rebal_schedule, call_of(bindings.fleet, bindings, known=known, ledger=ledger, **self.arguments,
                                               **members), ledger)


_lock = threading.Lock()
_kept: Dict[str, Any] = {}


def _remembered(key: str, make: Callable[[], Answer]) -> Answer:
    """What was made for the work before this one, where it is the same work."""
    with _lock:
        if key not in _kept:
            _kept.clear()
            _kept[key] = make()
        found: Answer = _kept[key]
        return found


def _work(fleet: Fleet, bindings: BindingsLike, is_shared: bool, known: Optional[Bindings],
          estimators: Sequence[Estimator], **arguments: Any) -> Tuple[_Work, Bindings]:
    if not isinstance(fleet, Fleet):
        raise TypeError(f"expected a Fleet, not {type(fleet).__name__}")
    rows = bindings_of(fleet, bindings)
    if rows.fleet is not fleet:
        raise MismatchError("the bindings are of another fleet")
    if known is not None and known is not rows:
        raise ValueError("known must be the bindings themselves, or None")
    for name in sorted({name for one in estimators for name in one}):
        fleet._id(name)
    data = None if is_shared else rows.save()
    key = "" if data is None else hashlib.sha256(data).hexdigest()
    return _Work(data, key, rows if is_shared else None, {"estimators": tuple(estimators), **arguments},
                 known is not None), rows


def _workers(executor: Optional[Executor]) -> int:
    count = getattr(executor, "_max_workers", None)
    return count if isinstance(count, int) else os.cpu_count() or 1


def _ranges(n: int, shards: Optional[int], executor: Optional[Executor]) -> List[Tuple[int, int]]:
    """(first, count) of each shard; none is empty."""
    wanted = 4 * _workers(executor) if shards is None else int64(shards, "shards")
    if wanted < 1:
        raise OutOfRangeError(f"shards must be at least 1, not {wanted}", field="shards")
    cuts = [n * at // min(wanted, max(n, 1)) for at in range(min(wanted, n) + 1)]
    return [(begin, end - begin) for begin, end in zip(cuts, cuts[1:])]


def _each(executor: Optional[Executor], function: Callable[..., Answer], tasks: Sequence[Tuple[Any, ...]],
          sizes: Sequence[int], progress: bool, what: str) -> List[Answer]:
    """The answers in the order of the tasks. What fails ends all that has not begun."""
    bar = _bar(sum(sizes), what) if progress else None
    try:
        if executor is None:
            found = []
            for task, size in zip(tasks, sizes):
                found.append(function(*task))
                _advance(bar, size)
            return found
        futures: "List[Future[Answer]]" = [executor.submit(function, *task) for task in tasks]
        size_of = dict(zip(futures, sizes))
        try:
            for done in concurrent.futures.as_completed(futures):
                done.result()
                _advance(bar, size_of[done])
        finally:
            for one in futures:
                one.cancel()
        return [one.result() for one in futures]
    finally:
        if bar is not None:
            bar.close()


def _bar(total: int, what: str) -> Any:
    """A progress bar on standard error; None where tqdm is not installed."""
    try:
        return optional("tqdm", "progress").tqdm(total=total, unit=what)
    except ImportError:
        return None


def _advance(bar: Any, size: int) -> None:
    if bar is not None:
        bar.update(size)


# ---- schedule_many() ------------------------------------------------------------------------------------------------

def _schedule_part(work: _Work, first: int, count: int) -> Part:
    bindings = work.bindings if work.bindings is not None else _remembered(f"bindings {work.key}", work.copy)
    return part_of(work.run(bindings, first_row=first, max_work=count))


def schedule_many(fleet: Fleet, bindings: BindingsLike, *, executor: Optional[Executor] = None,
                  shards: Optional[int] = None, options: OptionsLike = None, known: Optional[Bindings] = None,
                  estimators: Sequence[Estimator] = (), summaries: bool = True, nodes: bool = False,
                  single_group: bool = False, progress: bool = False) -> Decisions:
    """schedule() on the workers of an executor: Decisions in the order of the bindings, equal to those of schedule().

    executor: any Executor, such as ProcessPoolExecutor or dask.distributed.Client.get_executor(); None: this thread.
    Threads share the fleet, other workers get it as bytes. shards: into how many parts the bindings are cut; None: four
    for each worker (for an executor that does not tell how many it has, for each core of this machine). known: the
    bindings themselves, for workload affinity: every shard sees the whole set. progress: shows a bar on standard error
    if tqdm is installed. All else is as in schedule(); there is no ledger, with which each binding would depend on all
    those before it.

    Errors are those of schedule(); OutOfRangeError: shards is below 1; ValueError: known is something else.
    """
    is_shared = executor is None or isinstance(executor, ThreadPoolExecutor)
    work, rows = _work(fleet, bindings, is_shared, known, estimators, compat=options,
                       flags=flags_of(summaries, nodes, single_group, False))
    ranges = _ranges(len(rows), shards, executor)
    fleet.snapshot()
    parts = _each(executor, _schedule_part, [(work, first, count) for first, count in ranges],
                  [count for _, count in ranges], progress, "binding")
    return Decisions(Gathered(parts, fleet._names), rows)


# ---- lose() ---------------------------------------------------------------------------------------------------------

@dataclass(frozen=True, eq=False)
class Loss:
    """What is when some clusters are not there any more.

    name: of the cluster or region; clusters: the names of those lost. replicas: int64 of shape (clusters,), replicas of
    all bindings by place in Losses.clusters. outcomes, placed: int64 of shape (bindings,), Outcome and replicas of
    each. moved: rows of bindings with other replicas somewhere than before; unplaced: rows of those that were placed
    before and are not, or not with all replicas, now. missing: replicas that found no room (Outcome.PARTIAL).
    """

    name: str
    clusters: Tuple[str, ...]
    replicas: Integers
    outcomes: Integers
    placed: Integers
    moved: Integers
    unplaced: Integers
    missing: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Loss) and self.tobytes() == other.tobytes()

    def __hash__(self) -> int:
        return hash(self.tobytes())

    def tobytes(self) -> bytes:
        """All of it as bytes, to compare with."""
        arrays = (self.replicas, self.outcomes, self.placed, self.moved, self.unplaced)
        return repr((self.name, self.clusters, self.missing, [len(one) for one in arrays])).encode() + b"".join(
            one.tobytes() for one in arrays)

    def __str__(self) -> str:
        return f"without {self.name}: {len(self.moved)} bindings move, {len(self.unplaced)} are not placed"


class Losses(Sequence[Loss]):
    """Losses in the order of their clusters; before: what is when nothing is lost. clusters: names of those of the
    fleet, lost ones included, in the order of the columns of changes()."""

    def __init__(self, before: Loss, losses: Sequence[Loss], clusters: Sequence[str]) -> None:
        self.before = before
        self.clusters = tuple(clusters)
        self._all = tuple(losses)

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, at: int) -> Loss: ...
    @overload
    def __getitem__(self, at: slice) -> "Tuple[Loss, ...]": ...

    def __getitem__(self, at: Union[int, slice]) -> "Union[Loss, Tuple[Loss, ...]]":
        return self._all[at]

    def changes(self) -> Integers:
        """int64 of shape (losses, clusters): replicas that each cluster has more than before."""
        return np.array([one.replicas - self.before.replicas for one in self], np.int64).reshape(
            len(self), len(self.before.replicas))

    def _rows(self) -> Iterator[Tuple[str, int, int, int]]:
        return ((one.name, len(one.moved), len(one.unplaced), one.missing) for one in self)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame: name, moved, unplaced, missing. ImportError: pandas is not installed."""
        return optional("pandas", "to_pandas()").DataFrame(self._rows(), columns=_HEADINGS)

    def __repr__(self) -> str:
        return f"<Losses: {len(self)}, of which {sum(len(one.unplaced) > 0 for one in self)} leave bindings unplaced>"

    def _repr_html_(self) -> str:
        return html_table(_HEADINGS, self._rows(), repr(self)[1:-1])


_HEADINGS = ["name", "moved", "unplaced", "missing"]


@dataclass(frozen=True)
class _Answer:
    """Replicas of each binding in each cluster (rows of PLACED), and what came of it."""

    owners: Integers
    clusters: Integers
    replicas: Integers
    outcomes: Integers
    missing: Integers


@dataclass(frozen=True)
class _Columns:
    """Ids of the clusters of the fleet, and a bound of all ids: names that only bindings have are below it, too."""

    ids: Tuple[int, ...]
    bound: int


def _answer(work: _Work, bindings: Bindings, together: bool) -> _Answer:
    ledger = Ledger(bindings.fleet) if together else None
    result = work.run(bindings, ledger=ledger)
    owners = np.repeat(np.arange(len(bindings)), column_of(result, "DECISION", "PLACED"))
    clusters, replicas = column_of(result, "PLACED", "CLUSTER"), column_of(result, "PLACED", "REPLICAS")
    return _Answer(owners, clusters.copy(), replicas.copy(), column_of(result, "DECISION", "OUTCOME").copy(),
                   column_of(result, "DECISION", "MISSING").copy())


def _loss(name: str, lost: Tuple[str, ...], now: _Answer, before: _Answer, columns: _Columns) -> Loss:
    n, bound = len(now.outcomes), columns.bound
    by_cluster, by_binding = np.zeros(bound, np.int64), np.zeros(n, np.int64)
    np.add.at(by_cluster, now.clusters, now.replicas)
    np.add.at(by_binding, now.owners, now.replicas)
    was_placed, is_placed = (np.isin(one.outcomes, (Outcome.SCHEDULED, Outcome.PARTIAL)) for one in (before, now))
    unplaced = was_placed & (~is_placed | (now.missing > before.missing))
    moved = np.flatnonzero(_differ(now, before, n, bound))
    return Loss(name, lost, by_cluster[list(columns.ids)], now.outcomes, by_binding, moved,
                np.flatnonzero(unplaced), int(now.missing.sum()))


def _differ(now: _Answer, before: _Answer, n: int, bound: int) -> Any:
    """Which bindings have other replicas somewhere. Only those that list as many clusters as before are looked at row
    by row: as listed, and sorted by cluster where that differs."""
    counts = [np.bincount(one.owners, minlength=n) for one in (now, before)]
    found = counts[0] != counts[1]
    rows = [np.flatnonzero(~found[one.owners]) for one in (now, before)]
    for is_sorted in (False, True):
        if is_sorted:
            rows = [part[np.argsort(one.owners[part] * bound + one.clusters[part], kind="stable")]
                    for part, one in zip(rows, (now, before))]
        other = ((now.clusters[rows[0]] != before.clusters[rows[1]])
                 | (now.replicas[rows[0]] != before.replicas[rows[1]]))
        differs = np.zeros(n, bool)
        differs[now.owners[rows[0]][other]] = True
        rows = [part[differs[one.owners[part]]] for part, one in zip(rows, (now, before))]
    return found | differs


def _lose_part(work: _Work, together: bool, losses: Sequence[Tuple[str, Tuple[str, ...]]],
               columns: _Columns) -> List[Loss]:
    before = _remembered(f"before {work.key} {together} {work.is_known} {work.arguments}",
                         lambda: _answer(work, work.copy(), together))
    found = []
    for name, clusters in losses:
        bindings = work.copy()
        for cluster in clusters:
            bindings.fleet.remove(cluster)
        found.append(_loss(name, clusters, _answer(work, bindings, together), before, columns))
    return found


def _groups(fleet: Fleet, by: str) -> List[Tuple[str, Tuple[str, ...]]]:
    """Clusters by what they have in common."""
    if by not in ("region", "provider", "zone"):
        raise ValueError(f"by must be region, provider or zone, not {by!r}")
    snapshot = fleet.snapshot()
    rows, cells = table(snapshot, "CLUSTER"), lib.rebal_snapshot_cells(snapshot._pointer)
    groups: Dict[str, List[str]] = {}
    values = ([_zones(cells, one) for one in rows.integers("zones").tolist()] if by == "zone" else
              [[one] for one in rows.texts(by)])
    for name, owned in zip(rows.texts("name"), values):
        for value in owned:
            if value:
                groups.setdefault(value, []).append(name)
    return [(value, tuple(sorted(groups[value]))) for value in sorted(groups)]


def _zones(cells: Any, handle: int) -> List[str]:
    if handle == ABSENT:
        return []
    found: List[str] = records.read(lib.rebal_cells_record(cells, OBJECTS["TEXTS"], handle)).get("items", [])
    return found


def _losses_of(fleet: Fleet, clusters: Union[str, Iterable[Union[str, Sequence[str]]], None],
               by: str) -> List[Tuple[str, Tuple[str, ...]]]:
    if by:
        if clusters is not None:
            raise ValueError("clusters or by is given, not both")
        return _groups(fleet, by)
    known = set(fleet.clusters)
    if isinstance(clusters, str):
        clusters = (clusters,)
    wanted = [(one,) if isinstance(one, str) else tuple(one)
              for one in (sorted(known) if clusters is None else clusters)]
    for name in (name for one in wanted for name in one):
        if name not in known:
            raise NotFoundError(f"no cluster {name!r} in the fleet")
    return [(", ".join(one), one) for one in wanted]


def lose(fleet: Fleet, bindings: BindingsLike, *,
         clusters: Union[str, Iterable[Union[str, Sequence[str]]], None] = None, by: str = "",
         executor: Optional[Executor] = None, shards: Optional[int] = None, options: OptionsLike = None,
         known: Optional[Bindings] = None, estimators: Sequence[Estimator] = (), summaries: bool = True,
         nodes: bool = False, single_group: bool = False, together: bool = False, progress: bool = False) -> Losses:
    """Schedules all bindings as if each of some clusters had been removed, and compares with the whole fleet.

    clusters: a name, names, or sequences of names that are lost at once; None: every cluster in turn. by: "region",
    "provider" or "zone" instead: all clusters of each. together: bindings are decided in their order, each sees what
    those before it were given (a ledger for each loss); else they are independent of each other. The fleet stays as it
    is. All else is as in schedule_many(); shards are made of losses.

    Errors are those of schedule_many(); NotFoundError: no such cluster; ValueError: by is something else, or beside
    clusters.
    """
    work, rows = _work(fleet, bindings, False, known, estimators, compat=options,
                       flags=flags_of(summaries, nodes, single_group, False))
    losses = _losses_of(fleet, clusters, by)
    names, snapshot = cluster_names(fleet._names), fleet.snapshot()
    columns = _Columns(tuple(sorted(map(snapshot.cluster_id, snapshot.clusters))), len(names))
    ranges = _ranges(len(losses), shards, executor)
    tasks = [(work, together, losses[first:first + count], columns) for first, count in ranges]
    found = _each(executor, _lose_part, [(work, together, [("nothing", ())], columns), *tasks],
                  [0, *(count for _, count in ranges)], progress, "loss")
    return Losses(found[0][0], [one for part in found[1:] for one in part], [names[one] for one in columns.ids])


__all__ = ["Loss", "Losses", "lose", "schedule_many"]
