# SPDX-License-Identifier: MIT
"""Makes certificates, keys, tokens and kubeconfigs of one control plane."""
import json
import secrets
import shutil
import subprocess
import sys

DAYS = "2"
SERVER_NAMES = "DNS:localhost,DNS:kubernetes.default.svc,IP:127.0.0.1,IP:10.96.0.1"
# user: (name in the API server, groups). "controllers" is for programs under test and has only the rights that a test
# gives it.
USERS = {
    "admin": ("admin", ["system:masters"]),
    "controllers": ("librebalance", []),
    "kube-controller-manager": ("system:kube-controller-manager", ["system:masters"]),
    "kube-scheduler": ("system:kube-scheduler", []),
}


class Credentials:
    """The files of one control plane, in one folder. Webhooks of tests may serve with server.crt and server.key."""

    def __init__(self, folder):
        self.folder = folder
        self.tokens = {user: secrets.token_hex(16) for user in USERS}
        folder.mkdir(mode=0o700)
        self.make_authority("ca")
        shutil.copy(self.path("ca.crt"), self.path("clients.crt"))  # authorities of clients' certificates
        self.make_certificate("server")
        openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", self.path("accounts.key"))
        openssl("pkey", "-in", self.path("accounts.key"), "-pubout", "-out", self.path("accounts.pub"))
        self._write_tokens()

    def path(self, name):
        return str(self.folder / name)

    def write_kubeconfigs(self, port):
        for user, token in self.tokens.items():
            self.write_kubeconfig(user, port, {"token": token})

    def write_kubeconfig(self, name, port, user, authority="ca.crt"):
        """Writes NAME.kubeconfig for a server at a port of this machine; user: the credentials."""
        self._write(f"{name}.kubeconfig", json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": [{"name": "test", "cluster": {"server": f"https://127.0.0.1:{port}",
                                                      "certificate-authority": self.path(authority)}}],
            "users": [{"name": name, "user": user}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": name}}]}, indent=2) + "\n")

    def _write(self, name, text):
        (self.folder / name).write_text(text)

    def make_authority(self, name):
        """Makes <name>.crt and <name>.key that may sign certificates."""
        openssl("req", "-x509", *self._new_key(name), "-days", DAYS, "-subj", f"/CN=librebalance-e2e-{name}",
                "-addext", "keyUsage=critical,keyCertSign,cRLSign", "-out", self.path(f"{name}.crt"))

    def make_certificate(self, name):
        """Makes <name>.crt and <name>.key of a server on this machine, signed by ca."""
        self._write(f"{name}.ext", f"subjectAltName={SERVER_NAMES}\nextendedKeyUsage=serverAuth\n")
        openssl("req", *self._new_key(name), "-subj", f"/CN={name}", "-out", self.path(f"{name}.csr"))
        openssl("x509", "-req", "-in", self.path(f"{name}.csr"), "-CA", self.path("ca.crt"), "-CAkey",
                self.path("ca.key"), "-CAcreateserial", "-days", DAYS, "-extfile", self.path(f"{name}.ext"),
                "-out", self.path(f"{name}.crt"))

    def _new_key(self, name):
        return ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", self.path(f"{name}.key"))

    def _write_tokens(self):
        lines = []
        for number, (user, token) in enumerate(sorted(self.tokens.items())):
            name, groups = USERS[user]
            lines.append(",".join([token, name, str(number), *(f'"{group}"' for group in groups)]))
        self._write("tokens.csv", "\n".join(lines) + "\n")


def openssl(*words):
    done = subprocess.run(["openssl", *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        sys.exit(f"openssl {' '.join(words)}: exit {done.returncode}\n{done.stdout}")
