# SPDX-License-Identifier: MIT
"""What Karmada's control plane does between templates and bindings: which policy takes a template, and the binding that
is written. Detector follows a store."""
from dataclasses import dataclass
from typing import List, Mapping, Optional, Sequence

from . import times
from ._call import NONE, NULL, Handle, call, decoded, encoded, ffi, lib, make, options
from .lists import DetectorGate, DetectorList, DetectorOutcome, Precision
from .store import Key, Store
from .times import Time


@dataclass(frozen=True)
class Detection:
    """How a pass over a template, or an event of a policy, ended; policy and binding: None where there is none;
    message: why the reference tries again, "": it does not."""

    outcome: DetectorOutcome
    policy: Optional[Key]
    binding: Optional[Key]
    message: str


@dataclass(frozen=True)
class Waiting:
    """An entry of a list: key "apiVersion/kind/namespace/name"; by_karmada: the change was not made by its user."""

    key: str
    by_karmada: bool


class Detector(Handle):
    """The detector of a store, which it reads and writes. One thread at a time, the one that uses the store.

    gates: those that are not at their default; skipped_namespaces: regular expressions, None: one, kube-.*;
    skipped_apis: such as "apps/v1/Deployment;batch"; replicas_paths: "KIND=PATH,..." of kinds that Karmada does not
    know. InvalidArgumentError: skipped_apis or replicas_paths are malformed; UnsupportedError: a regular expression
    that the syntaxes of RE2 and POSIX do not share.
    """

    def __init__(self, store: Store, *, gates: Optional[Mapping[DetectorGate, bool]] = None,
                 skipped_namespaces: Optional[Sequence[str]] = None, skipped_apis: str = "", replicas_paths: str = "",
                 admission: bool = False) -> None:
        bits = 0
        for gate, on in (gates or {}).items():
            is_on = bool(lib.REBAL_DETECTOR_GATES_ON & 1 << gate)
            bits |= (1 << gate) if bool(on) != is_on else 0
        spaces = [ffi.new("char[]", encoded(one, "namespace")) for one in skipped_namespaces or ()]
        texts = [encoded(skipped_apis, "skipped_apis"), encoded(replicas_paths, "replicas_paths")]
        kept = [ffi.from_buffer(text) for text in texts]
        pointers = NULL if skipped_namespaces is None else ffi.new("char *[]", [*spaces, NULL])
        opts = options("detector_opts", gates=bits, flags=lib.REBAL_DETECTOR_FLAG_ADMISSION if admission else 0,
                       n_skipped_namespaces=len(spaces), skipped_namespaces=pointers, skipped_apis=kept[0],
                       skipped_apis_len=len(texts[0]), replicas_paths=kept[1], replicas_paths_len=len(texts[1]))
        self._store = store
        parent = store._pointer
        super().__init__(make("detector", lib.rebal_detector_new, parent, opts, keep=(parent,)))

    def _detection(self, row: "object") -> Detection:
        made = ffi.cast("rebal_detector_row *", row)
        keys = [None if one == NONE else self._store._key(one) for one in (made.policy, made.binding)]
        return Detection(DetectorOutcome(made.outcome), keys[0], keys[1], decoded(made.message, made.message_len))

    def match(self, policy: Key, template: Key) -> Precision:
        """How precisely a policy selects a template. NotFoundError: the store does not have them."""
        out = ffi.new("uint32_t *")
        with self._alone() as detector, self._store._alone():
            call(lib.rebal_detector_match, detector, self._id(policy), self._id(template), out)
        return Precision(out[0])

    def _id(self, key: Key) -> int:
        return self._store._find(key.kind, key.name, key.namespace)

    def template(self, template: Key, *, now: Time, by_karmada: bool = False) -> Detection:
        """One pass over a template: chooses the policy, claims the template, writes the binding into the store."""
        row, flags = options("detector_row"), lib.REBAL_DETECTOR_PASS_BY_KARMADA if by_karmada else 0
        with self._alone() as detector, self._store._alone():
            call(lib.rebal_detector_template, detector, self._id(template), flags, times.to_c(now), row)
            return self._detection(row)

    def look(self, template: Key) -> Detection:
        """What derive() makes of a template, without writing anything."""
        row = options("detector_row")
        with self._alone() as detector, self._store._alone():
            call(lib.rebal_detector_look, detector, self._id(template), row)
            return self._detection(row)

    def derive(self, *, now: Time) -> None:
        """Creates or updates the binding of every template of objects at rest, such as those of files."""
        with self._alone() as detector, self._store._alone():
            call(lib.rebal_detector_derive, detector, NULL, 0, times.to_c(now))

    def run(self, *, now: Time) -> None:
        """Follows what changed in the store since the last call, as a watch would bring it, until nothing is left."""
        with self._alone() as detector, self._store._alone():
            call(lib.rebal_detector_run, detector, times.to_c(now))

    def wait(self, template: Key) -> None:
        """Puts a template into the waiting list."""
        with self._alone() as detector, self._store._alone():
            call(lib.rebal_detector_wait, detector, self._id(template))

    def entries(self, which: DetectorList) -> List[Waiting]:
        """The entries of a list."""
        entry, found = options("detector_entry"), []
        with self._alone() as detector:
            for at in range(lib.rebal_detector_count(detector, int(which))):
                call(lib.rebal_detector_read, detector, int(which), at, entry)
                found.append(Waiting(decoded(entry.key, entry.key_len),
                                     bool(entry.flags & lib.REBAL_DETECTOR_PASS_BY_KARMADA)))
        return found
