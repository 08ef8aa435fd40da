# SPDX-License-Identifier: MIT
"""Proxies between a program and an API server: one forwards bytes, one reads the requests."""
import contextlib
import http.client
import http.server
import socket
import ssl
import struct
import threading
import time

import client

ALL_AT_ONCE = struct.pack("ii", 1, 0)  # for SO_LINGER: the peer sees a reset


class Proxy:
    """Forwards TCP connections to a port of this machine, and holds, delays or cuts them. Must be closed."""

    def __init__(self, target):
        self._target = target
        self._pairs = set()
        self._lock = threading.Lock()
        self._flows = threading.Event()
        self._flows.set()
        self.delay = 0.0  # seconds, of each piece in each direction
        self.refuses = False  # new connections
        self.accepted = 0
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                self.accepted += 1
                try:
                    if self.refuses:
                        raise ConnectionRefusedError
                    far = socket.create_connection(("127.0.0.1", self._target))
                except OSError:
                    reset(near)
                    continue
                pair = (near, far)
                with self._lock:
                    self._pairs.add(pair)
                for source, drain in (pair, pair[::-1]):
                    threading.Thread(target=self._pump, args=(pair, source, drain), daemon=True).start()

    def _pump(self, pair, source, drain):
        try:
            while piece := source.recv(65536):
                self._flows.wait()
                if self.delay:
                    time.sleep(self.delay)
                drain.sendall(piece)
        except OSError:
            pass
        self._end(pair)

    def _end(self, pair):
        with self._lock:
            if pair not in self._pairs:
                return
            self._pairs.remove(pair)
        for one in pair:
            reset(one)

    def cut(self):
        """Resets the present connections."""
        for pair in list(self._pairs):
            self._end(pair)

    def stall(self):
        """Keeps the connections, but forwards nothing."""
        self._flows.clear()

    def resume(self):
        """Ends stall(): forwards the held bytes."""
        self._flows.set()

    def close(self):
        # Without shutdown() the thread would go on accepting.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()
        self.resume()


def reset(one):
    with contextlib.suppress(OSError):
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ALL_AT_ONCE)
        one.shutdown(socket.SHUT_RDWR)
    one.close()


class Interceptor(http.server.ThreadingHTTPServer):
    """
    An API server before that of a control plane, with its certificate or PATH.crt and PATH.key. Keeps requests in
    requests, as (method, path, content type, body), and those that were answered in answers, as (method, path, status).
    Calls before(method, path, body) before it forwards a request, and after(method, path, body, status) after its
    answer: if either returns True, the connection is cut instead. Must be closed.
    """

    daemon_threads = True
    request_queue_size = 100

    def __init__(self, plane, certificate=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.plane = plane
        self.port = self.server_address[1]
        self.requests, self.answers = [], []
        self.before = self.after = lambda *_: False
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate = certificate or plane.credentials.path("server")
        self.tls.load_cert_chain(f"{certificate}.crt", f"{certificate}.key")
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def handle_error(self, request, client_address):
        """Ignores clients that close their connection."""

    def close(self):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self):
        self.request = self.server.tls.wrap_socket(self.request, server_side=True)
        self.far = http.client.HTTPSConnection("127.0.0.1", self.server.plane.port, context=self.server.plane.admin.tls)
        super().setup()

    def finish(self):
        self.far.close()
        with contextlib.suppress(OSError):
            super().finish()

    def log_message(self, *_):
        """Logs nothing."""

    def serve(self):
        """Forwards one request and its answer, piece by piece, because a watch does not end."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.requests.append((self.command, self.path, self.headers["Content-Type"], body))
        if self.server.before(self.command, self.path, body):
            self.cut()
            return
        kept = {name: value for name, value in self.headers.items() if name not in ("Host", "Connection")}
        self.far.request(self.command, self.path, body or None, kept)
        answer = self.far.getresponse()
        self.server.answers.append((self.command, self.path, answer.status))
        if self.server.after(self.command, self.path, body, answer.status):
            self.cut()
            return
        self.send_response_only(answer.status)
        self.send_header("Content-Type", answer.headers["Content-Type"] or client.JSON)
        self.send_header("Date", answer.headers["Date"])
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while piece := answer.read1(65536):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        answer.close()  # read1() leaves it open
        self.wfile.write(b"0\r\n\r\n")

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = serve

    def cut(self):
        self.close_connection = True
        reset(self.connection)


class OtherWriter:
    """
    Writes to a binding of a test just before a program does, the given number of times: the program gets a conflict.
    The user of the program is the name of the test.
    """

    def __init__(self, case, times):
        self.case, self.left, self.conflicts = case, times, 0
        between = Interceptor(case.plane)
        case.at_end(between.close)
        between.before, between.after = self.before, self.after
        case.plane.credentials.write_kubeconfig(case.name, between.port,
                                                {"token": case.plane.credentials.tokens["admin"]})

    def is_write(self, method, target):
        return method == "PATCH" and f"/{self.case.namespace}/resourcebindings/" in target

    def before(self, method, target, _):
        if self.left and self.is_write(method, target):
            self.left -= 1
            annotations = {"e2e.test/left": str(self.left)}
            self.case.admin.merge(target.partition("?")[0], {"metadata": {"annotations": annotations}})

    def after(self, method, target, _, status):
        self.conflicts += status == 409 and self.is_write(method, target)
