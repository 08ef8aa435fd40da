# SPDX-License-Identifier: MIT
"""What goes in: Kubernetes objects as a caller has them, made into the text that the manifest library reads.

Taken are: a text (JSON, JSON lines, YAML of several documents), a mapping in the shape of the API (yaml.safe_load(),
CustomObjectsApi, ApiClient().sanitize_for_serialization()), a model of the kubernetes client, anything with to_dict()
that gives such a mapping, and iterables of these.
"""
import datetime
import enum
import json
import os
import re
from typing import Any, Iterable, Iterator, List, Mapping, Protocol, Union, cast, runtime_checkable

from . import times
from ._call import buffered, lib, pair


@runtime_checkable
class HasDict(Protocol):
    """An object that gives itself as a mapping, as models of clients and Binding do."""

    def to_dict(self) -> Mapping[str, Any]:
        """The object in the shape of the API."""


#: One object.
Manifest = Union[Mapping[str, Any], HasDict]
#: One object or several, or a text of them.
Manifests = Union[str, bytes, Manifest, Iterable[Manifest]]

#: A name of a file instead of a text of objects, which are maps.
_FILE = re.compile(r"(?!.*: )[^\n{}]+\.(ya?ml|json)")


def plain(value: Any) -> Any:
    """A value as JSON has it: models of the kubernetes client under the names of the API, without what is unset."""
    names = getattr(type(value), "attribute_map", None)
    if isinstance(names, Mapping):
        members = ((name, getattr(value, attribute, None)) for attribute, name in names.items())
        return {name: plain(member) for name, member in members if member is not None}
    if isinstance(value, Mapping):
        return {key: plain(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(member) for member in value]
    if isinstance(value, datetime.date):
        return times.rfc3339(value)
    if isinstance(value, enum.Enum):
        return value.value
    return value


def _default(value: Any) -> Any:
    made = plain(value)
    if made is value and isinstance(value, HasDict):
        return mapping(value)
    if made is value:
        raise TypeError(f"a value of type {type(value).__name__} is in no Kubernetes object")
    return made


def mapping(manifest: Manifest) -> Mapping[str, Any]:
    """One object as a mapping in the shape of the API.

    TypeError: it is none, or its names are those of Python (api_version), as to_dict() of the kubernetes client gives.
    """
    made = manifest
    if isinstance(getattr(type(manifest), "attribute_map", None), Mapping):
        made = plain(manifest)
    elif not isinstance(manifest, Mapping) and isinstance(manifest, HasDict):
        made = manifest.to_dict()
    if not isinstance(made, Mapping):
        raise TypeError(f"an object must be a mapping or have to_dict(), not {type(manifest).__name__}")
    if "api_version" in made and "apiVersion" not in made:
        raise TypeError("the names of this object are those of Python (api_version): pass the object of the kubernetes "
                        "client itself, or what ApiClient().sanitize_for_serialization() makes of it")
    return made


def is_one(manifests: object) -> bool:
    """Is it one object, and not several, nor a text?"""
    is_model = isinstance(getattr(type(manifests), "attribute_map", None), Mapping)
    return is_model or isinstance(manifests, (Mapping, HasDict))


def each(manifests: Manifests) -> Iterator[Mapping[str, Any]]:
    """The objects one after another; not for texts."""
    if is_one(manifests):
        yield mapping(cast(Manifest, manifests))
        return
    if isinstance(manifests, (str, bytes)) or not isinstance(manifests, Iterable):
        raise TypeError(f"objects are mappings or have to_dict(), not {type(manifests).__name__}")
    for manifest in cast("Iterable[Manifest]", manifests):
        yield mapping(manifest)


def json_of(value: Any) -> bytes:
    """Compact JSON. ValueError for numbers that JSON does not have."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=_default).encode()


def text_of(manifests: Manifests) -> bytes:
    """The text of objects; a text is taken as it is. No objects are the empty text, which is not to be read.

    TypeError: it is the name of a file.
    """
    if isinstance(manifests, os.PathLike) or (isinstance(manifests, str) and _FILE.fullmatch(manifests)):
        raise TypeError(f"this looks like the name of a file: give its contents, not {str(manifests)!r}")
    if isinstance(manifests, str):
        return manifests.encode()
    if isinstance(manifests, (bytes, bytearray, memoryview)):
        return bytes(manifests)
    lines: List[bytes] = [json_of(one) for one in each(manifests)]
    return b"\n".join(lines)


def binding_name(name: str, kind: str) -> str:
    """The name of the ResourceBinding that belongs to a workload, such as "web-deployment"."""
    return buffered(lib.rebal_binding_name, *pair(name, "name"), *pair(kind, "kind"))
