# SPDX-License-Identifier: MIT
"""
./quickstart cluster: control planes of Karmada and of two members on loopback, the controllers of the examples, and the
tutorial, played live. Then all of it runs on until Ctrl-C.
"""
import contextlib
import pathlib
import signal
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parents[1])]
import binary
import controllers
import harness
import members
import tutorial

CONTROL = "karmada-apiserver"


def start(stack):
    """Starts everything, to be ended by the stack; returns the tutorial."""
    program = binary.find()
    stack.callback(controllers.remove)
    controllers.build()
    planes = {}
    for name, parts in {CONTROL: harness.API_SERVER, **dict.fromkeys(tutorial.MEMBERS, harness.ALL)}.items():
        say(f"starting the control plane of {name}")
        planes[name] = harness.ControlPlane(name, program, parts)
        stack.callback(planes[name].close)
        planes[name].start()
    planes[CONTROL].install_schemas()
    played = tutorial.Tutorial(planes[CONTROL], {name: planes[name] for name in tutorial.MEMBERS})
    stack.callback(played.close)
    for name, arguments in tutorial.CONTROLLERS.items():
        say(f"starting {' '.join([name, *arguments])}")
        stack.callback(controllers.Controller(name, planes[CONTROL], "admin", *arguments).stop)
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="librebalance-cluster-"))
    members.write_kubeconfig(pathlib.Path(folder) / "kubeconfig", planes, CONTROL)
    say(f"to look for yourself: export KUBECONFIG={folder}/kubeconfig")
    return played


def play(played):
    for title, step in played.steps():
        say(title)
        for command, output in step():
            print(f"$ {command}", *output.splitlines(), sep="\n", flush=True)


def say(text):
    print(f"\n== {text}", flush=True)


def main():
    for number in (signal.SIGINT, signal.SIGTERM):  # also where a shell began it in the background
        signal.signal(number, signal.default_int_handler)
    with contextlib.ExitStack() as stack:
        try:
            play(start(stack))
            say("this was the tutorial; the clusters run on until Ctrl-C")
            signal.pause()
        except KeyboardInterrupt:
            say("ending what was started")


main()
