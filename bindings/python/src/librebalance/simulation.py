# SPDX-License-Identifier: MIT
"""A control plane on a virtual clock: simulate() plays a scenario, Simulation plays it step by step."""
import datetime
from dataclasses import dataclass
from typing import Any, Iterator, List, Optional, Tuple, Union

from . import manifests, times
from ._call import Handle, call, decoded, ffi, int64, lib, make, written
from ._call import options as structure
from .lists import LogFormat, LogKind, TextFormat
from .manifests import Manifests
from .options import OptionsLike, pointer_of
from .results import html_table
from .store import Store


@dataclass(frozen=True)
class Entry:
    """A row of the log: what changed in which object, who did it, and why."""

    kind: LogKind
    time: str
    step: str
    controller: str
    object: str
    change: str
    reason: str

    def __str__(self) -> str:
        return f"{self.time} {self.controller}: {self.object} {self.change}"


@dataclass(frozen=True)
class Share:
    """Replicas of a binding in a cluster, from a moment on: assigned by spec.clusters, ready, and running. The row of
    cluster "" has what is wanted and the sums."""

    time: Optional[datetime.datetime]
    binding: str
    cluster: str
    assigned: int
    ready: int
    running: int


@dataclass(frozen=True)
class Summary:
    """The state of a run: the virtual clock, steps done, expectations that held and that failed, and how many clusters
    were overused at any time."""

    now: Optional[datetime.datetime]
    steps: int
    instants: int
    held: int
    failed: int
    overused: int


class Simulation(Handle):
    """One run of one scenario, a text (rebalance-scenario(5)). One thread at a time.

    ledger: the scheduler has a ledger; max_rounds, max_instants, max_log_rows, max_pods: LimitError beyond, 0: the
    defaults of the library. ParseError, OutOfRangeError, ExistsError: the scenario cannot be read, with document, line,
    column and field.
    """

    def __init__(self, scenario: Manifests, *, options: OptionsLike = None, ledger: bool = False, max_rounds: int = 0,
                 max_instants: int = 0, max_log_rows: int = 0, max_pods: int = 0) -> None:
        compat, _ = pointer_of(options)
        opts = structure("simulation_opts", flags=lib.REBAL_SIMULATION_FLAG_LEDGER if ledger else 0,
                         compat=compat, max_rounds=max_rounds, max_instants=int64(max_instants, "max_instants"),
                         max_log_rows=int64(max_log_rows, "max_log_rows"), max_pods=int64(max_pods, "max_pods"))
        super().__init__(make("simulation", lib.rebal_simulation_new, opts, keep=(compat,)))
        text = manifests.text_of(scenario)
        with self._alone() as simulation:
            call(lib.rebal_simulation_load, simulation, text, len(text))

    def step(self) -> bool:
        """Does the next step; False: none was left. An expectation that fails is not an error."""
        more = ffi.new("int32_t *")
        with self._alone() as simulation:
            call(lib.rebal_simulation_step, simulation, more)
        return bool(more[0])

    def run(self) -> "Simulation":
        """Does every step that is left."""
        while self.step():
            pass
        return self

    @property
    def summary(self) -> Summary:
        """The state of the run."""
        out = structure("simulation_summary")
        with self._alone() as simulation:
            call(lib.rebal_simulation_summarize, simulation, out)
        return Summary(times.from_c(out.now), out.steps, out.instants, out.held, out.failed, out.overused)

    def _count(self, what: str) -> int:
        out = structure("simulation_summary")
        with self._alone() as simulation:
            call(lib.rebal_simulation_summarize, simulation, out)
        return int(getattr(out, what))

    @property
    def log(self) -> List[Entry]:
        """What happened so far."""
        out, entries = structure("simulation_entry"), []
        for row in range(self._count("log_rows")):
            with self._alone() as simulation:
                call(lib.rebal_simulation_log_read, simulation, row, out)
            entries.append(Entry(LogKind(out.kind), *(decoded(text) for text in (
                out.time, out.step, out.controller, out.object, out.change, out.reason))))
        return entries

    @property
    def shares(self) -> List[Share]:
        """Replicas by binding and cluster over time."""
        out, found = structure("simulation_share"), []
        for row in range(self._count("share_rows")):
            with self._alone() as simulation:
                call(lib.rebal_simulation_share_read, simulation, row, out)
            found.append(Share(times.from_c(out.time), decoded(out.binding), decoded(out.cluster), out.assigned,
                               out.ready, out.running))
        return found

    @property
    def failures(self) -> List[Entry]:
        """Expectations that failed."""
        return [one for one in self.log if one.kind == LogKind.FAILED]

    @property
    def store(self) -> Store:
        """The objects as they are now, only to be read; it lives as long as the simulation."""
        return _Borrowed(self, lib.rebal_simulation_store(self._pointer))

    def text(self, format: Union[LogFormat, TextFormat] = LogFormat.TABLE) -> str:
        """The log as a table for people, JSON or YAML."""
        with self._alone() as simulation:
            return written(lib.rebal_simulation_write, simulation, int(format))

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.log)

    def __repr__(self) -> str:
        if self.closed:
            return "<Simulation, closed>"
        summary = self.summary
        return f"<Simulation: {summary.steps} steps, {summary.held} expectations held, {summary.failed} failed>"

    def _repr_html_(self) -> str:
        rows: List[Tuple[object, ...]] = [(one.time, one.step, one.controller, one.object, one.change, one.reason)
                                          for one in self.log]
        return html_table(("time", "step", "controller", "object", "change", "reason"), rows, repr(self)[1:-1])


class _Borrowed(Store):
    """The store of a simulation."""

    def __init__(self, simulation: Simulation, pointer: Any) -> None:
        Handle.__init__(self, pointer)
        self._simulation = simulation
        self._kept = simulation._pointer

    def put(self, objects: Manifests) -> None:
        """A TypeError: a simulation changes its objects itself."""
        raise TypeError("the objects of a simulation are only to be read")

    def apply(self, objects: Manifests, now: times.Time) -> None:
        """A TypeError: a simulation changes its objects itself."""
        raise TypeError("the objects of a simulation are only to be read")

    def patch(self, kind: str, name: str, patch: Any, now: times.Time, namespace: str = "") -> None:
        """A TypeError: a simulation changes its objects itself."""
        raise TypeError("the objects of a simulation are only to be read")

    def remove(self, kind: str, name: str, namespace: str = "") -> None:
        """A TypeError: a simulation changes its objects itself."""
        raise TypeError("the objects of a simulation are only to be read")


def simulate(scenario: Manifests, *, options: OptionsLike = None, ledger: bool = False) -> Simulation:
    """Plays a scenario to its end: its log, shares over time, and expectations. Errors are those of Simulation."""
    return Simulation(scenario, options=options, ledger=ledger).run()


__all__ = ["Entry", "Share", "Simulation", "Summary", "simulate"]
