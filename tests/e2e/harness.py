# SPDX-License-Identifier: MIT
"""Runs a control plane of real processes, with its own folder and ports."""
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import client
import credentials

API_SERVER = ("etcd", "kube-apiserver")
ALL = (*API_SERVER, "kube-controller-manager", "kube-scheduler", "fake-kubelet")
START_SECONDS = 60
STOP_SECONDS = 1  # then processes are killed: their data is removed anyway
CONTROLLERS = ("daemonset", "deployment", "disruption", "garbage-collector", "horizontal-pod-autoscaler", "job",
               "namespace", "node-lifecycle", "pod-garbage-collector", "replicaset", "resourcequota", "serviceaccount",
               "statefulset", "taint-eviction")
OWN_SCHEMAS = pathlib.Path(__file__).resolve().parent / "crds"


def free_ports(count):
    """Returns different ports that are free now. All sockets are bound before the first is closed."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def schema_files():
    """Returns the project's definitions. A file of LIBREBALANCE_E2E_CRDS replaces the one of its name, or is added."""
    others = [pathlib.Path(name) for name in os.environ.get("LIBREBALANCE_E2E_CRDS", "").split(":") if name]
    found = {}
    for folder in [OWN_SCHEMAS, *others]:
        paths = {path.name: path for path in folder.glob("*.yaml")}
        if not paths:
            sys.exit(f"{folder}: expected a folder with *.yaml")
        found.update(paths)
    return [found[name] for name in sorted(found)]


class ControlPlane:
    """The caller must call close(), also if start() fails. Several may run at once."""

    def __init__(self, name, program, parts=API_SERVER):
        self.name = name
        self.program = program  # of binary.find()
        self.parts = parts
        self.processes = {}  # part: its process
        self.served = []  # lists of custom resources, which a restarted API server refuses for a moment
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="librebalance-e2e-"))
        (self.folder / "log").mkdir()
        etcd_port, self.port = free_ports(2)
        self.etcd = f"http://127.0.0.1:{etcd_port}"
        self.credentials = credentials.Credentials(self.folder / "pki")
        self.credentials.write_kubeconfigs(self.port)
        self.admin = self.client("admin")

    def client(self, user):
        """Returns a client for a user of credentials.USERS, or for anonymous requests if the user is None."""
        return client.Client(self.port, self.credentials.path("ca.crt"), user and self.credentials.tokens[user])

    def kubeconfig(self, user):
        """Returns the path of the kubeconfig of a user."""
        return self.credentials.path(f"{user}.kubeconfig")

    def start(self):
        """Starts all parts and returns when the API server is ready. The others need about a second more."""
        for part in API_SERVER:
            self.start_part(part)
        self.wait_ready()
        for part in self.parts:
            if part not in API_SERVER:
                self.start_part(part)

    def start_part(self, part):
        """
        Starts a part. The process exits at the end of its standard input, so it cannot outlive this one. Ctrl-C at a
        terminal does not reach it: this one stops it.
        """
        with open(self.log(part), "ab") as log:
            self.processes[part] = subprocess.Popen(
                [str(self.program), part, *self.arguments(part)], cwd=self.folder, stdin=subprocess.PIPE, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True)

    def stop_part(self, *parts):
        """Stops parts. start_part() starts them again with the same data and ports."""
        ending = [self.processes.pop(part) for part in parts if part in self.processes]
        for process in ending:
            process.terminate()
        deadline = time.monotonic() + STOP_SECONDS
        for process in ending:
            try:
                process.wait(max(0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stdin.close()

    def close(self):
        self.stop_part(*self.processes)
        shutil.rmtree(self.folder, ignore_errors=True)

    def wait_ready(self):
        client.wait_for(f"the API server of {self.name}", self.is_ready, START_SECONDS)

    def is_ready(self):
        self.check_alive()
        try:
            return self.client(None).request("GET", "/readyz") == (200, "ok") and all(
                self.admin.request("GET", target)[0] == 200 for target in self.served)
        except OSError:
            return False

    def check_alive(self):
        """Raises an error if a part ended that stop_part() did not stop."""
        for part, process in self.processes.items():
            if process.poll() is not None:
                tail = self.log(part).read_text(errors="replace").splitlines()[-20:]
                raise RuntimeError("\n".join([f"{part} of {self.name} ended: {process.returncode}", *tail]))

    def log(self, part):
        return self.folder / "log" / f"{part}.log"

    def keep_logs(self, target):
        """Copies the logs of all parts to target/<name of the control plane>."""
        shutil.copytree(self.folder / "log", target / self.name, dirs_exist_ok=True)

    def install_schemas(self):
        """Creates the custom resource definitions, and waits until their objects can be listed."""
        for path in schema_files():
            made = self.admin.must("POST", client.path("CustomResourceDefinition"), path.read_bytes(), client.YAML)
            spec = made["spec"]
            self.served += [f"/apis/{spec['group']}/{version['name']}/{spec['names']['plural']}"
                            for version in spec["versions"] if version["served"]]
        self.wait_ready()

    def arguments(self, part):
        return {"etcd": self.etcd_arguments, "kube-apiserver": self.server_arguments,
                "kube-controller-manager": self.manager_arguments, "kube-scheduler": self.scheduler_arguments,
                "fake-kubelet": self.kubelet_arguments}[part]()

    def etcd_arguments(self):
        return (f"--data-dir={self.folder / 'etcd'}", f"--listen-client={self.etcd}")

    def server_arguments(self):
        pki = self.credentials.path
        return (
            f"--etcd-servers={self.etcd}", "--bind-address=127.0.0.1", f"--secure-port={self.port}",
            # Without these two it requires an address that is not loopback.
            "--advertise-address=127.0.0.1", "--endpoint-reconciler-type=none",
            f"--tls-cert-file={pki('server.crt')}", f"--tls-private-key-file={pki('server.key')}",
            f"--client-ca-file={pki('clients.crt')}", f"--token-auth-file={pki('tokens.csv')}",
            "--authorization-mode=RBAC",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={pki('accounts.pub')}",
            f"--service-account-signing-key-file={pki('accounts.key')}", "--service-cluster-ip-range=10.96.0.0/16",
            # Pods would be refused until the controller manager has created the account of their namespace.
            "--disable-admission-plugins=ServiceAccount", "--enable-priority-and-fairness=false", "--profiling=false",
            "--allow-privileged=true")

    def manager_arguments(self):
        pki = self.credentials.path
        return (
            f"--kubeconfig={self.kubeconfig('kube-controller-manager')}", "--leader-elect=false", "--secure-port=0",
            "--profiling=false", f"--service-account-private-key-file={pki('accounts.key')}",
            f"--root-ca-file={pki('ca.crt')}",
            "--controllers=" + ",".join(f"{name}-controller" for name in CONTROLLERS))

    def scheduler_arguments(self):
        return (f"--kubeconfig={self.kubeconfig('kube-scheduler')}", "--leader-elect=false", "--secure-port=0",
                "--profiling=false")

    def kubelet_arguments(self):
        return (f"--kubeconfig={self.kubeconfig('admin')}",)
