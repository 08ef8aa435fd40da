# SPDX-License-Identifier: MIT
"""The roles that the deployments of the example controllers ship: they suffice, and each right of them is needed."""
import copy
import itertools

import controllers
from client import YAML, path, wait_for

LABELS = itertools.count(1)


def system(name):
    """Returns the namespace that a controller runs in."""
    return name.partition("-")[0] + "-system"


def shipped(case, name):
    """{kind: (path, rules)} of the roles in deploy/, which the user of controllers is bound to."""
    documents = (controllers.SOURCES / "deploy" / f"{name}.yaml").read_text().split("\n---\n")
    admin, roles, binding = case.admin, {}, f"{case.name}-{name}"
    admin.request("POST", path("Namespace"), {
        "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": system(name)}})
    for kind, namespace in (("ClusterRole", ""), ("Role", system(name))):
        text = next((document for document in documents if f"\nkind: {kind}\n" in document), None)
        if text is None:
            continue
        made = admin.must("POST", path(kind, namespace), text.encode(), YAML)
        where = {"metadata": {"name": binding}, "subjects": [{"kind": "User", "name": "librebalance"}],
                 "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": f"librebalance-{name}"}}
        admin.create(f"{kind}Binding", where, namespace)
        roles[kind] = (path(kind, namespace, f"librebalance-{name}"), made["rules"])
        for target in (roles[kind][0], path(f"{kind}Binding", namespace, binding)):
            case.at_end(lambda target=target: admin.delete(target))
    return roles


def rights(rules):
    """[(place of a rule, resource, verb)]"""
    return [(place, resource, verb) for place, rule in enumerate(rules)
            for resource in rule["resources"] for verb in rule["verbs"]]


def without(rules, right):
    """Returns the same rules without one right."""
    place, resource, verb = right
    left = copy.deepcopy(rules)
    rule = left.pop(place)
    others = [name for name in rule["resources"] if name != resource]
    verbs = [name for name in rule["verbs"] if name != verb]
    left += [{**rule, "resources": others}] if others else []
    return left + ([{**rule, "resources": [resource], "verbs": verbs}] if verbs else [])


def try_without(case, name, role, right, act, is_done, arguments, user):
    """
    Runs a controller without a right (None: with all) until the API server denies a request for it, and restores the
    right: then the controller must complete its work. act(label) creates the work, is_done(label) returns whether it
    was done.
    """
    target, rules = role
    label = f"{case.name}-{next(LABELS)}"
    case.admin.merge(target, {"rules": rules if right is None else without(rules, right)})
    case.admin.request("DELETE", path("Lease", system(name), name))
    log = case.plane.log(name)
    begin = log.stat().st_size if log.exists() else 0
    lease = ("--lease", f"{system(name)}/{name}")
    controller = controllers.Controller(name, case.plane, user, *lease, *arguments)
    try:
        act(label)
        if right is not None:
            denied = f'cannot {right[2]} resource "{right[1]}"'
            wait_for(f"the log to say: {denied}", lambda: denied in log.read_text()[begin:])
            case.admin.merge(target, {"rules": rules})
        wait_for(f"what there is to do, after {right} was missing", lambda: is_done(label))
    finally:
        assert controller.stop() == 0


def each_is_needed(case, name, kind, act, is_done, arguments=(), verbs=None, member=""):
    """
    Removes each right of the shipped role of a kind in turn, "": of each kind; verbs: only those of these. member: the
    name in deploy/ of rights that controllers have in members; the program then has all rights in the control plane.
    """
    user = "admin" if member else "controllers"
    for shipped_kind, role in shipped(case, member or name).items():
        if kind in ("", shipped_kind):
            for right in [None, *(right for right in rights(role[1]) if verbs is None or right[2] in verbs)]:
                try_without(case, name, role, right, act, is_done, arguments, user)
