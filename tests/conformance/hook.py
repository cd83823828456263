"""A webhook for the cases: an HTTPS server of a case's own that answers what it is told to, and remembers what it was asked."""

import base64
import http.server
import json
import ssl
import subprocess
import tempfile
import threading
from pathlib import Path


class Hook:
    def __init__(self):
        self.answers = {}  # by path: the response without its uid; `patch` as a list of operations
        self.asked = []  # the requests of the reviews, each with the path it came to
        self.lock = threading.Lock()
        with tempfile.TemporaryDirectory() as folder:
            certificate, key = make_certificate(Path(folder))
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            self.authority = base64.b64encode(certificate.read_bytes()).decode()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = f"https://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def handler(self) -> type:
        hook = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:  # noqa: N802  the name is given
                review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                answer = json.dumps(hook.answer(self.path.partition("?")[0], review["request"])).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_) -> None:
                """Nobody reads it."""

        return Handler

    def answer(self, path: str, request: dict) -> dict:
        with self.lock:
            self.asked.append({"path": path} | request)
            response = {"allowed": True} | self.answers.get(path, {}) | {"uid": request["uid"]}
        if "patch" in response:
            patch = base64.b64encode(json.dumps(response["patch"]).encode()).decode()
            response |= {"patchType": "JSONPatch", "patch": patch}
        return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def make_certificate(folder: Path) -> tuple[Path, Path]:
    certificate, key = folder / "hook.crt", folder / "hook.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=hook", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
                   check=True, capture_output=True)
    return certificate, key
