# SPDX-License-Identifier: MIT
"""A controller as in a pod: with the account that its deployment names, at the place where a kubelet puts it."""
import os
import shlex
import signal
import subprocess

import controllers
from client import YAML, path, wait_for
from harness import API_SERVER
from test_rebalancer import NAME, create_binding, create_rebalancer, finished

SYSTEM = "karmada-system"
PLACE = "/run/secrets/kubernetes.io/serviceaccount"  # /var/run is a link to /run
KINDS = ("ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")


def deploy(case):
    """Applies what the deployment ships but the Deployment itself. Gone with the test."""
    case.admin.request("POST", path("Namespace"), {"apiVersion": "v1", "kind": "Namespace",
                                                   "metadata": {"name": SYSTEM}})
    for document in (controllers.SOURCES / "deploy" / f"{NAME}.yaml").read_text().split("\n---\n"):
        kind = next((kind for kind in KINDS if f"\nkind: {kind}\n" in document), None)
        if kind is None:
            continue
        namespace = SYSTEM if kind in ("ServiceAccount", "Role", "RoleBinding") else ""
        target = f"/api/v1/namespaces/{SYSTEM}/serviceaccounts" if kind == "ServiceAccount" else path(kind, namespace)
        made = case.admin.must("POST", target, document.encode(), YAML)
        case.at_end(lambda target=f"{target}/{made['metadata']['name']}": case.admin.delete(target))


def account_of_the_pod(case):
    """In a mount namespace with the files of the account; the environment names the API server, as in a pod."""
    deploy(case)
    target = f"/api/v1/namespaces/{SYSTEM}/serviceaccounts/{NAME}/token"
    token = case.admin.must("POST", target, {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
                                             "spec": {"expirationSeconds": 3600}})["status"]["token"]
    files = case.plane.folder / "account"
    files.mkdir()
    (files / "token").write_text(token)
    (files / "ca.crt").write_text(open(case.plane.credentials.path("ca.crt"), encoding="utf-8").read())
    program = controllers.build() / NAME
    script = (f"mount -t tmpfs none /run && mkdir -p {PLACE} && cp {shlex.quote(str(files))}/* {PLACE} && "
              f"exec {shlex.quote(str(program))} --lease {SYSTEM}/{NAME}")
    variables = {**controllers.environment(), "KUBERNETES_SERVICE_HOST": "127.0.0.1",
                 "KUBERNETES_SERVICE_PORT": str(case.plane.port)}
    with open(case.plane.log(NAME), "ab") as log:
        process = subprocess.Popen(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script],
                                   env=variables, stdout=log, stderr=log)
    case.at_end(process.kill)
    create_binding(case, "web")
    create_rebalancer(case, ["web"])
    wait_for("a finished run", lambda: finished(case))
    os.kill(process.pid, signal.SIGTERM)
    assert process.wait() == 0


TESTS = (
    (account_of_the_pod, API_SERVER),
)
