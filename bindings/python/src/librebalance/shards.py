# SPDX-License-Identifier: MIT
"""Where one core or one machine is too small: the same answers from any concurrent.futures.Executor.

    with ProcessPoolExecutor() as executor:
        decisions = schedule_many(fleet, bindings, executor=executor)
        losses = sweep(fleet, bindings, by="region", executor=executor)

    dask.distributed.Client(...).get_executor() is an executor, too; workers need librebalance, nothing else.

Fleet and bindings travel as bytes, once for each shard, and a worker keeps them from one shard to the
next. Answers do not depend on how bindings are cut: they are those of one process, byte for byte.

ImportError: NumPy is not installed.
"""
import bisect
import concurrent.futures
import hashlib
import os
import threading
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, TypeVar, Union

from ._call import NULL, call, context, ffi, int64, lib
from .bindings import Bindings, BindingsLike, bindings_of
from .fleet import Fleet
from .frames import optional
from .gathered import Gathered, Part, part_of
from .ledger import Ledger, load_all, save_all
from .lists import Loss as LossKind
from .lists import Outcome
from .lists.errors import MismatchError, OutOfRangeError
from .losses import Swept, kinds_of, name_of, sets_of
from .options import OptionsLike
from .results import Result, Rows, html_table
from .scheduling import Call, Decisions, Estimator, call_of, flags_of, run

Answer = TypeVar("Answer")


# ---- work and workers -----------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class _Work:
    """Fleet, bindings and a ledger as a worker gets them, and how to schedule. The bytes are None where memory is
    shared."""

    data: Optional[bytes]
    key: str
    bindings: Optional[Bindings]
    ledger: Optional[Ledger]
    arguments: Dict[str, Any]
    is_known: bool

    def held(self) -> Tuple[Bindings, Optional[Ledger]]:
        """The bindings and, of each task its own, the ledger."""
        if self.bindings is None:
            bindings, ledger = _remembered(self.key, self._load)
        else:
            bindings, ledger = self.bindings, self.ledger
        if ledger is None:
            return bindings, None
        with _lock:
            return bindings, ledger.fork()

    def _load(self) -> Tuple[Bindings, Optional[Ledger]]:
        assert self.data is not None
        return load_all(self.data)

    def call(self, bindings: Bindings, **members: Any) -> Call:
        """The arguments of a call of the scheduler."""
        return call_of(bindings.fleet, bindings, known=bindings if self.is_known else None, **self.arguments, **members)


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
          estimators: Sequence[Estimator], ledger: Optional[Ledger] = None,
          **arguments: Any) -> Tuple[_Work, Bindings]:
    if not isinstance(fleet, Fleet):
        raise TypeError(f"expected a Fleet, not {type(fleet).__name__}")
    rows = bindings_of(fleet, bindings)
    if rows.fleet is not fleet:
        raise MismatchError("the bindings are of another fleet")
    if known is not None and known is not rows:
        raise ValueError("known must be the bindings themselves, or None")
    if ledger is not None and ledger._fleet is not fleet:
        raise MismatchError("the ledger is of another fleet")
    for name in sorted({name for one in estimators for name in one}):
        fleet._id(name)
    arguments["estimators"] = tuple(estimators)
    if is_shared:
        return _Work(None, "", rows, None if ledger is None else ledger.fork(), arguments, known is not None), rows
    data = save_all(rows, ledger)
    return _Work(data, hashlib.sha256(data).hexdigest(), None, None, arguments, known is not None), rows


def _is_shared(executor: Optional[Executor]) -> bool:
    return executor is None or isinstance(executor, ThreadPoolExecutor)


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

_SCHEDULED = ("DECISION", "PLACED")


def _schedule_part(work: _Work, first: int, count: int) -> Part:
    bindings, _ = work.held()
    return part_of(run(lib.rebal_schedule, work.call(bindings, first_row=first, max_work=count), None), _SCHEDULED)


