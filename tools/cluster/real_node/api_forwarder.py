"""Lets a node reach the API server, which listens on loopback only: api_forwarder.py ADDRESS PORT.

Passes connections to ADDRESS:PORT on to 127.0.0.1:PORT. Only the node is at the other end of ADDRESS.
"""

import asyncio
import sys


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass  # one side broke off; the other gets to know by the close
    finally:
        writer.close()


async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> None:
    try:
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        writer.close()
        return
    await asyncio.gather(pump(reader, server_writer), pump(server_reader, writer))


async def main(address: str, port: int) -> None:
    server = await asyncio.start_server(lambda reader, writer: forward(reader, writer, port), address, port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
