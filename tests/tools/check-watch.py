# SPDX-License-Identifier: MIT
"""On a terminal rebalancectl simulate --watch draws a table anew for each moment at which something changed."""
import os
import pathlib
import pty
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

TOOL = common.BUILD / "rebalancectl"
SCENARIO = common.SOURCE / "examples/scenarios/tutorial.yaml"
CLEAR = "\033[H\033[2J"


def watch():
    """Returns (exit code, output on the terminal)."""
    master, slave = pty.openpty()
    with subprocess.Popen([TOOL, "simulate", "--watch", SCENARIO], stdout=slave) as process:
        os.close(slave)
        sent = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # on Linux, if the other side is closed
                piece = b""
            if not piece:
                break
            sent += piece
        code = process.wait()
    os.close(master)
    return code, sent.decode().replace("\r\n", "\n")


def main():
    if not TOOL.exists():
        print("skip: rebalancectl is not built")
        sys.exit(77)
    code, sent = watch()
    frames = sent.split(CLEAR)
    lines = common.output([TOOL, "simulate", "--watch", SCENARIO]).splitlines()
    times = [line.split("  ")[0] for line in lines if line[:2] == "20"]
    faults = [f"exit {code}"] if code else []
    faults += ["bytes before the first table"] if frames[0] else []
    if [frame.split("\n")[0] for frame in frames[1:]] != times or "\033" in "".join(frames):
        faults.append(f"tables of {[frame.splitlines()[0] for frame in frames[1:]]} instead of {times}")
    rows = [re.sub(r" {2,}", "|", row) for frame in frames for row in frame.split("\n") if row.startswith("ResourceB")]
    wanted = ["0/2|0/1", "2/2|1/1", "2 leaving|1/3", "-|3/3", "0/2|1/1", "2/2|1/1"]
    if rows != [f"ResourceBinding default/foo-deployment|3|{row}" for row in wanted]:
        faults.append(f"rows {rows}")
    if not sent.endswith("\nexpectations: 28 held, 0 failed\n") or "== 2. taint member1" not in sent:
        faults.append("no steps, or no summary")
    common.finish(faults, len(frames))


main()
