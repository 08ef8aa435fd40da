# SPDX-License-Identifier: MIT
"""Subsets of WorkloadSpreads: which pod belongs to which, what is injected, which go first. spread() and Spreads."""
import json
from dataclasses import dataclass
from typing import Any, Dict, Iterator, Optional, Tuple, Union

from . import manifests, times
from ._call import ABSENT, NONE, NULL, Handle, builder, bytes_of, call, context, decoded, encoded, ffi, lib, make
from ._call import options as structure
from . import records
from .fleet import Fleet
from .lists import AdmitOutcome, CostReason, GroupedBy, Operation, SpreadReason
from .lists.errors import RebalanceError
from .manifests import Manifest, Manifests
from .options import OptionsLike, pointer_of
from .results import Result, html_table
from .steps import Turn
from .store import Store
from .times import Time


@dataclass(frozen=True)
class Pod:
    """A pod in a pass: subset "" when it is in none; version "" where versions are not distinguished; how it
    came to its subset; deletion cost wanted, None: none is set, and why; stuck: it waits for a node too long and is
    deleted; place in its subset, 0 is deleted first, None where it is not counted."""

    name: str
    subset: str
    version: str
    by: GroupedBy
    cost: Optional[int]
    why: CostReason
    stuck: bool
    place: Optional[int]


@dataclass(frozen=True)
class Subset:
    """Counts of a subset in one list of the status: version "" for the overall list; wanted: its limit, -1: none, None:
    it cannot be read."""

    version: str
    name: str
    wanted: Optional[int]
    active: int
    missing: int
    creating: int
    deleting: int


class Pass(Turn):
    """One pass of the controller over a WorkloadSpread: pods, counts of subsets, and the actions."""

    pods: Tuple[Pod, ...] = ()
    subsets: Tuple[Subset, ...] = ()
    status: Dict[str, Any] = {}

    def _repr_html_(self) -> str:
        rows = [(one.version, one.name, one.wanted, one.active, one.missing) for one in self.subsets]
        return html_table(("version", "subset", "wanted", "active", "missing"), rows, repr(self)[1:-1])


@dataclass(frozen=True)
class Admission:
    """What becomes of a pod: outcome; spread and subset that it belongs to, "" for none; pod: as it is admitted, None
    when it is refused or goes; message: why it is refused; turn: the action that writes the status."""

    outcome: AdmitOutcome
    spread: str
    subset: str
    pod: Optional[Dict[str, Any]]
    message: str
    turn: Turn

    @property
    def refused(self) -> bool:
        """Is the pod not created?"""
        return self.pod is None and self.outcome != AdmitOutcome.GOING


def _optional(value: int) -> Optional[int]:
    return None if value == ABSENT else value


