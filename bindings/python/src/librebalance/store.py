# SPDX-License-Identifier: MIT
"""Objects as an informer keeps them: Store, fed by texts, objects or the events of a watch."""
import json
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

from . import manifests, times
from ._call import NONE, NULL, Handle, bytes_of, call, decoded, encoded, ffi, int32, lib, make, options, pair
from .bindings import Bindings
from .fleet import Feed, Fleet, put_text
from .lists import TextFormat
from .lists.errors import NotFoundError, TryAgainError
from .manifests import Manifests
from .times import Time


@dataclass(frozen=True)
class Key:
    """The identity of an object: kind ("Pod", or with its API group "Cluster.cluster.karmada.io"), namespace ("" for
    one of a cluster), name."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"


class Store(Handle):
    """Objects by kind, namespace and name. One thread at a time.

    Store(objects) takes objects as librebalance.manifests does. ParseError, OutOfRangeError, ExistsError: one cannot be
    read, with document, line, column and field; nothing is changed then.
    """

    def __init__(self, objects: Manifests = ()) -> None:
        super().__init__(make("store", lib.rebal_store_new, NULL))
        self.put(objects)

    # ---- changing -----------------------------------------------------------------------------------------------

    def put(self, objects: Manifests) -> None:
        """Creates or replaces objects as an informer does: they are as given, nothing is defaulted or counted."""
        text = manifests.text_of(objects)
        with self._alone() as store:
            put_text(store, text)

    def apply(self, objects: Manifests, now: Time) -> None:
        """What `kubectl apply` of the objects would do at now, admission included."""
        text = manifests.text_of(objects)
        if text:
            with self._alone() as store:
                call(lib.rebal_store_apply, store, text, len(text), times.to_c(now))

    def patch(self, kind: str, name: str, patch: Any, now: Time, namespace: str = "") -> None:
        """Changes an object as an API server would at now: a mapping is a JSON merge patch, a list a JSON patch.

        NotFoundError: no such object; MismatchError: a test fails; InvalidArgumentError: the patch cannot be applied.
        """
        text = patch if isinstance(patch, bytes) else manifests.json_of(patch)
        with self._alone() as store:
            call(lib.rebal_store_patch, store, self._find(kind, name, namespace), text, len(text), times.to_c(now))

    def remove(self, kind: str, name: str, namespace: str = "") -> None:
        """Removes an object. NotFoundError: there is none."""
        with self._alone() as store:
            call(lib.rebal_store_remove, store, self._find(kind, name, namespace))

    def event(self, event: Mapping[str, Any]) -> None:
        """One event of a watch, as the kubernetes client's Watch().stream() gives it: type ADDED, MODIFIED, DELETED,
        BOOKMARK or ERROR, and the object. TryAgainError: an ERROR, after which the caller lists again."""
        if not isinstance(event, Mapping):
            raise TypeError(f"an event is a mapping with type and object, not {type(event).__name__}")
        kind = event.get("type")
        if kind == "BOOKMARK":
            return
        if kind is None or not (event.get("raw_object") or "object" in event):
            members = ", ".join(map(str, event)) or "nothing"
            raise TypeError(f"an event has a type and an object, this one has {members}")
        given = manifests.mapping(event.get("raw_object") or event["object"])
        if kind == "ERROR":
            raise TryAgainError(str(given.get("message", "the watch failed")))
        if kind in ("ADDED", "MODIFIED"):
            self.put(given)
        elif kind == "DELETED":
            metadata = given.get("metadata", {})
            group, slash, _ = str(given.get("apiVersion", "")).partition("/")
            name = f"{given.get('kind', '')}.{group if slash else ''}"
            if self.has(name, metadata.get("name", ""), metadata.get("namespace", "")):
                self.remove(name, metadata.get("name", ""), metadata.get("namespace", ""))
        else:
            raise ValueError(f"an event is ADDED, MODIFIED, DELETED, BOOKMARK or ERROR, not {kind!r}")

    def add_resource(self, kind: str, plural: str, namespaced: bool) -> None:
        """Sets the plural of a kind that the library does not know, as in paths of an API server."""
        with self._alone() as store:
            call(lib.rebal_store_add_resource, store, *pair(kind, "kind"), *pair(plural, "plural"), int(namespaced))

    # ---- reading ------------------------------------------------------------------------------------------------

    def _id(self, kind: str, name: str, namespace: str = "") -> int:
        found: int = lib.rebal_store_find(self._pointer, *pair(kind, "kind"), *pair(namespace, "namespace"),
                                          *pair(name, "name"))
        return found

    def _find(self, kind: str, name: str, namespace: str = "") -> int:
        found = self._id(kind, name, namespace)
        if found == NONE:
            raise NotFoundError(f"no {Key(kind, namespace, name)} in the store")
        return found

    def _key(self, one: int) -> Key:
        return Key(*(decoded(lib.rebal_store_identity(self._pointer, one, part, NULL)) for part in (
            lib.REBAL_IDENTITY_KIND, lib.REBAL_IDENTITY_NAMESPACE, lib.REBAL_IDENTITY_NAME)))

    def _name(self, one: int) -> Optional[str]:
        return None if one == NONE else decoded(lib.rebal_store_identity(self._pointer, one, lib.REBAL_IDENTITY_NAME,
                                                                         NULL))

    def _text(self, one: int, path: str) -> Optional[str]:
        """The text at a path; None: there is none."""
        text = make("text", lib.rebal_text_new)
        try:
            with self._alone() as store:
                call(lib.rebal_store_text, store, one, *pair(path, "path"), text)
        except NotFoundError:
            return None
        return bytes_of(text)

    def _object(self, one: int) -> Dict[str, Any]:
        text = make("text", lib.rebal_text_new)
        with self._alone() as store:
            call(lib.rebal_store_write, store, one, TextFormat.JSON, text)
        found: Dict[str, Any] = json.loads(bytes_of(text))
        return found

    def has(self, kind: str, name: str, namespace: str = "") -> bool:
        """Whether such an object exists."""
        return self._id(kind, name, namespace) != NONE

    def get(self, kind: str, name: str, namespace: str = "") -> Dict[str, Any]:
        """An object as a dictionary, members that the library does not know included. NotFoundError: there is none."""
        return self._object(self._find(kind, name, namespace))

    def _ids(self, kind: str) -> List[int]:
        text, found, one = encoded(kind, "kind"), [], NONE
        while (one := lib.rebal_store_next(self._pointer, text, len(text), one)) != NONE:
            found.append(one)
        return found

    def objects(self, kind: str = "") -> Iterator[Dict[str, Any]]:
        """Objects of a kind, or all, by kind, namespace and name."""
        return (self._object(one) for one in self._ids(kind))

    def keys(self, kind: str = "") -> List[Key]:
        """Their identities."""
        return [self._key(one) for one in self._ids(kind)]

    def write(self, kind: str, name: str, namespace: str = "", format: TextFormat = TextFormat.YAML) -> str:
        """The text of an object."""
        text = make("text", lib.rebal_text_new)
        with self._alone() as store:
            call(lib.rebal_store_write, store, self._find(kind, name, namespace), format, text)
        return bytes_of(text)

    @property
    def change_count(self) -> int:
        """Counts each object created, changed or deleted."""
        return int(lib.rebal_store_change_count(self._pointer))

    def __len__(self) -> int:
        return int(lib.rebal_store_count(self._pointer))

    def __repr__(self) -> str:
        return "<Store, closed>" if self.closed else f"<Store of {len(self)} objects>"

    # ---- into the core ------------------------------------------------------------------------------------------

    def fleet(self) -> Fleet:
        """A fleet of the clusters of the store, which follows it: a snapshot reads what changed in the store since.
        Its own put() and remove() are StateErrors."""
        return Fleet._of(Feed(self._pointer))

    def bindings(self, fleet: Fleet) -> Bindings:
        """All bindings of the store, by kind, namespace and name, as they are now."""
        with self._alone() as store:
            return Bindings._of(fleet, store, self._ids("ResourceBinding") + self._ids("ClusterResourceBinding"))


@dataclass(frozen=True)
class Request:
    """What a client sends to an API server; method "" when nothing is sent."""

    method: str
    path: str
    content_type: str
    body: str


class Watch(Handle):
    """A list and watch of one kind without I/O: it gives requests, takes the bytes of their answers, and keeps the
    objects of a store as the API server has them. Used by the thread that uses the store.

    selectors: label_selector such as "app=web", field_selector such as "spec.nodeName=node-1".
    """

    def __init__(self, store: Store, api_version: str, kind: str, *, namespace: str = "", label_selector: str = "",
                 field_selector: str = "", page_size: int = 0, timeout_seconds: int = 0) -> None:
        texts = [encoded(one, what) for one, what in ((namespace, "namespace"), (label_selector, "label_selector"),
                                                      (field_selector, "field_selector"))]
        kept = [ffi.from_buffer(one) for one in texts]
        opts = options("watch_opts", page_size=page_size, timeout_seconds=timeout_seconds, namespace_=kept[0],
                       namespace_len=len(texts[0]), label_selector=kept[1], label_selector_len=len(texts[1]),
                       field_selector=kept[2], field_selector_len=len(texts[2]))
        self._store = store
        parent = store._pointer
        super().__init__(make("watch", lib.rebal_watch_new, parent, *pair(api_version, "api_version"),
                              *pair(kind, "kind"), opts, keep=(parent,)))

    def request(self) -> str:
        """Path and query of the next request, a GET: pages of the list first, then watches."""
        text = make("text", lib.rebal_text_new)
        with self._alone() as watch:
            call(lib.rebal_watch_request, watch, text)
        return bytes_of(text)

    def feed(self, data: bytes) -> None:
        """Bytes of the answer's body, in any pieces. ParseError, OutOfRangeError: an object is refused, the store keeps
        the one it had, and the watch goes on."""
        with self._alone() as watch, self._store._alone():
            call(lib.rebal_watch_feed, watch, encoded(data, "data"), len(data))

    def end(self, status: int) -> None:
        """Ends the answer, with its HTTP status (0: none came). TryAgainError, ParseError, LimitError: the caller waits
        before the next request."""
        with self._alone() as watch, self._store._alone():
            call(lib.rebal_watch_end, watch, int32(status, "status"))

    @property
    def synced(self) -> bool:
        """Was the first list complete?"""
        return bool(lib.rebal_watch_is_synced(self._pointer))


Answer = Union[bytes, str, Mapping[str, Any]]


def answer_text(answer: Optional[Answer]) -> Tuple[bytes, int]:
    """The body of an API server's answer, as arguments."""
    if answer is None:
        return b"", 0
    text = manifests.json_of(answer) if isinstance(answer, Mapping) else encoded(answer, "answer")
    return text, len(text)


__all__ = ["Key", "Request", "Store", "Watch"]
