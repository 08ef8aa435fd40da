# SPDX-License-Identifier: MIT
"""Workloads to be placed: Binding and Placement describe one, Bindings holds many as the library has them."""
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import manifests, times
from ._call import NONE, NULL, call, decoded, ffi, lib, make
from .fleet import Fleet, loaded, saved
from .lists.errors import InvalidArgumentError, NotFoundError
from .manifests import Manifests
from .times import Time


@dataclass(frozen=True)
class Placement:
    """Which clusters may take a workload, and how its replicas are divided among them (spec.placement).

    cluster_names: clusters by name; empty: all. exclude: clusters never taken. match_labels: labels that clusters must
    have. tolerations, spread_constraints: as in the API. division: "Duplicated" (every cluster has all replicas),
    "Aggregated", "Weighted" (equal weights), "AvailableReplicas" (weights by what fits), or static weights by cluster
    name. None leaves replicaScheduling out.
    """

    cluster_names: Sequence[str] = ()
    exclude: Sequence[str] = ()
    match_labels: Mapping[str, str] = field(default_factory=dict)
    tolerations: Sequence[Mapping[str, Any]] = ()
    spread_constraints: Sequence[Mapping[str, Any]] = ()
    division: Union[str, Mapping[str, int], None] = None

    def to_dict(self) -> Dict[str, Any]:
        """spec.placement in the shape of the API."""
        affinity: Dict[str, Any] = {}
        if self.cluster_names:
            affinity["clusterNames"] = list(self.cluster_names)
        if self.exclude:
            affinity["exclude"] = list(self.exclude)
        if self.match_labels:
            affinity["labelSelector"] = {"matchLabels": dict(self.match_labels)}
        members = {"clusterAffinity": affinity, "clusterTolerations": list(self.tolerations),
                   "spreadConstraints": list(self.spread_constraints), "replicaScheduling": self._scheduling()}
        return {name: member for name, member in members.items() if member}

    def _scheduling(self) -> Dict[str, Any]:
        if self.division is None:
            return {}
        if self.division == "Duplicated":
            return {"replicaSchedulingType": "Duplicated"}
        divided: Dict[str, Any] = {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Weighted"}
        if self.division == "Aggregated":
            divided["replicaDivisionPreference"] = "Aggregated"
        elif self.division == "AvailableReplicas":
            divided["weightPreference"] = {"dynamicWeight": "AvailableReplicas"}
        elif isinstance(self.division, Mapping):
            divided["weightPreference"] = {"staticWeightList": [
                {"targetCluster": {"clusterNames": [name]}, "weight": weight}
                for name, weight in self.division.items()]}
        elif self.division != "Weighted":
            raise ValueError(f"division must be Duplicated, Aggregated, Weighted, AvailableReplicas or weights by "
                             f"cluster name, not {self.division!r}")
        return divided


@dataclass(frozen=True)
class Binding:
    """One workload to be placed, as in a ResourceBinding.

    name, namespace: of the workload; replicas: how many are wanted; placement: a Placement, or spec.placement as a
    mapping; requests: of one replica, such as {"cpu": "100m"}; kind, api_version: of the workload; clusters:
    replicas by cluster that it has now; last_scheduled: when they were given to it, None: long ago; uid: of the
    workload, which decides ties.
    """

    name: str
    replicas: int = 1
    placement: Union[Placement, Mapping[str, Any], None] = None
    namespace: str = "default"
    requests: Mapping[str, str] = field(default_factory=dict)
    kind: str = "Deployment"
    api_version: str = "apps/v1"
    clusters: Mapping[str, int] = field(default_factory=dict)
    uid: str = ""
    last_scheduled: Optional[Time] = None

    def __post_init__(self) -> None:
        for what, given in (("clusters", self.clusters), ("requests", self.requests)):
            if not isinstance(given, Mapping):
                raise TypeError(f"{what} of a Binding must be a mapping by name, not {type(given).__name__}")

    def to_dict(self) -> Dict[str, Any]:
        """The ResourceBinding in the shape of the API."""
        placement = self.placement.to_dict() if isinstance(self.placement, Placement) else self.placement
        resource = {"apiVersion": self.api_version, "kind": self.kind, "namespace": self.namespace, "name": self.name}
        spec: Dict[str, Any] = {"resource": {**resource, **({"uid": self.uid} if self.uid else {})},
                                "replicas": self.replicas, "placement": placement or {}}
        if self.requests:
            spec["replicaRequirements"] = {"resourceRequest": dict(self.requests)}
        if self.clusters:
            spec["clusters"] = [{"name": name, "replicas": count} for name, count in self.clusters.items()]
        status = {"lastScheduledTime": self.last_scheduled or "1970-01-01T00:00:00Z"} if self.clusters else {}
        return {"apiVersion": "work.karmada.io/v1alpha2", "kind": "ResourceBinding",
                "metadata": {"namespace": self.namespace, "name": manifests.binding_name(self.name, self.kind)},
                "spec": spec, **({"status": status} if status else {})}


class Bindings(Sequence[str]):
    """Bindings of a fleet in the order given, frozen: any number of threads may use them. Items are their names,
    "namespace/name", or "name" of a ClusterResourceBinding.

    Made once, they are scheduled many times without being read again. ParseError, OutOfRangeError: an object cannot be
    read, with document, line, column and field; ExistsError: one occurs twice; InvalidArgumentError: one is no
    ResourceBinding or ClusterResourceBinding.
    """

    def __init__(self, fleet: Fleet, bindings: Manifests, *,
                 unhealthy: Optional[Mapping[str, Mapping[str, Time]]] = None,
                 history: Optional[Mapping[str, Mapping[str, Time]]] = None) -> None:
        """unhealthy: since when which binding is unhealthy in which cluster, by name; history: when it was evicted from
        which cluster, for cool_down()."""
        text = manifests.text_of(bindings)
        store = make("store", lib.rebal_store_new, NULL)
        if text:
            call(lib.rebal_store_load, store, text, len(text))
        self._fill(fleet, store, _binding_objects(store), unhealthy, history)

    @classmethod
    def _of(cls, fleet: Fleet, store: Any, objects: List[int]) -> "Bindings":
        """Objects of a store."""
        made = cls.__new__(cls)
        made._fill(fleet, store, objects, None, None)
        return made

    def _fill(self, fleet: Fleet, store: Any, objects: List[int],
              unhealthy: Optional[Mapping[str, Mapping[str, Time]]],
              history: Optional[Mapping[str, Mapping[str, Time]]]) -> None:
        if not isinstance(fleet, Fleet):
            raise TypeError(f"expected a Fleet, not {type(fleet).__name__}")
        self._fleet = fleet
        self._listed: Optional[List[str]] = None
        with fleet._busy:
            self._pointer = make("bindings", lib.rebal_bindings_new, fleet._pointer, NULL)
            if objects:
                call(lib.rebal_store_feed_bindings, store, fleet._pointer, objects, len(objects), self._pointer)
            self._add_times("UNHEALTHY", "SINCE", unhealthy or {})
            self._add_times("HISTORY", "TIME", history or {})
            call(lib.rebal_bindings_freeze, self._pointer)
            fleet._frozen = None  # a snapshot taken before does not know what these name

    def _add_times(self, table: str, column: str, rows: Mapping[str, Mapping[str, Time]]) -> None:
        cells, out = lib.rebal_bindings_cells(self._pointer), ffi.new("uint32_t[1]")
        for name, entries in rows.items():
            for cluster, moment in entries.items():
                call(lib.rebal_cells_add, cells, getattr(lib, f"REBAL_TABLE_{table}"), self.row(name), out, 1)
                call(lib.rebal_cells_set_i64, cells, getattr(lib, f"REBAL_{table}_CLUSTER"), NONE, out[0],
                     self._fleet._id(cluster))
                call(lib.rebal_cells_set_time, cells, getattr(lib, f"REBAL_{table}_{column}"), NONE, out[0],
                     times.to_c(moment))

    @property
    def fleet(self) -> Fleet:
        """The fleet that they belong to."""
        return self._fleet

    def _all(self) -> List[str]:
        if self._listed is None:
            cells = lib.rebal_bindings_const_cells(self._pointer)
            self._listed = [_key(cells, row) for row in range(len(self))]
        return self._listed

    def __len__(self) -> int:
        return int(lib.rebal_cells_count(lib.rebal_bindings_const_cells(self._pointer), lib.REBAL_TABLE_BINDING, NONE))

    def __getitem__(self, row: Any) -> Any:
        return self._all()[row]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def row(self, name: str) -> int:
        """The row of a binding. NotFoundError: there is none of this name."""
        try:
            return self._all().index(name)
        except ValueError:
            raise NotFoundError(f"no binding {name!r}") from None

    def targets(self, row: int) -> Dict[str, int]:
        """Replicas by cluster that a binding has now."""
        cells = lib.rebal_bindings_const_cells(self._pointer)
        found, child = {}, NONE
        while (child := lib.rebal_cells_next(cells, lib.REBAL_TABLE_TARGET, row, child)) != NONE:
            cluster = lib.rebal_cells_get_i64(cells, lib.REBAL_TARGET_CLUSTER, NONE, child)
            found[self._fleet._names[cluster]] = lib.rebal_cells_get_i64(cells, lib.REBAL_TARGET_REPLICAS, NONE, child)
        return found

    def save(self) -> bytes:
        """The bindings and their fleet as bytes, which load() reads on any machine."""
        return saved(self._fleet, self._pointer, NULL)

    @classmethod
    def load(cls, data: Union[bytes, bytearray, memoryview]) -> "Bindings":
        """The bindings that save() wrote, with a fleet of their own. ParseError: these are no such bytes."""
        fleet, pointer, _ = loaded(Fleet, data)
        if pointer is None:
            raise NotFoundError("these bytes hold a fleet without bindings")
        return cls._own(fleet, pointer)

    @classmethod
    def _own(cls, fleet: Fleet, pointer: Any) -> "Bindings":
        made = cls.__new__(cls)
        made._pointer, made._fleet, made._listed = pointer, fleet, None
        return made

    def without(self, *clusters: str) -> "Bindings":
        """The same bindings of a copy of their fleet that lacks these clusters. NotFoundError: no such cluster."""
        made = Bindings.load(self.save())
        for cluster in clusters:
            made.fleet.remove(cluster)
        return made

    def __reduce__(self) -> "Tuple[object, ...]":
        return (type(self).load, (self.save(),))

    def __repr__(self) -> str:
        return f"<Bindings: {len(self)}>"


def _binding_objects(store: Any) -> List[int]:
    """Binding objects of a store in the order of its text. InvalidArgumentError: one is of another kind."""
    seen, found = ffi.new("uint64_t *"), []
    while (one := lib.rebal_store_next_changed(store, seen)) != NONE:
        kind, namespace, name = (decoded(lib.rebal_store_identity(store, one, part, NULL)) for part in (
            lib.REBAL_IDENTITY_KIND, lib.REBAL_IDENTITY_NAMESPACE, lib.REBAL_IDENTITY_NAME))
        if kind not in ("ResourceBinding", "ClusterResourceBinding"):
            raise InvalidArgumentError(
                f"{kind} {'/'.join(filter(None, (namespace, name)))} is not a binding: expected a ResourceBinding or "
                "ClusterResourceBinding; Detector makes one of a workload and a policy, Binding(...) describes one")
        found.append(one)
    return found


def _key(cells: Any, row: int) -> str:
    namespace = decoded(lib.rebal_cells_get_text(cells, lib.REBAL_BINDING_NAMESPACE, NONE, row, NULL))
    name = decoded(lib.rebal_cells_get_text(cells, lib.REBAL_BINDING_NAME, NONE, row, NULL))
    return f"{namespace}/{name}" if namespace else name


#: Bindings as functions take them: made before, or objects of them.
BindingsLike = Union[Bindings, Manifests]


def bindings_of(fleet: Fleet, bindings: BindingsLike) -> Bindings:
    """The bindings as the library has them."""
    return bindings if isinstance(bindings, Bindings) else Bindings(fleet, bindings)
