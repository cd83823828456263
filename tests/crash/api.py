"""An API server as a kubeconfig describes it: JSON in, JSON out, and watches. Any thread may use it."""

import base64
import http.client
import json
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.parse
from pathlib import Path

BROKEN = (OSError, http.client.HTTPException, ValueError)
MERGE_PATCH = "application/merge-patch+json"
PODS = "/api/v1/namespaces/{}/pods"
CLAIMS = "/apis/gpu.scheduling/v1/namespaces/{}/gpuclaims"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/{}/leases"


class Api:
    def __init__(self, kubeconfig: Path, kubectl: str, timeout_seconds: float = 10):
        view = subprocess.run([kubectl, "config", "view", "--raw", "--flatten", "--minify", "-o", "json",
                               f"--kubeconfig={kubeconfig}"], check=True, capture_output=True, text=True)
        config = json.loads(view.stdout)
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        self.server = urllib.parse.urlsplit(cluster["server"])
        self.timeout_seconds = timeout_seconds
        self.headers = {"Accept": "application/json"}
        if "token" in user:
            self.headers["Authorization"] = f"Bearer {user['token']}"
        self.context = self._context(cluster, user) if self.server.scheme == "https" else None
        self._own = threading.local()

    @staticmethod
    def _context(cluster: dict, user: dict) -> ssl.SSLContext:
        authorities = base64.b64decode(cluster.get("certificate-authority-data", "")).decode()
        context = ssl.create_default_context(cadata=authorities or None)
        if "client-certificate-data" in user:
            with tempfile.NamedTemporaryFile() as file:  # the library reads keys from files only
                for part in ("client-certificate-data", "client-key-data"):
                    file.write(base64.b64decode(user[part]))
                file.flush()
                context.load_cert_chain(file.name)
        return context

    def connect(self, timeout_seconds: float) -> http.client.HTTPConnection:
        place = (self.server.hostname, self.server.port)
        if self.context:
            return http.client.HTTPSConnection(*place, timeout=timeout_seconds, context=self.context)
        return http.client.HTTPConnection(*place, timeout=timeout_seconds)

    def request(self, method: str, path: str, body=None, content_type: str = "application/json") -> tuple[int, dict]:
        """Raises one of BROKEN when there is no answer; then a write may have happened or not."""
        if not hasattr(self._own, "connection"):
            self._own.connection = self.connect(self.timeout_seconds)
        connection = self._own.connection
        try:
            connection.request(method, path, None if body is None else json.dumps(body),
                               self.headers | {"Content-Type": content_type})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"{}")
        except BROKEN:
            connection.close()  # the next request opens it again
            raise

    def insist(self, method: str, path: str, body=None, content_type: str = "application/json",
               seconds: float = 60) -> tuple[int, dict]:
        """Asks again until there is an answer that is not a matter of the moment. The write may happen twice."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                status, answer = self.request(method, path, body, content_type)
                if status < 500 and status != 429:
                    return status, answer
                problem = f"{status} {answer.get('message', '')}"
            except BROKEN as error:
                problem = repr(error)
            if time.monotonic() > deadline:
                raise TimeoutError(f"{method} {path} did not succeed in {seconds} s: {problem}")
            time.sleep(0.2)

    def get(self, path: str) -> dict | None:
        """None: there is no such object."""
        status, answer = self.insist("GET", path)
        return answer if status == 200 else None
