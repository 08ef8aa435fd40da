# SPDX-License-Identifier: MIT
"""How controllers reach an API server: which kubeconfigs they accept, and which certificates they trust."""
import base64
import json
import pathlib
import subprocess
import time

import controllers
import members
import proxy
from client import path, wait_for
from harness import API_SERVER
from karmada import binding, create_cluster, placement
from test_rebalancer import NAME, create_binding, create_rebalancer, finished
from test_scheduler import placed

SECONDS = 10


def kubeconfig(case, cluster=None, user=None):
    """Returns the kubeconfig of the administrator with other members of its cluster and user."""
    config = json.loads(pathlib.Path(case.plane.kubeconfig("admin")).read_text())
    config["clusters"][0]["cluster"].update(cluster or {})
    config["users"][0]["user"].update(user or {})
    return config


def write(case, config, name="changed"):
    """Writes a kubeconfig next to the others, as that of the user of this name."""
    pathlib.Path(case.plane.kubeconfig(name)).write_text(json.dumps(config))


def refused(case, config):
    """Starts a controller with a kubeconfig with which it ends, and returns its log."""
    write(case, config)
    log = case.plane.log(NAME)
    begin = log.stat().st_size if log.exists() else 0
    controller = controllers.Controller(NAME, case.plane, "changed")
    try:
        assert controller.wait(SECONDS) == 1
    finally:
        controller.kill()
    return log.read_text()[begin:]


def works(case, config):
    write(case, config)
    controllers.start(case, NAME, "changed")
    create_binding(case, "web")
    create_rebalancer(case, ["web"])
    wait_for("a finished run", lambda: finished(case))


def files_are_missing(case):
    for config, name in ((kubeconfig(case, {"certificate-authority": "/no/authority"}), "/no/authority"),
                         (kubeconfig(case, user={"client-key": "/no/key"}), "/no/key"),
                         (kubeconfig(case, user={"tokenFile": "/no/token"}), "/no/token")):
        log = refused(case, config)
        assert f"{name}: No such file or directory" in log, log


def other_credentials_are_refused(case):
    """
    Members that connections do not support are refused: requests would be those of another user, or to another server.
    """
    for key, value in (("insecure-skip-tls-verify", True), ("tls-server-name", "other"), ("proxy-url", "http://proxy")):
        log = refused(case, kubeconfig(case, {key: value}))
        assert f"{key} is not supported" in log, log
    for key, value in (("exec", {"command": "login"}), ("auth-provider", {"name": "oidc"}), ("username", "me"),
                       ("as", "other"), ("as-groups", ["others"])):
        log = refused(case, kubeconfig(case, user={key: value}))
        assert f"{key} is not supported" in log, log


def parts_are_missing(case):
    log = refused(case, {**kubeconfig(case), "current-context": "other"})
    assert 'contexts has no "other"' in log, log
    for part in ("clusters", "users"):
        log = refused(case, {**kubeconfig(case), part: []})
        assert f'{part} has no "' in log, log
    log = refused(case, kubeconfig(case, {"server": f"http://127.0.0.1:{case.plane.port}"}))
    assert "expected a server that begins with https://" in log, log


def relative_files(case):
    """Files are relative to the kubeconfig, wherever the program runs. The URL of a server may end with a slash."""
    works(case, kubeconfig(case, {"certificate-authority": "ca.crt", "insecure-skip-tls-verify": False,
                                  "server": f"https://127.0.0.1:{case.plane.port}/"}))


def contents_of_files(case):
    authority = pathlib.Path(case.plane.credentials.path("ca.crt")).read_bytes()
    config = kubeconfig(case, {"certificate-authority-data": base64.b64encode(authority).decode()})
    del config["clusters"][0]["cluster"]["certificate-authority"]
    works(case, config)


def no_other_authority_is_trusted(case):
    """A server with a certificate of a system authority is refused if the kubeconfig names another authority."""
    credentials = case.plane.credentials
    credentials.make_authority("other")
    write(case, kubeconfig(case, {"certificate-authority": credentials.path("other.crt")}))
    digest = subprocess.run(["openssl", "x509", "-hash", "-noout", "-in", credentials.path("ca.crt")], check=True,
                            stdout=subprocess.PIPE, text=True).stdout.strip()
    script = f"""mount -t tmpfs none /etc/ssl/certs && cp "$1" /etc/ssl/certs/{digest}.0 && shift && exec "$@" """
    with open(case.plane.log(NAME), "ab") as log:
        process = subprocess.Popen(
            ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", credentials.path("ca.crt"),
             str(controllers.build() / NAME), "--kubeconfig", case.plane.kubeconfig("changed")],
            env=controllers.environment(), stdout=log, stderr=log)
    case.at_end(process.kill)
    create_rebalancer(case, ["web"])
    wait_for("a refusal", lambda: finished(case) or "certificate" in case.plane.log(NAME).read_text())
    assert not finished(case)


class Swallower(proxy.Proxy):
    """A proxy whose connections can fall silent for good, while new ones work, as after a failure of the network."""

    def __init__(self, target):
        self.silent = set()
        super().__init__(target)

    def swallow(self):
        self.silent |= self._pairs

    def _pump(self, pair, source, drain):
        """Forwards until the pair is silent."""
        class Drain:
            @staticmethod
            def sendall(piece):
                if pair not in self.silent:
                    drain.sendall(piece)
        super()._pump(pair, source, Drain)


def silent_connections_are_left(case):
    """A request without an answer is not followed by others on its connection, which the watch shares."""
    between = Swallower(case.plane.port)
    case.at_end(between.close)
    write(case, kubeconfig(case, {"server": f"https://127.0.0.1:{between.port}"}))
    controllers.start(case, NAME, "changed", None, "--lease", f"{case.namespace}/{NAME}", "--lease-duration", "3")
    create_binding(case, "web")
    create_rebalancer(case, ["web"])
    wait_for("a finished run", lambda: finished(case))
    between.swallow()
    case.admin.delete(path("WorkloadRebalancer", name=case.name))
    create_rebalancer(case, ["web"])
    wait_for("a run on another connection", lambda: finished(case))


def a_member_with_missing_files(case):
    """Does not keep bindings from being scheduled, and is not retried in each pass."""
    broken, whole = create_cluster(case, "broken", "10"), create_cluster(case, "whole", "10")
    config = json.loads(pathlib.Path(members.kubeconfig(case, {broken: case.plane, whole: case.plane})).read_text())
    config["clusters"][0]["cluster"]["certificate-authority"] = "/no/authority"
    write(case, config, "members")
    controllers.start(case, "karmada-scheduler", "admin", None, "--members", case.plane.kubeconfig("members"))
    case.create("ResourceBinding", binding(case, "web", 2, placement("Weighted", clusters=[broken])))
    placed(case, "web")
    time.sleep(2)  # meanwhile there are some passes
    tries = case.plane.log("karmada-scheduler").read_text().count("/no/authority")
    assert 1 <= tries < 4, f"tried {tries} times"


TESTS = (
    (a_member_with_missing_files, API_SERVER),
    (silent_connections_are_left, API_SERVER),
    (files_are_missing, API_SERVER),
    (other_credentials_are_refused, API_SERVER),
    (parts_are_missing, API_SERVER),
    (relative_files, API_SERVER),
    (contents_of_files, API_SERVER),
    (no_other_authority_is_trusted, API_SERVER),
)
