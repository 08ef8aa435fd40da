# SPDX-License-Identifier: MIT
"""The clusters and what is known of them: Fleet, which changes, and Snapshot, which does not."""
import threading
from typing import Any, Dict, List, Optional, Tuple, Union

from . import manifests
from ._call import NONE, NULL, Handle, call, decoded, ffi, lib, make, own, pair, saved_by
from .lists.errors import NotFoundError, StateError
from .manifests import Manifests


class Names:
    """Names of the cluster ids of a fleet, which never change; kept by all that speaks of ids."""

    __slots__ = ("fleet", "busy", "_known")

    def __init__(self, fleet: Any, busy: Any) -> None:
        self.fleet = fleet
        self.busy = busy
        self._known: List[str] = []

    def __getitem__(self, cluster: int) -> str:
        """The name of a cluster id; also of one that only bindings name."""
        if cluster >= len(self._known):
            with self.busy:
                cells = lib.rebal_fleet_cells(self.fleet)
                bound = lib.rebal_cells_bound(cells, lib.REBAL_TABLE_CLUSTER, NONE)
                self._known.extend([
                    decoded(lib.rebal_cells_get_text(cells, lib.REBAL_CLUSTER_NAME, NONE, row, NULL))
                    for row in range(len(self._known), bound)])
        return self._known[cluster]


class Snapshot:
    """A fleet as it was at one moment. It does not change: any number of threads may schedule from it together.

    Bindings that are made later may speak of clusters and placements that it does not know: make bindings first.
    """

    def __init__(self, pointer: Any, fleet: "Fleet") -> None:
        self._pointer = pointer
        self._fleet = fleet
        self._names = fleet._names

    @property
    def version(self) -> int:
        """Counts up with each snapshot of a fleet."""
        return int(lib.rebal_snapshot_version(self._pointer))

    @property
    def clusters(self) -> Tuple[str, ...]:
        """Names of the clusters, sorted."""
        cells, row, names = lib.rebal_snapshot_cells(self._pointer), NONE, []
        while (row := lib.rebal_cells_next(cells, lib.REBAL_TABLE_CLUSTER, NONE, row)) != NONE:
            names.append(self._names[row])
        return tuple(sorted(names))

    def cluster_id(self, name: str) -> int:
        """The id of a cluster, by which columns and results speak of it. NotFoundError: there is none."""
        found = lib.rebal_snapshot_find_cluster(self._pointer, *pair(name, "name"))
        if found == NONE or not lib.rebal_cells_has(lib.rebal_snapshot_cells(self._pointer), lib.REBAL_TABLE_CLUSTER,
                                                    NONE, found):  # names without a cluster have ids, too
            raise NotFoundError(f"no cluster {name!r} in the fleet")
        return int(found)

    def cluster_name(self, cluster: int) -> str:
        """The name of a cluster id; also of one that only bindings name."""
        return self._names[cluster]

    def __len__(self) -> int:
        return int(lib.rebal_cells_count(lib.rebal_snapshot_cells(self._pointer), lib.REBAL_TABLE_CLUSTER, NONE))

    def __repr__(self) -> str:
        return f"<Snapshot {self.version} of {len(self)} clusters>"


class Feed:
    """What a store has given to a fleet so far; kept by the fleet together with the store."""

    __slots__ = ("store", "seen", "out")

    def __init__(self, store: Any = None) -> None:
        self.store = make("store", lib.rebal_store_new, NULL) if store is None else store
        self.seen = 0
        self.out = ffi.gc(ffi.new("rebal_feed **"), lambda out, kept=self.store: lib.rebal_feed_free(out[0]))


def put_text(store: Any, text: bytes) -> None:
    """rebal_store_put(); the empty text holds no object."""
    if text:
        call(lib.rebal_store_put, store, text, len(text))


