# SPDX-License-Identifier: MIT
"""The tasks of README.md: each block of Python runs, in order, and prints the block of text after it."""
import contextlib
import io
import os
import pathlib
import re
import unittest

README = pathlib.Path(os.environ.get("LIBREBALANCE_README")
                      or pathlib.Path(__file__).resolve().parents[1] / "README.md")


class Tasks(unittest.TestCase):
    def test_they_print_what_they_say(self):
        blocks = re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", README.read_text(), re.S)
        self.assertGreaterEqual(len(blocks), 6)
        names, compared = {}, 0
        for code, wanted in blocks:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(code, str(README), "exec"), names)
            self.assertEqual(printed.getvalue(), wanted, code)
            compared += bool(wanted)
        self.assertGreaterEqual(compared, 5)


if __name__ == "__main__":
    unittest.main()
