"""Is anybody there? A starting server is asked, again and again, until its own answer comes."""

import socket

LOOK_S = 0.01  # how often a starting server is looked at
ANSWER_S = 0.2  # for its answer: a connect succeeds before any worker runs
READY = b"GET /ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def answers(host: str, port: int, question: bytes, words: bytes) -> bool:
    """Ask once; return whether the answer has the words, within ANSWER_S or so. The connection is
    closed as soon as they are there: gunicorn's worker would wait 2 s for that."""
    said = b""
    try:
        with socket.create_connection((host, port), ANSWER_S) as connection:
            connection.sendall(question)
            while words not in said and (more := connection.recv(4096)):
                said += more
    except OSError:  # not yet there, or gone, as its process will tell
        return False
    return words in said
