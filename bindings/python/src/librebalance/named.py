# SPDX-License-Identifier: MIT
"""How enumerators print."""
import enum


class Named(enum.IntEnum):
    """An integer that prints as its name; with a format, as the number: f"{Outcome.SCHEDULED:d}"."""

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(int(self), spec) if spec.endswith(tuple("bcdoxXn")) else format(self.name, spec)
