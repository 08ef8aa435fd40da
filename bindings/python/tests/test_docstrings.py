# SPDX-License-Identifier: MIT
"""The reference is made from docstrings: everything public has one."""
import inspect
import unittest

import librebalance


def undocumented(name, thing):
    """Names without a docstring: the thing, and public members that a class of this package defines."""
    if inspect.isclass(thing) or inspect.isroutine(thing):
        if not inspect.getdoc(thing):
            yield name
    if inspect.isclass(thing) and thing.__module__.startswith("librebalance"):
        for member, value in vars(thing).items():
            function = getattr(value, "fget", None) or getattr(value, "__func__", value)
            if not member.startswith("_") and inspect.isfunction(function) and not inspect.getdoc(function):
                yield f"{name}.{member}"


class Docstrings(unittest.TestCase):
    def test_everything_public_has_one(self):
        public = {name: getattr(librebalance, name) for name in librebalance.__all__}
        self.assertGreater(len(public), 50)
        self.assertEqual([], [one for name, thing in public.items() for one in undocumented(name, thing)])


if __name__ == "__main__":
    unittest.main()
