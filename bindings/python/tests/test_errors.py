# SPDX-License-Identifier: MIT
import ast
import pathlib
import pickle
import subprocess
import sys
import unittest

import librebalance
from librebalance import NotFoundError, OutOfRangeError, ParseError, RebalanceError, times
from librebalance._call import lib
from librebalance.lists import Code, NUMBERS, Option, enums, enums_text
from librebalance.lists.errors import EXCEPTIONS
from librebalance.lists.fields import FIELDS, OBJECTS
from librebalance.lists.tables import COLUMNS, TABLES


class Errors(unittest.TestCase):
    def test_each_code_has_an_exception(self):
        self.assertEqual(set(EXCEPTIONS), {int(code) for code in Code} - {0})
        self.assertTrue(issubclass(ParseError, ValueError) and issubclass(NotFoundError, LookupError))
        for code, kind in EXCEPTIONS.items():
            self.assertEqual(kind.code, code)

    def test_pickled(self):
        error = pickle.loads(pickle.dumps(ParseError("no", field="spec", line=3, column=1, document=2, where=7)))
        self.assertEqual((str(error), error.field, error.line, error.where, type(error)),
                         ("document 2, line 3, column 1: spec: no", "spec", 3, 7, ParseError))

    def test_base(self):
        self.assertTrue(all(issubclass(kind, RebalanceError) for kind in EXCEPTIONS.values()))


class Lists(unittest.TestCase):
    """The lists are those of the library that is linked."""

    def test_enumerators(self):
        checked = 0
        for module in (enums, enums_text):
            for name in NUMBERS:
                for member in getattr(module, name, ()):
                    macro = "".join(f"_{letter}" if letter.isupper() else letter.upper() for letter in name)
                    constant = f"REBAL_{member.name}" if name == "Code" else f"REBAL{macro}_{member.name}"
                    self.assertEqual(getattr(lib, constant), member, constant)
                    checked += 1
        self.assertGreater(checked, 400)

    def test_they_print_as_their_names(self):
        outcome = librebalance.Outcome.SCHEDULED
        self.assertEqual((str(outcome), f"{outcome}", f"{outcome:>10}", f"{outcome:d}", outcome),
                         ("SCHEDULED", "SCHEDULED", " SCHEDULED", "1", 1))

    def test_columns_and_fields(self):
        for table, columns in COLUMNS.items():
            self.assertEqual(getattr(lib, f"REBAL_TABLE_{table}"), TABLES[table])
            for column in columns:
                self.assertEqual(getattr(lib, f"REBAL_{table}_{column.name}"), column.id)
        for name, fields in FIELDS.items():
            self.assertEqual(getattr(lib, f"REBAL_OBJECT_{name}"), OBJECTS[name])
            self.assertEqual([one.id // 256 for one in fields], [OBJECTS[name]] * len(fields))

    def test_every_option_is_known(self):
        options = librebalance.Options(**{option.name.lower(): True for option in Option})
        self.assertTrue(all(options[option] for option in Option))


class Times(unittest.TestCase):
    def test_there_and_back(self):
        for text in ("2026-03-14T09:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"):
            self.assertEqual(times.text_from_c(times.to_c(text)), text)
            self.assertEqual(times.rfc3339(times.from_c(times.to_c(text))), text)

    def test_invalid_times(self):
        with self.assertRaises(ParseError):
            times.to_c("tomorrow")
        with self.assertRaises(TypeError):
            times.to_c(3)
        for wrong in (float("nan"), float("inf"), 2**62, -(2**80)):
            with self.assertRaises(OutOfRangeError):
                times.nanoseconds(wrong, "wait")
        with self.assertRaises(TypeError):
            times.nanoseconds("5s", "wait")
        self.assertEqual(times.nanoseconds(1.5, "wait"), 1_500_000_000)


class Import(unittest.TestCase):
    def test_import_fails_without_the_gil(self):
        done = subprocess.run([sys.executable, "-c", "import sys; sys._is_gil_enabled = lambda: False\n"
                               "import librebalance"], text=True, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("ImportError: librebalance needs the GIL", done.stderr)

    def test_every_file_is_python_3_9(self):
        files = list(pathlib.Path(librebalance.__file__).parent.rglob("*.py"))
        for file in files:
            ast.parse(file.read_text(), feature_version=(3, 9))
        self.assertGreater(len(files), 20)

    def test_version(self):
        self.assertEqual(librebalance.version(), librebalance.__version__)


if __name__ == "__main__":
    unittest.main()
