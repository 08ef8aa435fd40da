# SPDX-License-Identifier: MIT
"""fake-server.py FOLDER: an API server without objects, with the key and certificate of the folder. Writes its port into
the folder's file port once it listens."""
import http.server
import json
import pathlib
import ssl
import sys
import time

FOLDER = pathlib.Path(sys.argv[1])
LIST = {"apiVersion": "apps.karmada.io/v1alpha1", "kind": "WorkloadRebalancerList",
        "metadata": {"resourceVersion": "7"}, "items": []}


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        is_watch = "watch=" in self.path
        body = b"" if is_watch else json.dumps(LIST).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        if is_watch:
            self.send_header("Connection", "close")
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
        if is_watch:
            time.sleep(60)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(FOLDER / "certificate", FOLDER / "key")
server.socket = context.wrap_socket(server.socket, server_side=True)
(FOLDER / "port").write_text(str(server.server_address[1]))
server.serve_forever()
