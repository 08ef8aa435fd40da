# SPDX-License-Identifier: MIT
"""Steps of controllers: what was observed goes in, actions come out. Nothing is done here: effects are data."""
import datetime
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Type

from . import records, times
from ._call import ABSENT, NULL, Handle, call, decoded, encoded, ffi, int64, lib, make, options
from .lists import ActionKind, Observed, Replaces, StepState
from .results import Result, html_table
from .store import Answer, Request, Store, answer_text
from .times import Time


@dataclass(frozen=True)
class Action:
    """What a caller does to carry a step out.

    kind: what to do with the object named; payload: fields in the shape of the API, of spec, status or metadata by
    kind; replaces: lists that the payload gives whole; not_before: when to call again (WAKE); row: the input row that
    it comes from; ordinal: what an observation of it echoes; uid, resource_version: preconditions, "" for none.
    """

    kind: ActionKind
    api_version: str
    object_kind: str
    namespace: str
    name: str
    payload: Mapping[str, Any]
    replaces: Replaces
    not_before: Optional[datetime.datetime]
    row: Optional[int]
    ordinal: int
    uid: str
    resource_version: str

    def __str__(self) -> str:
        name = f"{self.namespace}/{self.name}" if self.namespace else self.name
        what = f" at {times.rfc3339(self.not_before)}" if self.not_before else f" {dict(self.payload)}"
        return f"{self.kind.name} {self.object_kind} {name}{what}"


@dataclass(frozen=True)
class Step:
    """Where a step stands for one object: state; reason, a number of the step's own enumeration; message of a failed
    run; after: time until the next run, None: no timer is set; detail: of the reason, 0: none."""

    state: StepState
    reason: int
    message: str
    after: Optional[datetime.timedelta]
    detail: int


@dataclass(frozen=True)
class Warning:
    """What a step does to running replicas before others are ready, since the reference does: the row of
    rebalance-compat(7) that explains why."""

    binding: str
    cluster: str
    name: str
    replicas: int


class Observations(Handle):
    """What came of the actions of one run. One thread at a time."""

    def __init__(self) -> None:
        super().__init__(make("observations", lib.rebal_observations_new, NULL))

    def add(self, action: Action, outcome: Observed = Observed.DONE, *, message: str = "", resource_version: str = "",
            read: Optional[Mapping[str, Any]] = None, kind: str = "BINDING") -> None:
        """Adds what came of an action: read is the object that a READ brought, kind the record it is read as.
        ExistsError: it was observed before."""
        texts = [encoded(resource_version, "resource_version"), encoded(message, "message")]
        kept = [ffi.from_buffer(text) for text in texts]
        record = records.Kept(kind, read) if read is not None else None
        observation = options("observation", outcome=int(outcome), ordinal=int64(action.ordinal, "ordinal"),
                              resource_version=kept[0], resource_version_len=len(texts[0]),
                              fields=record.record if record else NULL, message=kept[1], message_len=len(texts[1]))
        with self._alone() as observations:
            call(lib.rebal_observations_add, observations, observation)

    def reset(self) -> None:
        """Empties it for the next run."""
        with self._alone() as observations:
            lib.rebal_observations_reset(observations)


