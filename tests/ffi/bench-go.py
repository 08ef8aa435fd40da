# SPDX-License-Identifier: MIT
"""Prints the cost of calls through bindings/go beside those in C. A part of make bench."""
import os
import subprocess
import tempfile

import go_binding


def main():
    go_binding.need_go()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(go_binding.environment(folder))
        subprocess.run(["go", "-C", go_binding.FOLDER / "bench", "run", "."], check=True)


main()
