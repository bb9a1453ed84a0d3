"""What tells the servers apart beyond their architecture: how they treat connections. Pure.

Names are those of `Server.by`; the sources are the manuals of Apache 2.4 (MPM prefork, worker,
event) and of node's cluster module, and labs on each.
"""

HOLDS_ITS_WORKER = ("apache", "apache-worker")  # a worker stays with its connection
ONE_QUEUE = ("apache-worker", "apache-event")  # who finds no worker waits for any process
HANGS_UP = ("apache-event",)  # on those who keep their connection, while all workers are busy
DEALT_OUT = ("node",)  # its processes get the connections in turn
