# SPDX-License-Identifier: MIT
"""What is done again and again while a test goes on."""
import threading
import traceback

from client import Refused


class Again:
    """
    Calls look() in a thread of its own, with so many seconds between. The caller must call close(), which fails when a
    look did. A class that needs members for its looks sets them before it calls this constructor.
    """

    def __init__(self, seconds):
        self.faults = []
        self._pause = seconds
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def look(self):
        raise NotImplementedError

    def close(self):
        self._ending.set()
        self._thread.join()
        assert not self.faults, "\n".join(self.faults)

    def _run(self):
        while not self._ending.wait(self._pause):
            try:
                self.look()
            except Refused as refused:
                if refused.status not in (404, 409):  # others write, too: the next look sees what they wrote
                    self.faults.append(traceback.format_exc())
            except Exception:  # pylint: disable=broad-except
                self.faults.append(traceback.format_exc())
                return
