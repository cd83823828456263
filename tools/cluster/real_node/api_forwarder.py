"""Lets a node and its pods reach the API server: api_forwarder.py ADDRESS PORT TO_ADDRESS TO_PORT.

Passes connections to ADDRESS:PORT on to TO_ADDRESS:TO_PORT. One on the machine passes on to the API server, which listens on
loopback only; one inside the node takes what is meant for the API server's Service, since no kube-proxy runs.
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


async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, to_address: str, to_port: int) -> None:
    try:
        server_reader, server_writer = await asyncio.open_connection(to_address, to_port)
    except OSError:
        writer.close()
        return
    await asyncio.gather(pump(reader, server_writer), pump(server_reader, writer))


async def main(address: str, port: int, to_address: str, to_port: int) -> None:
    server = await asyncio.start_server(lambda reader, writer: forward(reader, writer, to_address, to_port), address, port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])))