class Fleet(Handle):
    """Clusters of Karmada, by their Cluster objects, and what runs in each.

    Fleet(clusters) takes objects as librebalance.manifests does. put() and remove() change it; what reads it takes a
    snapshot of it as it is then. Calls of one fleet follow one another, whatever threads make them.

    ParseError, OutOfRangeError, ExistsError: a cluster cannot be read, with document, line, column and field.
    """

    def __init__(self, clusters: Manifests = ()) -> None:
        super().__init__(make("fleet", lib.rebal_fleet_new, NULL))
        self._start(Feed())
        self.put(clusters)

    @classmethod
    def _of(cls, objects: Feed) -> "Fleet":
        """A fleet of the clusters of a store, which it follows."""
        fleet = cls.__new__(cls)
        Handle.__init__(fleet, make("fleet", lib.rebal_fleet_new, NULL))
        fleet._start(objects)
        fleet._follows = True
        fleet._update(objects)
        return fleet

    def _start(self, objects: Optional[Feed]) -> None:
        self._busy = threading.RLock()
        self._objects = objects
        self._follows = False
        self._members: Dict[str, Feed] = {}
        self._names = Names(self._held, self._busy)
        self._frozen: Any = None  # a pointer: a Snapshot refers to its fleet, and cycles are freed late

    # ---- changing -----------------------------------------------------------------------------------------------

    def put(self, clusters: Manifests) -> None:
        """Adds clusters or replaces those of the same name. All or nothing. Other kinds of objects are ignored.

        StateError: the clusters are not those of this fleet alone: it was loaded, or follows a store.
        """
        text = manifests.text_of(clusters)
        with self._busy:
            objects = self._changing()
            self._check_own()
            put_text(objects.store, text)
            self._update(objects)

    def remove(self, cluster: str) -> None:
        """Removes a cluster, also from a fleet that was loaded. NotFoundError: there is none; StateError: the fleet
        follows a store."""
        with self._busy:
            self._pointer
            self._check_own()
            row = self.snapshot().cluster_id(cluster)
            if self._objects is None:
                self._frozen = None
                call(lib.rebal_cells_remove, lib.rebal_fleet_cells(self._pointer), lib.REBAL_TABLE_CLUSTER, NONE,
                     ffi.new("uint32_t[]", [row]), 1)
                return
            store = self._objects.store
            found = lib.rebal_store_find(store, *pair("Cluster.cluster.karmada.io", ""), *pair("", ""),
                                         *pair(cluster, "cluster"))
            call(lib.rebal_store_remove, store, found)
            self._members.pop(cluster, None)
            self._update(self._objects)

    def without(self, *clusters: str) -> "Fleet":
        """A copy that lacks these clusters. NotFoundError: there is no such cluster."""
        fleet = Fleet.load(self.save())
        for cluster in clusters:
            fleet.remove(cluster)
        return fleet

    def put_member(self, cluster: str, objects: Manifests) -> None:
        """Adds or replaces what runs in a cluster: Nodes, Pods, workloads, ReplicaSets, ResourceQuotas.

        NotFoundError: no such cluster; OutOfRangeError: pods request more than can be counted.
        """
        text = manifests.text_of(objects)
        with self._busy:
            self._changing()
            row = self.snapshot().cluster_id(cluster)
            member = self._members.setdefault(cluster, Feed())
            put_text(member.store, text)
            self._frozen = None
            call(lib.rebal_store_feed_member, member.store, self._pointer, row, member.out)

    def _changing(self) -> Feed:
        self._pointer
        if self._objects is None:
            raise StateError("a fleet that was loaded has no objects to change: make one of the Cluster objects")
        return self._objects

    def _check_own(self) -> None:
        if self._follows:
            raise StateError("the clusters of this fleet are not its own: it follows a store, change that")

    def _update(self, objects: Feed) -> None:
        self._frozen = None
        objects.seen = lib.rebal_store_change_count(objects.store)
        call(lib.rebal_store_feed_clusters, objects.store, self._pointer, objects.out)

    # ---- reading ------------------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """The fleet as it is now; of the same version while nothing changes."""
        with self._busy:
            pointer, objects = self._pointer, self._objects
            if objects is not None and objects.seen != lib.rebal_store_change_count(objects.store):
                self._update(objects)
            if self._frozen is None:
                out = ffi.new("rebal_snapshot **")
                call(lib.rebal_fleet_freeze, pointer, out)
                self._frozen = own("snapshot", out[0], lib.rebal_snapshot_unref)
            return Snapshot(self._frozen, self)

    @property
    def clusters(self) -> Tuple[str, ...]:
        """Names of the clusters, sorted."""
        return self.snapshot().clusters

    def __len__(self) -> int:
        return len(self.snapshot())

    def __contains__(self, cluster: object) -> bool:
        return cluster in self.clusters

    def __repr__(self) -> str:
        return "<Fleet, closed>" if self.closed else f"<Fleet of {len(self)} clusters>"

    def _id(self, cluster: str) -> int:
        """The id of a cluster's name, which the fleet may not have."""
        with self._busy:
            out = ffi.new("uint32_t *")
            call(lib.rebal_fleet_cluster_id, self._pointer, *pair(cluster, "cluster"), out)
            self._frozen = None
            return int(out[0])

    # ---- as bytes -----------------------------------------------------------------------------------------------

    def save(self) -> bytes:
        """The clusters and all that is known of them as bytes, which load() reads on any machine."""
        return saved(self, NULL, NULL)

    @classmethod
    def load(cls, data: Union[bytes, bytearray, memoryview]) -> "Fleet":
        """The fleet that save() wrote: same ids, same answers. Its objects are not in the bytes, so put() is a
        StateError. ParseError: these are no such bytes; UnsupportedError: a later version wrote them."""
        return loaded(cls, data)[0]

    def __reduce__(self) -> "tuple[object, ...]":
        return (type(self).load, (self.save(),))


def saved(fleet: Fleet, bindings: Any, ledger: Any) -> bytes:
    """rebal_fleet_save() into bytes."""
    with fleet._busy:
        return saved_by(lib.rebal_fleet_save, fleet._pointer, bindings, ledger)


def loaded(cls: Any, data: Union[bytes, bytearray, memoryview]) -> "Tuple[Fleet, Any, Any]":
    """rebal_fleet_load(): a fleet, bindings or None, a ledger or None."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"a saved fleet is bytes, not {type(data).__name__}")
    view = ffi.from_buffer(data)
    out = ffi.new("rebal_fleet **"), ffi.new("rebal_bindings **"), ffi.new("rebal_ledger **")
    call(lib.rebal_fleet_load, NULL, view, len(view), *out)
    fleet: Fleet = cls.__new__(cls)
    Handle.__init__(fleet, own("fleet", out[0][0]))
    fleet._start(None)
    bindings = own("bindings", out[1][0]) if out[1][0] else None
    ledger = own("ledger", out[2][0]) if out[2][0] else None
    return fleet, bindings, ledger


#: What calls take their clusters from.
FleetLike = Union[Fleet, Snapshot]


def snapshot_of(fleet: FleetLike) -> Snapshot:
    """A snapshot of a fleet, or the one given."""
    if isinstance(fleet, Snapshot):
        return fleet
    if isinstance(fleet, Fleet):
        return fleet.snapshot()
    raise TypeError(f"expected a Fleet or Snapshot, not {type(fleet).__name__}")

