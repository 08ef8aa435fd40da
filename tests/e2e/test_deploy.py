# SPDX-License-Identifier: MIT
"""The deployments that the example controllers ship are what an API server takes, without a member that it ignores."""
import re

import controllers
from client import YAML, path
from harness import API_SERVER


def documents(file):
    """[(kind, namespace, name, text)]"""
    found = []
    for text in file.read_text().split("\n---\n"):
        metadata = re.search(r"\nmetadata:((?:\n  .*)+)", text)[1]
        names = {key: re.search(rf"\n  {key}: (\S+)", metadata) for key in ("namespace", "name")}
        found.append((re.search(r"^kind: (\S+)", text, re.M)[1], names["namespace"] and names["namespace"][1],
                      names["name"][1], text))
    return found


def shipped_deployments_are_taken(case):
    files = sorted((controllers.SOURCES / "deploy").glob("*.yaml"))
    assert len(files) > 1, files
    for kind, namespace, _, text in (item for file in files for item in documents(file)):
        if namespace:
            case.admin.request("POST", path("Namespace"), {
                "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
        case.admin.must("POST", path(kind, namespace or "") + "?dryRun=All&fieldValidation=Strict", text.encode(), YAML)


def shipped_accounts_have_the_roles(case):
    """Each Deployment runs as an account of its file, and each binding binds an account to a role of the files."""
    files = sorted((controllers.SOURCES / "deploy").glob("*.yaml"))
    found = [item for file in files for item in documents(file)]
    names = {(kind, namespace, name) for kind, namespace, name, _ in found}
    for kind, namespace, name, text in found:
        if kind == "Deployment":
            account = re.search(r"serviceAccountName: (\S+)", text)[1]
            assert ("ServiceAccount", namespace, account) in names, (name, account)
        if kind in ("RoleBinding", "ClusterRoleBinding"):
            role = re.search(r"roleRef:\n  apiGroup: \S+\n  kind: (\S+)\n  name: (\S+)", text)
            subject = re.search(r"- kind: ServiceAccount\n  name: (\S+)\n  namespace: (\S+)", text)
            assert (role[1], namespace if role[1] == "Role" else None, role[2]) in names, (name, role[0])
            assert ("ServiceAccount", subject[2], subject[1]) in names, (name, subject[0])


def shipped_pods_are_restricted(case):
    """A namespace that enforces Kubernetes' restricted standard takes the pods of each Deployment."""
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    case.create_global("Namespace", {"metadata": {"name": f"{case.name}-here", "labels": labels}})
    files = sorted((controllers.SOURCES / "deploy").glob("*.yaml"))
    for kind, namespace, name, text in (item for file in files for item in documents(file)):
        if kind == "Deployment":
            template = re.search(r"^  template:\n((?:    .*\n?)+)", text, re.M)[1]
            pod = re.sub(r"^    ", "", template, flags=re.M).replace("metadata:\n", f"metadata:\n  name: {name}\n", 1)
            case.admin.must("POST", path("Pod", f"{case.name}-here") + "?dryRun=All",
                            f"apiVersion: v1\nkind: Pod\n{pod}".encode(), YAML)


TESTS = (
    (shipped_pods_are_restricted, API_SERVER),
    (shipped_deployments_are_taken, API_SERVER),
    (shipped_accounts_have_the_roles, API_SERVER),
)
