# SPDX-License-Identifier: MIT
"""The tutorial of the WorkloadRebalancer with the example controllers, compared with rebalancectl."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import controllers
import simulate
from harness import ALL, API_SERVER
from karmada import targets
from tutorial import CONTROLLERS, MEMBERS, Tutorial


def as_it_is_written(case):
    """Every step ends as in the tutorial, with the placements of rebalancectl simulate."""
    control = case.start_plane("karmada", API_SERVER)
    planes = {name: case.start_plane(name, ALL) for name in MEMBERS}
    played = Tutorial(control, planes)
    case.at_end(played.close)
    for name, arguments in CONTROLLERS.items():
        controllers.start(case, name, "admin", control, *arguments)
    placements = []
    for _, step in played.steps():
        step()
        found = targets(played.get("ResourceBinding", "foo-deployment"))
        placements += [found] if placements[-1:] != [found] else []
    assert placements == simulate.placements("tutorial.yaml", "foo"), placements


def live(case):
    """./quickstart cluster runs to the end, and removes its files on Ctrl-C."""
    program = pathlib.Path(__file__).with_name("live.py")
    with tempfile.TemporaryDirectory() as folder:
        played = subprocess.Popen([sys.executable, program], env={**os.environ, "TMPDIR": folder}, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        case.at_end(played.kill)
        lines = []
        for line in played.stdout:
            lines.append(line)
            if "until Ctrl-C" in line:
                os.killpg(played.pid, signal.SIGINT)
        assert played.wait() == 0, "".join(lines)
        assert "foo    member1   2/2\n" in lines and lines[-1] == "== ending what was started\n", "".join(lines)
        assert not os.listdir(folder), os.listdir(folder)


TESTS = (
    (live, API_SERVER),
    (as_it_is_written, API_SERVER),
)