class Spreads(Handle):
    """Every WorkloadSpread of a store with its workload and pods; nodes are those of the store. One thread at a time,
    the one that uses the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._fleet = Fleet()
        cluster = ffi.new("uint32_t *")
        name = encoded("here")
        call(lib.rebal_fleet_add_cluster, self._fleet._pointer, name, len(name), cluster)
        self._cluster = cluster[0]
        parents = store._pointer, self._fleet._pointer
        super().__init__(make("spread_feed", lib.rebal_spread_feed_new, *parents, self._cluster, keep=parents))

    def update(self) -> None:
        """Brings it up to date with the store. ParseError, OutOfRangeError: an object is refused; all others are up to
        date."""
        with self._alone() as feed, self._store._alone():
            call(lib.rebal_spread_feed_update, feed)

    def due(self) -> Iterator[Tuple[str, str]]:
        """WorkloadSpreads that call for a pass, each once: namespace and name."""
        while (one := lib.rebal_spread_feed_next_due(self._pointer)) != NONE:
            key = self._store._key(one)
            yield key.namespace, key.name

    def step(self, name: str, *, now: Time, namespace: str = "default", options: OptionsLike = None) -> Pass:
        """One pass over a WorkloadSpread as of the last update (rebal_spread_step()).

        reason of the step: lists.SpreadReason. NotFoundError: no such WorkloadSpread; ParseError: the patch of a subset
        or a pod cannot be read.
        """
        one = self._store._find("WorkloadSpread", name, namespace)
        compat, kept = pointer_of(options)
        opts, result = structure("spread_opts", compat=compat), Result(self._fleet._names)
        with self._alone() as feed, self._store._alone():
            call(lib.rebal_spread_feed_step, context(), feed, one, times.to_c(now), opts, result.pointer)
            made = Pass(result, SpreadReason)
            self._fill(made, lib.rebal_spread_feed_spread(feed, one))
        del kept
        return made

    def _fill(self, made: Pass, spread: Any) -> None:
        result, cell = made.result, made.result.integer
        versions = {cell(lib.REBAL_SUBSET_COUNT_VERSION, row): result.text(lib.REBAL_SUBSET_COUNT_VERSION_NAME, row)
                    for row in range(result.count(lib.REBAL_TABLE_SUBSET_COUNT))}
        made.subsets = tuple(Subset(
            versions[cell(lib.REBAL_SUBSET_COUNT_VERSION, row)],
            _subset(spread, cell(lib.REBAL_SUBSET_COUNT_SUBSET, row)),
            _optional(cell(lib.REBAL_SUBSET_COUNT_WANTED, row)), cell(lib.REBAL_SUBSET_COUNT_ACTIVE, row),
            cell(lib.REBAL_SUBSET_COUNT_MISSING, row), cell(lib.REBAL_SUBSET_COUNT_CREATING, row),
            cell(lib.REBAL_SUBSET_COUNT_DELETING, row))
            for row in range(result.count(lib.REBAL_TABLE_SUBSET_COUNT)))
        made.pods = tuple(self._pod(made.result, spread, row, versions)
                          for row in range(result.count(lib.REBAL_TABLE_GROUPED)))
        out = ffi.new("rebal_record **")
        call(lib.rebal_spread_status, spread, builder(), out)
        made.status = records.read(out[0])

    def _pod(self, result: Result, spread: Any, row: int, versions: Dict[int, str]) -> Pod:
        cell = result.integer
        at, version = cell(lib.REBAL_GROUPED_POD, row), cell(lib.REBAL_GROUPED_VERSION, row)
        cells = lib.rebal_pods_const_cells(lib.rebal_spread_feed_pods(self._pointer))
        return Pod(decoded(lib.rebal_cells_get_text(cells, lib.REBAL_SPREAD_POD_NAME, NONE, at, NULL)),
                   _subset(spread, cell(lib.REBAL_GROUPED_SUBSET, row)),
                   versions[version] if version in versions else _label_version(cells, at),
                   GroupedBy(cell(lib.REBAL_GROUPED_BY, row)), _optional(cell(lib.REBAL_GROUPED_COST, row)),
                   CostReason(cell(lib.REBAL_GROUPED_WHY, row)), bool(cell(lib.REBAL_GROUPED_STUCK, row)),
                   _optional(cell(lib.REBAL_GROUPED_PLACE, row)))

    def admit(self, pod: Manifest, *, now: Time, operation: Operation = Operation.CREATE, id: str = "",
              options: OptionsLike = None) -> Admission:
        """Admits a pod that is about to be created, deleted or evicted, by the WorkloadSpreads of its namespace as of
        the last update (rebal_spread_feed_admit()). id: what to record a pod without a name by.

        ParseError: the pod cannot be read. Where the patch of a subset cannot be merged the pod is refused.
        """
        texts = [manifests.json_of(dict(manifests.mapping(pod))), encoded(id, "id")]
        kept = [ffi.from_buffer(text) for text in texts]
        request = structure("pod_request", operation=int(operation), text=kept[0], text_len=len(texts[0]), id=kept[1],
                            id_len=len(texts[1]))
        compat, kept_options = pointer_of(options)
        opts, result = structure("admit_opts", compat=compat), Result(self._fleet._names)
        text, refusal = make("text", lib.rebal_text_new), ""
        with self._alone() as feed, self._store._alone():
            try:
                call(lib.rebal_spread_feed_admit, context(), feed, request, times.to_c(now), opts, result.pointer, text)
            except RebalanceError as error:
                if error.code != lib.REBAL_EINVAL or result.count(lib.REBAL_TABLE_ADMITTED) != 1:
                    raise
                refusal = error.message
            found = bytes_of(text)
            made = self._admission(feed, result, pod, json.loads(found) if found else None, refusal)
        del kept_options
        return made

    def _admission(self, feed: Any, result: Result, pod: Manifest, admitted: Optional[Dict[str, Any]],
                   refusal: str) -> Admission:
        cell = result.integer
        namespace = encoded(manifests.mapping(pod).get("metadata", {}).get("namespace") or "default")
        at, subset = cell(lib.REBAL_ADMITTED_SPREAD, 0), cell(lib.REBAL_ADMITTED_SUBSET, 0)
        name, label = "", result.text(lib.REBAL_ADMITTED_SUBSET_NAME, 0)
        if at != ABSENT:
            n = ffi.new("size_t *")
            spread = lib.rebal_spread_feed_namespace(feed, namespace, len(namespace), n)[at]
            name = records.read(lib.rebal_spread_object(spread))["metadata"]["name"]
            label = _subset(spread, subset) if subset != ABSENT else label
        message = result.text(lib.REBAL_ADMITTED_MESSAGE, 0) or refusal
        outcome = AdmitOutcome(cell(lib.REBAL_ADMITTED_OUTCOME, 0))
        return Admission(outcome, name, label, admitted, message, Turn(result))

    def review(self, review: Manifest, *, now: Time, options: OptionsLike = None) -> Tuple[Dict[str, Any], Turn]:
        """Answers an AdmissionReview about a pod or its eviction: the AdmissionReview that answers it, and the turn
        whose action writes the status. ParseError: it is not an AdmissionReview."""
        given = manifests.json_of(dict(manifests.mapping(review)))
        kept = ffi.from_buffer(given)
        request = structure("pod_request", text=kept, text_len=len(given))
        compat, kept_options = pointer_of(options)
        opts, result, text = structure("admit_opts", compat=compat), Result(), make("text", lib.rebal_text_new)
        with self._alone() as feed, self._store._alone():
            call(lib.rebal_spread_feed_review, context(), feed, request, times.to_c(now), opts, result.pointer, text)
        del kept_options
        return json.loads(bytes_of(text)), Turn(result)


def _subset(spread: Any, subset: int) -> str:
    return "" if subset == ABSENT else decoded(lib.rebal_spread_subset_name(spread, subset, NULL))


def _label_version(cells: Any, pod: int) -> str:
    """The version that the pod's label holds, where there are no counts since the latest version is unknown."""
    version = decoded(lib.rebal_cells_get_text(cells, lib.REBAL_SPREAD_POD_VERSION, NONE, pod, NULL))
    label = lib.rebal_cells_get_i64(cells, lib.REBAL_SPREAD_POD_VERSION_LABEL, NONE, pod)
    if label == lib.REBAL_VERSION_LABEL_TEMPLATE_HASH:
        return version
    return version.rpartition("-")[2] if label == lib.REBAL_VERSION_LABEL_REVISION_HASH else "versionIgnored"


def spread(objects: Union[Manifests, Store], *, now: Time, options: OptionsLike = None) -> Dict[str, Pass]:
    """One pass over each WorkloadSpread among objects (WorkloadSpreads, workloads, ReplicaSets, pods, nodes): by
    "namespace/name". Nothing is changed: effects are the actions of each pass.

    ParseError, OutOfRangeError: an object cannot be read.
    """
    store = objects if isinstance(objects, Store) else Store(objects)
    spreads = Spreads(store)
    spreads.update()
    return {f"{key.namespace}/{key.name}": spreads.step(key.name, now=now, namespace=key.namespace, options=options)
            for key in store.keys("WorkloadSpread")}


__all__ = ["Admission", "Pass", "Pod", "Spreads", "Subset", "spread"]
