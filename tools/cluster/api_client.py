"""The smallest client for the API server of a plane: one connection, JSON in, JSON out, as the administrator."""

import http.client
import json
import ssl
from pathlib import Path

MERGE_PATCH = "application/merge-patch+json"


class ApiClient:
    """Requires: used by one thread. A request on a connection that broke fails with OSError or HTTPException."""

    def __init__(self, port: int, pki: Path, timeout_seconds: float = 60):
        context = ssl.create_default_context(cafile=str(pki / "ca.crt"))
        context.load_cert_chain(pki / "admin.crt", pki / "admin.key")
        self.connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=timeout_seconds, context=context)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.connection.close()

    def request(self, method: str, path: str, body=None, content_type: str = "application/json") -> tuple[int, object]:
        """The status and the answer, parsed when it is JSON."""
        sent = None if body is None else json.dumps(body)
        self.connection.request(method, path, sent, {"Content-Type": content_type, "Accept": "application/json"})
        answer = self.connection.getresponse()
        text = answer.read().decode()
        is_json = answer.getheader("Content-Type", "").startswith("application/json")
        return answer.status, json.loads(text) if is_json else text


def answers(port: int, pki: Path, path: str) -> bool:
    """Whether a GET succeeds; a server that is not there does not answer."""
    try:
        with ApiClient(port, pki, timeout_seconds=5) as client:
            return client.request("GET", path)[0] == 200
    except (OSError, http.client.HTTPException, ValueError):
        return False
