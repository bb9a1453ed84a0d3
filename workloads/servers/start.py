"""Start of our own servers: by hand on a port, or by the labs on an open socket."""

import argparse
import socket


def options(what: str, **choices: list[str]) -> tuple[argparse.Namespace, socket.socket]:
    """The command line, and the socket to listen on. `choices` are a server's own: the first
    of each is what it does when nothing is said."""
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("--port", type=int, default=8000, help="of 127.0.0.1 (default 8000)")
    parser.add_argument("--fd", type=int, help="an open, listening socket instead of a port")
    parser.add_argument("--backlog", type=int, default=2048, help="places in the listen queue")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--start", type=int, help="processes to begin with, where more may come")
    parser.add_argument("--threads", type=int, default=1, help="in each process")
    parser.add_argument("--no-keep-alive", dest="keep_alive", action="store_false")
    for name, values in choices.items():
        parser.add_argument(f"--{name}", choices=values, default=values[0])
    chosen = parser.parse_args()
    if chosen.fd is not None:
        return chosen, socket.socket(fileno=chosen.fd)
    listener = socket.create_server(("127.0.0.1", chosen.port), backlog=chosen.backlog)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # connections inherit it
    print(f"Listening on http://127.0.0.1:{chosen.port} (Ctrl-C ends it)", flush=True)
    return chosen, listener
