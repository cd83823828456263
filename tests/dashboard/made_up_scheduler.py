"""The page as the scheduler serves it, and a made-up fleet behind it that a test can change."""

import functools
import json
import queue
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DASHBOARD = ROOT / "src" / "programs" / "scheduler" / "dashboard" / "page"
SERVER = ROOT / "src" / "programs" / "scheduler" / "observe" / "api_server.cc"
TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


def policy() -> str:
    """The Content-Security-Policy that the scheduler sends."""
    text = SERVER.read_text(encoding="utf-8")
    literals = re.search(r'"Content-Security-Policy",\s*((?:"[^"]*"\s*)+)', text)[1]
    return "".join(re.findall(r'"([^"]*)"', literals))


def gpu(number: int, state: str = "free", pod: str = "", **more) -> dict:
    holders = [{"pod": {"namespace": "team", "name": pod, "uid": "uid-" + pod}, "mode": "exclusive", "claim": "pair",
                "created": "2026-01-01T10:00:00Z", "evidence": ["bound", "lease"]}] if pod else []
    return {"id": number, "uuid": f"GPU-{number:08d}", "model": "NVIDIA A100-SXM4-80GB", "memoryMiB": 81920,
            "island": str(number // 4), "health": "Healthy", "state": state, "holders": holders} | more


def node(name: str, gpus: list[dict], **more) -> dict:
    return {"node": name, "agent": True, "handover": "direct", "foreignGpus": 0, "devices": gpus} | more


def pod(name: str, reason: str = "TooFewGpus", message: str = "of 3 nodes none fits", **more) -> dict:
    return {"namespace": "team", "name": name, "uid": "uid-" + name, "phase": "waiting",
            "created": "2026-01-01T10:00:00Z", "waitingSince": "2026-01-01T10:00:00.250000Z", "attempts": 3,
            "reason": reason, "message": message} | more


def head(kind: str) -> dict:
    return {"apiVersion": "gpu-scheduler/v1", "kind": kind, "time": "2026-01-01T12:00:00.000000Z",
            "leader": True, "synced": True}


def fleet(nodes: list[dict], pods: list[dict], reservation: dict | None = None) -> dict:
    free = sum(each["state"] == "free" for one in nodes for each in one["devices"])
    placeable = [{"size": size, "any": free // size, "island": free // size // 2} for size in (1, 2, 4, 8)]
    return head("Fleet") | {"placeable": placeable, "reservation": reservation, "nodes": nodes, "pods": pods}


EXPLANATION = head("Explanation") | {
    "fits": False, "reason": "TooFewGpus", "message": "of 3 nodes none fits; would start when team/a on node-1 ends",
    "nodes": [{"node": "node-1", "reason": "TooFewGpus",
               "message": "asked for 4 GPUs, 1 of the node's 8 can be given"}],
    "wouldStart": [{"change": "PodEnds", "node": "node-1", "text": "when team/a on node-1 ends"}]}


class Handler(BaseHTTPRequestHandler):
    """Answers one request to a made-up scheduler."""

    def __init__(self, maker: "MadeUpScheduler", *arguments):
        self.maker = maker
        super().__init__(*arguments)  # handles the request at once

    def do_GET(self):  # noqa: N802
        path = self.path.split("?")[0]
        if self.maker.refuses:
            self.send_error(503)
        elif path == "/api/v1/fleet/stream":
            self._stream()
        elif path.startswith("/api/v1/explain/"):
            self._answer("application/json", json.dumps(EXPLANATION).encode())
        elif path.startswith("/api/v1/gpus/"):
            self._node(path.rsplit("/", 1)[1])
        else:
            self._page(DASHBOARD / ("index.html" if path == "/" else path[1:]))

    def _answer(self, kind: str, body: bytes):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", policy())
        self.end_headers()
        self.wfile.write(body)

    def _page(self, file: Path):
        if file.is_file():
            self._answer(TYPES[file.suffix], file.read_bytes())
        else:
            self.send_error(404)

    def _node(self, name: str):
        found = next(one for one in self.maker.whole["nodes"] if one["node"] == name)
        link = {"type": "NVLink", "pcie": "SYS", "count": 4, "bandwidthGBps": 200}
        devices = [each | {"links": [link | {"peer": other["id"]} for other in found["devices"]
                                     if other is not each]} for each in found["devices"]]
        self._answer("application/json", json.dumps(head("Node") | found | {"devices": devices}).encode())

    def _stream(self):
        stream = self.maker.watch()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        text = "event: fleet\ndata: " + json.dumps(self.maker.whole) + "\n\n"
        try:
            while text is not None:
                self.wfile.write(text.encode())
                self.wfile.flush()
                try:
                    text = stream.get(timeout=1)
                except queue.Empty:
                    text = "event: change\ndata: " + json.dumps(head("FleetChange")) + "\n\n"
        except OSError:
            pass

    def log_message(self, *_):
        pass


class MadeUpScheduler:
    def __init__(self, whole: dict):
        self.whole = whole
        self.streams: list[queue.Queue] = []
        self.refuses = False  # every request from now on
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, self))
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/"

    def close(self) -> None:
        self.cut()
        self.server.shutdown()
        self.server.server_close()

    def change(self, **members) -> None:
        """Tells all who watch."""
        self._put("event: change\ndata: " + json.dumps(head("FleetChange") | members) + "\n\n")

    def cut(self) -> None:
        self._put(None)

    def _put(self, what) -> None:
        with self.lock:
            for stream in self.streams:
                stream.put(what)
            if what is None:
                self.streams.clear()

    def watch(self) -> queue.Queue:
        stream = queue.Queue()
        with self.lock:
            self.streams.append(stream)
        return stream