def schedule_many(fleet: Fleet, bindings: BindingsLike, *, executor: Optional[Executor] = None,
                  shards: Optional[int] = None, options: OptionsLike = None, known: Optional[Bindings] = None,
                  estimators: Sequence[Estimator] = (), summaries: bool = True, nodes: bool = False,
                  single_group: bool = False, progress: bool = False) -> Decisions:
    """schedule() on the workers of an executor: Decisions in the order of the bindings, equal to those of schedule().

    executor: any Executor, such as ProcessPoolExecutor or dask.distributed.Client.get_executor(); None: this thread.
    Threads share the fleet, other workers get it as bytes. shards: into how many parts the bindings are cut; None: four
    for each worker (for each core of this machine if the executor does not report how many it has). known: the
    bindings themselves, for workload affinity: every shard sees the whole set. progress: shows a bar on standard error
    if tqdm is installed. All else is as in schedule(); there is no ledger, with which each binding would depend on all
    those before it.

    Errors are those of schedule(); OutOfRangeError: shards is below 1; ValueError: known is something else.
    """
    work, rows = _work(fleet, bindings, _is_shared(executor), known, estimators, compat=options,
                       flags=flags_of(summaries, nodes, single_group, False))
    ranges = _ranges(len(rows), shards, executor)
    fleet.snapshot()
    parts = _each(executor, _schedule_part, [(work, first, count) for first, count in ranges],
                  [count for _, count in ranges], progress, "binding")
    return Decisions(Gathered(parts, fleet._names, _SCHEDULED), rows)


# ---- sweep() --------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Loss:
    """What follows when some clusters are lost at once.

    kind: what is lost; name: of the cluster, zone, region or provider, of a set its clusters; clusters: how many.
    unplaced: bindings that are refused; missing: desired replicas that are in no cluster; moved: that leave a cluster
    and appear elsewhere. fullest: the cluster with the largest part of a resource in use afterwards, full: per 1,000.
    decided: bindings that had to be decided again.
    """

    kind: LossKind
    name: str
    clusters: int
    unplaced: int
    missing: int
    moved: int
    fullest: str
    full: int
    resource: str
    decided: int

    def __str__(self) -> str:
        return (f"without {self.name}: {self.moved} replicas move, {self.missing} are missing, {self.unplaced} "
                "bindings are not placed")


@dataclass(frozen=True)
class Affected:
    """A binding that is decided otherwise than with nothing lost."""

    binding: str
    outcome: Outcome
    missing: int
    moved: int


