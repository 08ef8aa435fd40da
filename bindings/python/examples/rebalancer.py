# SPDX-License-Identifier: MIT
"""rebalancer.py [--kubeconfig FILE]: carries WorkloadRebalancers out, as Karmada's controller of that name does. The
library returns what to read and write, the kubernetes client does it. Ends with SIGTERM."""
import argparse
import datetime
import json
import math
import os
import signal
import sys
import time

import urllib3
from kubernetes import client, config
from kubernetes.dynamic import DynamicClient

from librebalance import Observations, StepState, Store, rebalancer_step

FAILURES = (client.ApiException, urllib3.exceptions.HTTPError, OSError)
BACK_OFF = 5.0  # seconds after a run that failed


def send(api, request):
    """HTTP status and body of the answer to a request; status 0: none came."""
    try:
        answer = api.request(request.method, request.path, body=json.loads(request.body) if request.body else None,
                             content_type=request.content_type or None, serialize=False)
        return answer.status, answer.data
    except FAILURES as failure:
        return getattr(failure, "status", 0) or 0, getattr(failure, "body", "") or ""


def reconcile(api, rebalancer):
    """One run over a WorkloadRebalancer as it was read. Returns the seconds until the next; inf: once it changes."""
    store, observations, now = Store(), Observations(), datetime.datetime.now(datetime.timezone.utc)
    while (turn := rebalancer_step(rebalancer, now=now, observations=observations)).waiting:
        for action in turn.actions:
            turn.answer(action, store, *send(api, turn.request(action)), observations)
    step, = turn.steps
    if step.state == StepState.RETRY:
        print(f"rebalancer: {rebalancer['metadata']['name']}: {step.message}", file=sys.stderr)
        return BACK_OFF
    return step.after.total_seconds() if step.after else math.inf


def run(api):
    """Lists, runs what is due, and waits for a change or a timer; then again from the list."""
    rebalancers = api.resources.get(api_version="apps.karmada.io/v1alpha1", kind="WorkloadRebalancer")
    timers = {}  # by uid: the version that was seen, and when the next run is due
    while True:
        try:
            listed, known = rebalancers.get().to_dict(), timers
            timers = {}
            for one in listed["items"]:
                uid, version = one["metadata"]["uid"], one["metadata"]["resourceVersion"]
                seen, due = known.get(uid, ("", 0.0))
                if seen != version or due <= time.monotonic():
                    due = time.monotonic() + reconcile(api, one)
                timers[uid] = version, due
            wait = min((due for _, due in timers.values()), default=math.inf) - time.monotonic()
            next(rebalancers.watch(resource_version=listed["metadata"]["resourceVersion"],
                                   timeout=max(1, math.ceil(min(wait, 60)))), None)
        except FAILURES as failure:
            print(f"rebalancer: {failure}", file=sys.stderr)
            time.sleep(BACK_OFF)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kubeconfig", help="default: KUBECONFIG, then ~/.kube/config")
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))  # an exception may be lost in a destructor
    run(DynamicClient(config.new_client_from_config(parser.parse_args().kubeconfig)))
