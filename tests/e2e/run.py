# SPDX-License-Identifier: MIT
"""Runs the tests of test_*.py beside this file, with --long those that take longer; arguments such as
"test_control_plane" or "test_control_plane.bindings_are_watched" limit the run."""
import importlib
import itertools
import multiprocessing
import os
import pathlib
import shutil
import signal
import sys
import time
import traceback

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]
import binary
import case
import common
import controllers
import harness

TEST_SECONDS = 240
LANES = 2  # processes that run tests at the same time, each with control planes of its own: most of a test is waiting
ALONE = ("test_load",)  # modules that measure


class Suite:
    """The control planes of a run: one for each set of parts that tests name, and those that tests start."""

    def __init__(self, program, logs):
        self.program = program
        self.logs = logs
        self.shared = {}  # parts: control plane
        self.planes = []

    def plane(self, parts):
        if parts not in self.shared:
            others = [part for part in parts if part not in harness.API_SERVER]
            self.shared[parts] = self.start_plane("-".join(["shared", *others]), parts)
        return self.shared[parts]

    def start_plane(self, name, parts):
        plane = harness.ControlPlane(name, self.program, parts)
        begin = time.monotonic()
        self.planes.append(plane)
        try:
            plane.start()
            plane.install_schemas()
        except BaseException:
            self.keep_logs()
            self.close_plane(plane)
            raise
        print(f"started {time.monotonic() - begin:4.1f} s  {name}", flush=True)
        return plane

    def close_plane(self, plane):
        self.planes.remove(plane)
        plane.close()

    def close(self):
        for plane in list(self.planes):
            self.close_plane(plane)

    def keep_logs(self):
        for plane in self.planes:
            plane.keep_logs(self.logs)
        print(f"logs: {self.logs}")


class TooLate(Exception):
    """No wait catches this type."""


def end_late_test(*_):
    raise TooLate("took more than its time")


def run_test(suite, function, plane, seconds):
    """Runs one test. Its time does not include its cleanup."""
    current = case.Case(function.__name__.replace("_", "-"), plane, suite)
    try:
        signal.alarm(seconds)
        current.begin()
        function(current)
        signal.alarm(0)
        for running in suite.planes:
            running.check_alive()
    except BaseException:
        signal.alarm(0)
        suite.keep_logs()
        raise
    finally:
        end_test(suite, current)


def end_test(suite, current):
    try:
        current.end()
    except BaseException:
        suite.keep_logs()
        raise


def passes(suite, name, function, parts, seconds=TEST_SECONDS):
    """Runs one test and prints the outcome. If its shared control plane does not start, the run ends."""
    plane = suite.plane(parts)
    start, fault = time.monotonic(), None
    try:
        run_test(suite, function, plane, seconds)
    except Exception:  # pylint: disable=broad-except
        fault = traceback.format_exc()
    print(f"{'FAILED' if fault else 'passed'} {time.monotonic() - start:5.1f} s  {name}", flush=True)
    if fault:
        print(fault, flush=True)
    return not fault


def find_tests(wanted, table):
    """Returns [(name, function, parts)] in the order of the tables; of some tests also the seconds that they have."""
    modules = sorted(path.stem for path in FOLDER.glob("test_*.py"))
    tests = [(f"{module}.{row[0].__name__}", *row) for module in modules
             for row in getattr(importlib.import_module(module), table, ())]
    names = [row[1].__name__ for row in tests]
    assert len(set(names)) == len(names), f"two tests have one name, and so one namespace: {sorted(names)}"
    unknown = [word for word in wanted if word not in modules and word not in [test[0] for test in tests]]
    if unknown:
        sys.exit(f"no such test: {' '.join(unknown)}")
    return [test for test in tests if not wanted or test[0] in wanted or test[0].partition(".")[0] in wanted]


def module_of(test):
    return test[0].partition(".")[0]


def run_one_by_one(program, logs, tests):
    """Runs tests, and returns how many passed."""
    suite = Suite(program, logs)
    try:
        return [passes(suite, *test) for test in tests].count(True)
    finally:
        suite.close()


def run_lane(program, logs, groups, passed):
    """Runs groups of tests until None comes."""
    passed.put(run_one_by_one(program, logs, itertools.chain.from_iterable(iter(groups.get, None))))


def run_side_by_side(program, logs, tests):
    """Runs the tests in lanes, those of a module in one of them. Returns how many passed; none of a lane that broke."""
    context = multiprocessing.get_context("fork")
    groups, passed = context.SimpleQueue(), context.SimpleQueue()
    controllers.build()  # once for all lanes
    lanes = [context.Process(target=run_lane, args=(program, logs / f"lane-{lane}", groups, passed))
             for lane in range(1, LANES + 1)]
    for group in [[*group] for _, group in itertools.groupby(tests, module_of)] + [None] * LANES:
        groups.put(group)
    try:
        for lane in lanes:
            lane.start()
        for lane in lanes:
            lane.join()
    finally:
        for lane in lanes:
            if lane.is_alive():
                lane.terminate()
                lane.join()
    return sum(passed.get() for lane in lanes if lane.exitcode == 0)


def main():
    signal.signal(signal.SIGALRM, end_late_test)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
    if not shutil.which("openssl"):
        sys.exit("tests/e2e needs openssl, which is not installed")
    is_long = sys.argv[1:2] == ["--long"]
    tests = find_tests(sys.argv[1 + is_long:], "LONG_TESTS" if is_long else "TESTS")
    program, logs = binary.find(), pathlib.Path(os.environ.get("LIBREBALANCE_E2E_LOGS") or common.BUILD / "e2e-logs")
    shutil.rmtree(logs, ignore_errors=True)
    alone = [test for test in tests if module_of(test) in ALONE]
    beside = [test for test in tests if test not in alone]
    run = run_side_by_side if len({module_of(test) for test in beside}) > 1 else run_one_by_one
    try:
        passed = run(program, logs, beside) + run_one_by_one(program, logs, alone)
    finally:
        controllers.remove()
    failed = len(tests) - passed
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


main()
