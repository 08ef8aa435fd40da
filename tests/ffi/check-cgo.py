# SPDX-License-Identifier: MIT
"""The tutorial through cgo; go 1.18 suffices. Nothing is fetched: the program imports only packages of Go itself."""
import hashlib
import os
import pathlib
import tempfile

import foreign

import common


def headers():
    """A digest of the headers as a flag: go's cache of compiled packages depends on flags, not on included files."""
    texts = (path.read_bytes() for path in sorted(pathlib.Path(common.INCLUDE, "rebalance").iterdir()))
    return hashlib.sha256(b"".join(texts)).hexdigest()


def main():
    flags = foreign.link_flags()
    with tempfile.TemporaryDirectory() as name:
        program = pathlib.Path(name, "tutorial")
        os.environ.update(CGO_ENABLED="1", CC=" ".join(common.CC), CGO_LDFLAGS=" ".join(flags),
                          CGO_CFLAGS=f"-I{common.INCLUDE} -DHEADERS={headers()}",
                          GOFLAGS="", GOPROXY="off", GOTOOLCHAIN="local", GO111MODULE="off")
        if not os.access(pathlib.Path.home(), os.W_OK):  # the build daemons of distributions have no home
            os.environ.setdefault("GOCACHE", f"{name}/cache")
        source = common.SOURCE / "tests/ffi"
        common.output(["go", "build", "-o", program, *sorted(source.glob("*.go"))])
        foreign.compare([program], {})


main()
