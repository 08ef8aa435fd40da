# SPDX-License-Identifier: MIT
"""Times and durations: datetime and timedelta here, rebal_time and nanoseconds there."""
import datetime
from typing import Any, Optional, Union

from ._call import ABSENT, buffered, call, encoded, ffi, lib
from .lists.errors import OutOfRangeError

#: A moment: a datetime (one without a zone is UTC) or a text of RFC 3339, such as "2026-03-14T09:00:00Z".
Time = Union[datetime.datetime, str]
#: A duration: a timedelta, or seconds.
Duration = Union[datetime.timedelta, int, float]

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def rfc3339(moment: datetime.date) -> str:
    """A datetime or date as Kubernetes writes it."""
    if not isinstance(moment, datetime.datetime):
        return f"{moment.isoformat()}T00:00:00Z"
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.timezone.utc)
    return moment.astimezone(datetime.timezone.utc).isoformat().replace("+00:00", "Z")


def to_c(moment: Optional[Time]) -> Any:
    """A rebal_time; None is the absent one. ParseError: the text is not a time."""
    out = ffi.new("rebal_time *")
    if moment is None:
        return out
    if not isinstance(moment, (str, datetime.datetime)):
        raise TypeError(f"a time must be datetime or str, not {type(moment).__name__}")
    text = encoded(moment if isinstance(moment, str) else rfc3339(moment))
    call(lib.rebal_time_parse, text, len(text), out)
    return out


def from_c(time: Any) -> Optional[datetime.datetime]:
    """A datetime in UTC, microseconds rounded down; None for the absent time."""
    if not time.is_set:
        return None
    return _EPOCH + datetime.timedelta(seconds=time.seconds, microseconds=time.nanos // 1000)


def text_from_c(time: Any) -> str:
    """A set rebal_time as RFC 3339."""
    return buffered(lib.rebal_time_format, time)


def nanoseconds(duration: Optional[Duration], what: str) -> int:
    """Nanoseconds of a duration; None is 0."""
    if duration is None:
        return 0
    if isinstance(duration, bool) or not isinstance(duration, (datetime.timedelta, int, float)):
        raise TypeError(f"{what} must be timedelta or seconds, not {type(duration).__name__}")
    if isinstance(duration, datetime.timedelta):
        value = (duration.days * 86400 + duration.seconds) * 10**9 + duration.microseconds * 1000
    elif isinstance(duration, int):
        value = duration * 10**9
    elif duration != duration or abs(duration) > 1e10:
        raise OutOfRangeError(f"{what}: {duration} seconds are out of range", field=what)
    else:
        value = round(duration * 10**9)
    if not -(2**63) < value < 2**63:
        raise OutOfRangeError(f"{what}: {duration} is out of range", field=what)
    return value


def duration_from_c(value: int) -> Optional[datetime.timedelta]:
    """A timedelta of nanoseconds, None where there is no timer."""
    return None if value == ABSENT else datetime.timedelta(microseconds=value / 1000)