class Losses(Rows[Loss]):
    """Losses in the order of rebal_sweep(). result: the columns, SWEPT and with affected AFFECTED."""

    _table = lib.REBAL_TABLE_SWEPT
    _what = "losses"

    def __init__(self, result: Result, bindings: Bindings, sets: Sequence[Tuple[str, ...]] = ()) -> None:
        super().__init__(result)
        self.bindings = bindings
        self._sets = tuple(sets)
        self._first: Optional[List[int]] = None

    def _item(self, row: int) -> Loss:
        def cell(column: int) -> int:
            return self.result.integer(column, row)

        return Loss(LossKind(cell(lib.REBAL_SWEPT_KIND)),
                    name_of(self.result, lib.REBAL_SWEPT_NAME, lib.REBAL_SWEPT_SET, row, self._sets),
                    cell(lib.REBAL_SWEPT_CLUSTERS), cell(lib.REBAL_SWEPT_UNPLACED), cell(lib.REBAL_SWEPT_MISSING),
                    cell(lib.REBAL_SWEPT_MOVED), self.result.cluster(cell(lib.REBAL_SWEPT_FULLEST)),
                    cell(lib.REBAL_SWEPT_FULL), self.result.text(lib.REBAL_SWEPT_RESOURCE, row),
                    cell(lib.REBAL_SWEPT_DECIDED))

    def affected(self, at: int) -> Tuple[Affected, ...]:
        """The bindings that a loss, by its index, affects; none if sweep() did not request them."""
        if self._first is None:
            owners = self.result.integers(lib.REBAL_AFFECTED_LOSS)
            numbers = self.result.integers(lib.REBAL_SWEPT_LOSS)
            self._first = [bisect.bisect_left(owners, one) for one in numbers] + [len(owners)]
        row, cell = self._row(at), self.result.integer
        return tuple(Affected(self.bindings[cell(lib.REBAL_AFFECTED_BINDING, one)],
                              Outcome(cell(lib.REBAL_AFFECTED_OUTCOME, one)), cell(lib.REBAL_AFFECTED_MISSING, one),
                              cell(lib.REBAL_AFFECTED_MOVED, one))
                     for one in range(self._first[row], self._first[row + 1]))

    def _rows(self) -> Iterator[Tuple[object, ...]]:
        return ((one.name, one.moved, one.missing, one.unplaced, one.fullest, one.full) for one in self)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame: name, moved, missing, unplaced, fullest, full. ImportError: pandas is not installed."""
        return optional("pandas", "to_pandas()").DataFrame(self._rows(), columns=_HEADINGS)

    def __repr__(self) -> str:
        unplaced = sum(count > 0 for count in self.result.integers(lib.REBAL_SWEPT_UNPLACED))
        return f"<Losses: {len(self)}, of which {unplaced} leave bindings unplaced>"

    def _repr_html_(self) -> str:
        return html_table(_HEADINGS, self._rows(), repr(self)[1:-1])


_HEADINGS = ["name", "moved", "missing", "unplaced", "fullest", "full"]


_SWEPT = ("SWEPT", "AFFECTED")


def _sweep_part(work: _Work, sweep: Swept, first: int, count: int) -> Part:
    rows, ledger = work.held()
    made = work.call(rows, ledger=ledger)
    opts, kept = sweep.opts(made.opts, first_loss=first, max_work=count)
    result = Result(made.snapshot._names)
    call(lib.rebal_sweep, context(), made.snapshot._pointer, rows._pointer, opts, result.pointer)
    del kept
    return part_of(result, _SWEPT)


def sweep(fleet: Fleet, bindings: BindingsLike, *,
          clusters: Union[str, Iterable[Union[str, Sequence[str]]], None] = None, by: Union[str, Sequence[str]] = (),
          affected: bool = False, executor: Optional[Executor] = None, shards: Optional[int] = None,
          options: OptionsLike = None, ledger: Optional[Ledger] = None, known: Optional[Bindings] = None,
          estimators: Sequence[Estimator] = (), summaries: bool = True, nodes: bool = False,
          single_group: bool = False, progress: bool = False) -> Losses:
    """What would be if each of some clusters were lost (rebal_sweep()): what moves, what does not fit, and which
    cluster is fullest then. Nothing is changed.

    clusters: a name, names, or sequences of names that are lost at once; by: "cluster", "zone", "region", "provider",
    of which each is lost, or "nothing"; several of them; neither: each cluster. affected: also Losses.affected().
    ledger: what is spent already, with which bindings are decided in their order, each sees what those before it were
    given: each loss with a copy; None: they are independent of each other. All else is as in schedule_many(); shards
    are made of losses.

    Errors are those of schedule_many(); NotFoundError: no such cluster; ValueError: by is something else.
    """
    work, rows = _work(fleet, bindings, _is_shared(executor), known, estimators, ledger, compat=options,
                       flags=flags_of(summaries, nodes, single_group, False))
    sets = sets_of(clusters)
    snapshot = fleet.snapshot()
    wanted = Swept(kinds_of(by, clusters is not None),
                   tuple(tuple(map(snapshot.cluster_id, one)) for one in sets),
                   lib.REBAL_SWEEP_FLAG_BINDINGS if affected else 0)
    count, (opts, kept) = ffi.new("uint64_t *"), wanted.opts(NULL)
    call(lib.rebal_sweep_count, context(), snapshot._pointer, opts, count)
    del kept
    ranges = _ranges(int(count[0]), shards, executor)
    parts = _each(executor, _sweep_part, [(work, wanted, *one) for one in ranges], [n for _, n in ranges], progress,
                  "loss")
    return Losses(Gathered(parts, fleet._names, _SWEPT), rows, sets)


__all__ = ["Affected", "Loss", "Losses", "schedule_many", "sweep"]