class Turn:
    """What one call of a step function answered: steps, one for each input object, and actions. The columns are in
    result."""

    def __init__(self, result: Result, reason: Type[int] = int,
                 binding: Optional[Callable[[int], str]] = None) -> None:
        self.result = result
        self._reason = reason
        self._binding = binding or str
        self._steps: Optional[Tuple[Step, ...]] = None
        self._actions: Optional[Tuple[Action, ...]] = None

    @property
    def steps(self) -> Tuple[Step, ...]:
        """One for each input object, in their order."""
        if self._steps is None:
            count = self.result.count(lib.REBAL_TABLE_STEP)
            self._steps = tuple(_step(self.result, row, self._reason) for row in range(count))
        return self._steps

    @property
    def actions(self) -> Tuple[Action, ...]:
        """What is to be done, in this order."""
        if self._actions is None:
            count = self.result.count(lib.REBAL_TABLE_ACTION)
            self._actions = tuple(_action(self.result, row) for row in range(count))
        return self._actions

    @property
    def warnings(self) -> Tuple[Warning, ...]:
        """What happens to running replicas before others are ready."""
        cell, result = self.result.integer, self.result
        return tuple(Warning(self._binding(cell(lib.REBAL_WARNING_BINDING, row)),
                             result.cluster(cell(lib.REBAL_WARNING_CLUSTER, row)),
                             result.text(lib.REBAL_WARNING_ROW_NAME, row), cell(lib.REBAL_WARNING_REPLICAS, row))
                     for row in range(result.count(lib.REBAL_TABLE_WARNING)))

    @property
    def waiting(self) -> bool:
        """Does a step wait for observations of its actions?"""
        return any(step.state == StepState.WAITING for step in self.steps)

    def carry_out(self, store: Store, now: Time, observations: Optional[Observations] = None) -> None:
        """Carries all actions out on a store, as an API server would at now, and adds what was observed."""
        moment = times.to_c(now)
        with store._alone() as pointer:
            for row in range(self.result.count(lib.REBAL_TABLE_ACTION)):
                call(lib.rebal_store_carry_out, pointer, self.result.pointer, row, moment,
                     NULL if observations is None else observations._pointer)

    def request(self, action: Action, store: Optional[Store] = None, field_manager: str = "") -> Request:
        """What a client sends to an API server to carry an action of this turn out; store: holds the object as it was
        read. UnsupportedError: the plural of the kind is unknown (Store.add_resource())."""
        text = make("text", lib.rebal_text_new)
        manager = encoded(field_manager, "field_manager")
        kept = ffi.from_buffer(manager)
        opts = options("render_opts", field_manager=kept, field_manager_len=len(manager))
        request = options("request")
        call(lib.rebal_store_render_action, NULL if store is None else store._pointer, self.result.pointer,
             self.actions.index(action), opts, text, request)
        return Request(decoded(request.method), decoded(request.path, request.path_len), decoded(request.content_type),
                       decoded(request.body, request.body_len))

    def answer(self, action: Action, store: Store, status: int, body: Optional[Answer],
               observations: Optional[Observations] = None) -> None:
        """Takes an API server's answer to the request of an action: HTTP status (0: none came) and body."""
        with store._alone() as pointer:
            call(lib.rebal_store_take_answer, pointer, self.result.pointer, self.actions.index(action), status,
                 *answer_text(body), NULL if observations is None else observations._pointer)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self.steps)} steps, {len(self.actions)} actions>"

    def _repr_html_(self) -> str:
        rows: List[Tuple[object, ...]] = [
            (one.kind.name, one.object_kind, f"{one.namespace}/{one.name}" if one.namespace else one.name,
             times.rfc3339(one.not_before) if one.not_before else dict(one.payload)) for one in self.actions]
        return html_table(("action", "kind", "object", "payload"), rows, repr(self)[1:-1])


def _step(result: Result, row: int, reason: Type[int]) -> Step:
    cell = result.integer
    return Step(StepState(cell(lib.REBAL_STEP_STATE, row)), reason(cell(lib.REBAL_STEP_REASON, row)),
                result.text(lib.REBAL_STEP_MESSAGE, row), times.duration_from_c(cell(lib.REBAL_STEP_AFTER_NS, row)),
                cell(lib.REBAL_STEP_DETAIL, row))


def _action(result: Result, row: int) -> Action:
    cell, text = result.integer, result.text
    at = cell(lib.REBAL_ACTION_ROW, row)
    payload: Dict[str, Any] = records.read(lib.rebal_result_record(result.pointer, row))
    return Action(ActionKind(cell(lib.REBAL_ACTION_KIND, row)), text(lib.REBAL_ACTION_API_VERSION, row),
                  text(lib.REBAL_ACTION_OBJECT_KIND, row), text(lib.REBAL_ACTION_NAMESPACE, row),
                  text(lib.REBAL_ACTION_NAME, row), payload, Replaces(cell(lib.REBAL_ACTION_REPLACES, row)),
                  result.time(lib.REBAL_ACTION_NOT_BEFORE, row), None if at == ABSENT else at,
                  cell(lib.REBAL_ACTION_ORDINAL, row), text(lib.REBAL_ACTION_UID, row),
                  text(lib.REBAL_ACTION_RESOURCE_VERSION, row))
