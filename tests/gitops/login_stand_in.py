"""Stands in for what answers at Kubeflow's gateway: the dashboard, oauth2-proxy and Dex, with a login that is gone through.

The redirects, the form, the code that can be used once and the cookie are as the real ones have them; tokens stay inside.
"""

import http.server
import json
import secrets
import threading
from contextlib import ExitStack
from urllib.parse import parse_qs, urlsplit

USER, PASSWORD = "user@example.com", "of a test & nobody else's"
FORM = "/dex/auth/local/login?back=&state=s"
ISSUER = "http://dex.auth.svc.cluster.local:5556/dex"
DISCOVERY = {"issuer": ISSUER, "token_endpoint": f"{ISSUER}/token"}


class Gateway(http.server.BaseHTTPRequestHandler):
    failure = 0  # a status that every page has
    pages = {"/dex/.well-known/openid-configuration": DISCOVERY, "/dex/keys": {"keys": [{"kid": "a", "use": "sig"}]}}
    codes: set[str] = set()
    sessions: set[str] = set()

    def do_GET(self):
        path = urlsplit(self.path).path
        if self.failure:
            self.answer(self.failure)
        elif path in self.pages:
            self.answer(200, json.dumps(self.pages[path]))
        elif path == "/oauth2/callback":
            self.begin_session()
        elif path == "/dex/auth":
            self.lead_to(FORM)
        elif path == "/dex/auth/local/login" or self.has_session():
            self.answer(200)
        else:
            self.lead_to("/dex/auth?client_id=kubeflow&response_type=code&state=s")

    def do_POST(self):
        given = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        if self.path != FORM or (given.get("login"), given.get("password")) != ([USER], [PASSWORD]):
            self.answer(200, "Invalid Email Address and password.")
            return
        code = secrets.token_hex(8)
        self.codes.add(code)
        self.lead_to(f"/oauth2/callback?code={code}&state=s", status=303)

    def begin_session(self):
        code = parse_qs(urlsplit(self.path).query).get("code", [""])[0]
        if code not in self.codes:
            self.answer(403)
            return
        self.codes.remove(code)
        session = secrets.token_hex(8)
        self.sessions.add(session)
        self.lead_to("/", cookie=f"oauth2_proxy_kubeflow={session}; Path=/; HttpOnly")

    def has_session(self) -> bool:
        return self.headers.get("Cookie", "").removeprefix("oauth2_proxy_kubeflow=") in self.sessions

    def lead_to(self, where: str, status: int = 302, cookie: str = ""):
        self.answer(status, headers={"Location": where} | ({"Set-Cookie": cookie} if cookie else {}))

    def answer(self, status: int, text: str = "", headers: dict[str, str] | None = None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        # The end of a connection does not come through a forwarded port.
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


def start(ends: ExitStack) -> int:
    """Its port."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Gateway)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    ends.callback(server.server_close)
    ends.callback(server.shutdown)
    return server.server_port
