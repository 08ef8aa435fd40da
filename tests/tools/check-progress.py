# SPDX-License-Identifier: MIT
"""
On a terminal rebalancectl shows progress of long work: within a second, on one line, which is removed when the work
ends or other text follows. Elsewhere, and on a terminal without these functions, it shows nothing. The long work here
is a file whose other end is opened late.
"""
import os
import pathlib
import pty
import select
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

TOOL = common.BUILD / "rebalancectl"
TUTORIAL = common.SOURCE / "examples/tutorial"
LATE = 1.8  # seconds
GONE = b"\r\033[K"


def feed(fifo, text):
    """Writes a file into a fifo, late; the tool may have ended by then."""
    with open(fifo, "wb") as out:
        time.sleep(LATE)
        out.write(text)


def read_all(master, begun):
    """Returns (output on the terminal, seconds until the first of it)."""
    sent, first = b"", None
    while select.select([master], [], [], 60)[0]:
        try:
            piece = os.read(master, 65536)
        except OSError:  # on Linux, if the other side is closed
            piece = b""
        if not piece:
            break
        first = first or time.monotonic() - begun
        sent += piece
    return sent, first


def run(folder, text, terminal, name="late.yaml"):
    """
    Returns (standard output, standard error, seconds until the first of it) of schedule; standard error is a terminal
    of that kind, or a pipe for None.
    """
    fifo = folder / name
    os.mkfifo(fifo)
    writer = threading.Thread(target=feed, args=(fifo, text), daemon=True)
    writer.start()
    master, slave = pty.openpty() if terminal else os.pipe()
    begun = time.monotonic()
    with subprocess.Popen([TOOL, "schedule", name, *sorted(TUTORIAL.glob("[bp]*.yaml"))], cwd=folder, stderr=slave,
                          stdout=subprocess.PIPE, env={**os.environ, "TERM": terminal or "xterm"}) as process:
        os.close(slave)
        sent, first = read_all(master, begun)
        answer = process.communicate(timeout=60)[0]
    os.close(master)
    writer.join(60)
    fifo.unlink()
    return answer, sent.replace(b"\r\n", b"\n"), first


def main():
    if not TOOL.exists():
        print("skip: rebalancectl is not built")
        sys.exit(77)
    text = (TUTORIAL / "clusters.yaml").read_bytes()
    faults = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wanted, piped, _ = run(folder, text, None)
        if piped or b"ResourceBinding" not in wanted:
            faults.append(f"a pipe is sent {piped}")
        answer, sent, first = run(folder, text, "xterm")
        frames = sent.split(b"\r")
        if answer != wanted or not sent.endswith(GONE) or first is None or first > 1:
            faults.append(f"{sent} after {first} seconds")
        if b"reading late.yaml 1 s\033[K" not in frames or any(len(frame) > 79 for frame in frames):
            faults.append(f"frames {frames}")
        _, sent, _ = run(folder, text, "dumb")
        faults += [f"a dumb terminal is sent {sent}"] if sent else []
        _, sent, _ = run(folder, b"kind: [", "xterm", "l\xe4\033[2Jte" + 90 * "e")
        frames = sent.split(b"\r")
        if any(len(frame) > 82 for frame in frames[1:-1]) or b"\033[2J" in sent or len(frames) < 3:
            faults.append(f"a name of control characters: {sent}")
        if not frames[-1].startswith(b"\033[Kl") or not frames[-1].endswith(b"\n"):
            faults.append(f"a message after {frames[-1]}")
    common.finish(faults, 4)


main()
