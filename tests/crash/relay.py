"""A relay of bytes between the schedulers and the API server.

It understands none of them, so TLS and whatever is spoken inside stay what they are in a cluster: HTTP/2, where many requests
share a connection, included. It can reset connections, let only so many bytes pass before it does, and hold back what is sent
until later, also beyond the death of the sender.
"""

import asyncio
import re
import socket
import struct
import threading
from pathlib import Path

SERVER = re.compile(r"https://([^\s\",:]+):(\d+)")
RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class Way:
    """One direction of a connection."""

    def __init__(self, writer: asyncio.StreamWriter):
        self.writer = writer
        self.waiting = bytearray()
        self.has_news = asyncio.Event()
        self.has_ended = False
        self.is_held = False


class Relay:
    """Its functions may be called from any thread."""

    def __init__(self, kubeconfig: Path, folder: Path):
        text = kubeconfig.read_text(encoding="utf-8")
        self._host, port = SERVER.search(text).groups()
        self._port = int(port)
        self._connections: set[tuple[Way, Way]] = set()  # to the server and back
        self._budget: list[int | None] = [None, None]  # bytes that may still pass, to the server and back
        self.resets = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._call(asyncio.start_server(self._serve, "127.0.0.1", 0))
        own = self._server.sockets[0].getsockname()[1]
        self.kubeconfig = folder / "relay.kubeconfig"
        self.kubeconfig.write_text(SERVER.sub(f"https://127.0.0.1:{own}", text), encoding="utf-8")

    def _call(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(timeout=60)

    def _soon(self, function) -> None:
        self._loop.call_soon_threadsafe(function)

    def close(self) -> None:
        async def end() -> None:
            self._server.close()
            self._reset_all()

        self._call(end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=60)

    # --- faults ---------------------------------------------------------------------------------------------------

    def reset(self) -> None:
        """Every connection there is, at once."""
        self._soon(self._reset_all)

    def reset_after(self, number: int, *, to_server: bool) -> None:
        """When so many bytes more have passed that way."""
        def limit() -> None:
            self._budget[0 if to_server else 1] = number

        self._soon(limit)

    def hold(self) -> None:
        """Whatever is sent to the server over the connections there are now stays here."""
        def hold_all() -> None:
            for up, _ in self._connections:
                up.is_held = True

        self._soon(hold_all)

    def held_bytes(self) -> int:
        async def count() -> int:
            return sum(len(up.waiting) for up, _ in self._connections if up.is_held)

        return self._call(count())

    def let_go(self) -> None:
        def release() -> None:
            self._budget = [None, None]
            for up, _ in self._connections:
                up.is_held = False
                up.has_news.set()

        self._soon(release)

    # --- on the loop ----------------------------------------------------------------------------------------------

    def _reset_all(self) -> None:
        self.resets += 1
        self._budget = [None, None]
        for connection in self._connections:
            for way in connection:
                way.waiting.clear()
                way.has_ended = True
                way.has_news.set()
                if way.writer.transport.is_closing():
                    continue
                way.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
                way.writer.transport.abort()

    async def _serve(self, from_client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        try:
            from_server, to_server = await asyncio.open_connection(self._host, self._port)
        except OSError:  # the server is away
            to_client.transport.abort()
            return
        up, down = Way(to_server), Way(to_client)
        self._connections.add((up, down))
        try:
            await asyncio.gather(self._read(from_client, up), self._read(from_server, down),
                                 self._write(up, 0), self._write(down, 1))
        finally:
            self._connections.discard((up, down))

    @staticmethod
    async def _read(reader: asyncio.StreamReader, way: Way) -> None:
        try:
            while data := await reader.read(1 << 16):
                way.waiting += data
                way.has_news.set()
        except OSError:
            pass
        way.has_ended = True
        way.has_news.set()

    async def _write(self, way: Way, direction: int) -> None:
        """What has come is sent on, also when who sent it is gone."""
        try:
            while not way.has_ended or way.waiting:
                await way.has_news.wait()
                way.has_news.clear()
                if way.is_held or not way.waiting:
                    if way.has_ended and not way.is_held:
                        break
                    continue
                data = bytes(way.waiting)
                budget = self._budget[direction]
                if budget is not None:
                    data = data[:budget]
                    self._budget[direction] = budget - len(data)
                del way.waiting[:len(data)]
                way.writer.write(data)
                await way.writer.drain()
                if self._budget[direction] == 0:
                    self._reset_all()
                elif way.waiting:
                    way.has_news.set()
        except OSError:
            way.waiting.clear()
        way.writer.close()
