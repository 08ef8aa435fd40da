# SPDX-License-Identifier: MIT
"""Certificates beside those of a control plane: other authorities, other times."""
import glob
import subprocess

NAMES = "subjectAltName=DNS:localhost,IP:127.0.0.1"


def clock(offset):
    """The environment of a program whose clock differs, such as by "-5m"."""
    found = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
    assert found, "tests/e2e needs libfaketime, which is not installed"
    return {"LD_PRELOAD": found[0], "FAKETIME": offset, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}


class Authority:
    """
    Signs certificates, a day old and valid for another one. It is the one of that name in the folder, such as "ca" of a
    control plane, or a new one.
    """

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        if not (folder / f"{name}.crt").exists():
            self._make()

    def _make(self):
        self._openssl("req", "-x509", *self._new_key(self.name), "-days", "2", "-subj", f"/CN={self.name}", "-addext",
                      "keyUsage=critical,keyCertSign,cRLSign", "-out", self.path(f"{self.name}.crt"))

    def path(self, name):
        return str(self.folder / name)

    def sign(self, name, subject, extensions):
        """Writes NAME.crt and NAME.key, such as of "/O=group/CN=user" with "extendedKeyUsage=clientAuth"."""
        (self.folder / f"{name}.ext").write_text(extensions + "\n")
        self._openssl("req", *self._new_key(name), "-subj", subject, "-out", self.path(f"{name}.csr"))
        self._openssl("x509", "-req", "-in", self.path(f"{name}.csr"), "-CA", self.path(f"{self.name}.crt"), "-CAkey",
                      self.path(f"{self.name}.key"), "-CAcreateserial", "-days", "2", "-extfile",
                      self.path(f"{name}.ext"), "-out", self.path(f"{name}.crt"))

    def _new_key(self, name):
        return ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", self.path(f"{name}.key"))

    def _openssl(self, *words):
        subprocess.run(["openssl", *words], env={"PATH": "/usr/bin:/bin", **clock("-1d")}, check=True,
                       stderr=subprocess.DEVNULL)
