"""A crowd for the memory lab: many requests that wait in a server at the same time.

Each line on standard input is "port number path": ask that path on so many connections at once,
and hold them all. The answers, a line each: "asked" once all were sent, then "first last wrong":
when the first answer came and when the last (`time.perf_counter`, which all processes of a
machine share), and how many were no 200. Ends with its input.

It measures no throughput, so it needs no Locust; and it is no part of the measuring process,
which may open fewer files than there are requests.
"""

import asyncio
import sys
import time

CLOSES = "Host: localhost\r\nConnection: close\r\n\r\n"


async def ask(port: int, path: str, sent: asyncio.Barrier) -> tuple[float, bool]:
    """Send one request; tell when its answer came, and whether it was well."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET {path} HTTP/1.1\r\n{CLOSES}".encode())
    except OSError:
        await sent.wait()
        return time.perf_counter(), False
    await sent.wait()
    try:
        status = await reader.readline()
        came = time.perf_counter()
        await reader.read()
    except OSError:
        return time.perf_counter(), False
    finally:
        writer.close()
    return came, b" 200 " in status


async def crowd(port: int, number: int, path: str) -> None:
    """Send all requests at once, and print when the first and the last was answered."""
    sent = asyncio.Barrier(number + 1)
    asking = [asyncio.create_task(ask(port, path, sent)) for _ in range(number)]
    await sent.wait()
    print("asked", flush=True)
    answers = await asyncio.gather(*asking)
    came = [when for when, _ in answers]
    print(min(came), max(came), sum(not well for _, well in answers), flush=True)


if __name__ == "__main__":
    print("ready", flush=True)
    for line in sys.stdin:
        port, number, path = line.split()
        asyncio.run(crowd(int(port), int(number), path))
