# SPDX-License-Identifier: MIT
"""examples/tutorial.ipynb runs, and its outputs match its text. The file has no outputs."""
import importlib.util
import os
import pathlib
import unittest

for needed in ("nbclient", "nbformat", "ipykernel", "matplotlib", "pandas"):
    if importlib.util.find_spec(needed) is None:
        raise unittest.SkipTest(f"{needed} is not installed")

import nbclient
import nbformat

README = os.environ.get("LIBREBALANCE_README") or pathlib.Path(__file__).resolve().parents[1] / "README.md"
NOTEBOOK = pathlib.Path(README).parent / "examples/tutorial.ipynb"

#: What the output of a cell contains.
SHOWN = {
    "fleet": ["<td>member1:2, member2:1</td>"],
    "explain": ["<caption>", "member1"],
    "without": ["<td>member2:3</td>"],
    "stays": ["<td>member2:3</td>"],
    "rebalance": ["1 workloads, 2 replicas moved", "<td>member1:2, member2:1</td>"],
    "picture": ["image/png"],
    "columns": ["asia-1", "us-1", "int64"],
    "headroom": ["image/png"],
    "sweep": ["<td>asia</td>", "<td>eu</td>", "<td>us</td>"],
    "losses": ["image/png"],
}


class Tutorial(unittest.TestCase):
    def test_it_runs_and_its_outputs_match_its_text(self):
        notebook = nbformat.read(NOTEBOOK, as_version=4)
        nbformat.validate(notebook)
        cells = {cell["id"]: cell for cell in notebook.cells if cell.cell_type == "code"}
        self.assertEqual(set(cells), set(SHOWN))
        self.assertEqual([cell["id"] for cell in cells.values() if cell.outputs or cell.execution_count], [])
        nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
        for name, wanted in SHOWN.items():
            shown = str([output.get("data") for output in cells[name].outputs])
            for text in wanted:
                self.assertIn(text, shown, name)


if __name__ == "__main__":
    unittest.main()
