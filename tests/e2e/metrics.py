# SPDX-License-Identifier: MIT
"""A strict reader of Prometheus's text format 0.0.4."""
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (-?[0-9]+(?:\.[0-9]+)?(?:e[+-][0-9]+)?)")
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def read(text):
    """Returns {name: {labels as they are written: value}}. Families must be whole, with HELP and TYPE before them."""
    assert text.endswith("\n"), repr(text[-40:])
    found, current = {}, None
    lines = iter(text[:-1].split("\n"))
    for line in lines:
        if line.startswith("#"):
            current = read_head(line, next(lines, ""))
            assert current not in found, f"{current}: its lines are not together"
            found[current] = {}
            continue
        match = SAMPLE.fullmatch(line)
        assert match and match[1] == current, f"{line!r}: expected a sample of {current}"
        assert match[2] not in found[current], f"{line!r}: there are two"
        found[current][match[2] or ""] = float(match[3])
    assert all(found.values()), f"without a sample: {[name for name in found if not found[name]]}"
    return found


def read_head(first, second):
    about = re.fullmatch(rf"# HELP ({NAME}) [^\\\n]+", first)
    assert about, f"{first!r}: expected HELP"
    kind = re.fullmatch(rf"# TYPE {about[1]} (counter|gauge)", second)
    assert kind, f"{second!r}: expected TYPE of {about[1]}"
    assert about[1].endswith("_total") == (kind[1] == "counter"), f"{second!r}: counters end in _total"
    return about[1]
