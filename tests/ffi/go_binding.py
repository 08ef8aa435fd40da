# SPDX-License-Identifier: MIT
"""How bindings/go is built against the libraries of the build folder, as against installed ones."""
import hashlib
import lzma
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

SOURCE, BUILD = common.SOURCE.resolve(), common.BUILD.resolve()
FOLDER = SOURCE / "bindings/go"


def need_go(version=(1, 24)):
    """Skips the test if it cannot run."""
    if not common.WITH_MANIFEST:
        common.skip("bindings/go needs librebalance-manifest")
    found = re.search(r"go(\d+)\.(\d+)", common.run(["go", "version"])[1])
    if not found or tuple(map(int, found.groups())) < version:
        common.skip("go is older than {}.{}".format(*version))
    library = common.shared_library("librebalance")
    if "__asan_" in common.output([*common.NM, "-D", "--undefined-only", library]):
        print("skip: foreign callers and a library with sanitizers")
        sys.exit(77)


def headers():
    """A digest of the headers as a flag: go's cache of compiled packages depends on flags, not on included files."""
    texts = (path.read_bytes() for path in sorted(pathlib.Path(common.INCLUDE, "rebalance").iterdir()))
    return hashlib.sha256(b"".join(texts)).hexdigest()


def write_packages(folder):
    """What pkg-config reads, with the paths of sources and build folder."""
    places = {"libdir": BUILD / ".libs", "includedir": SOURCE / "include"}
    for page in (BUILD / "packaging").glob("*.pc"):
        text = re.sub(r"^(libdir|includedir)=.*$", lambda found: f"{found[1]}={places[found[1]]}", page.read_text(),
                      flags=re.M)
        (folder / page.name).write_text(text)


def write_vectors(folder):
    """The recorded cases, unpacked."""
    for packed in (SOURCE / "tests/vectors").glob("*/*.jsonl.xz"):
        (folder / packed.stem).write_bytes(lzma.open(packed).read())


def compiler():
    """The compiler itself: through ccache go does not detect the option -no-pie, which the race detector needs."""
    return " ".join(word for word in common.CC if pathlib.Path(word).name != "ccache")


def environment(folder, fetches=False):
    """Variables for go, with what it needs in a temporary folder."""
    folder = pathlib.Path(folder)
    packages, vectors = folder / "pkgconfig", folder / "vectors"
    for made in (packages, vectors):
        made.mkdir()
    write_packages(packages)
    write_vectors(vectors)
    found = {**os.environ, "PKG_CONFIG_PATH": str(packages), "CGO_ENABLED": "1", "CC": compiler(),
             "CGO_CFLAGS": f"-O2 -g -DHEADERS={headers()}", "LD_LIBRARY_PATH": str(BUILD / ".libs"),
             "GOFLAGS": "-buildvcs=false", "GOTOOLCHAIN": "local", "GO111MODULE": "on", "GOWORK": "off",
             "REBAL_VECTORS": str(vectors), "REBAL_SOURCE": str(SOURCE)}
    if not fetches:
        found["GOPROXY"] = "off"
    if not os.access(pathlib.Path.home(), os.W_OK):  # the build daemons of distributions have no home
        found.setdefault("GOCACHE", str(folder / "cache"))
    return found
