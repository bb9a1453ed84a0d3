"""Where a request comes from: a program of this machine, or a page of some website.

Any page that a browser shows can make it ask 127.0.0.1, and a server of the labs would work for it
(cross-site request forgery). A page cannot hide that: the browser says under `Origin` or
`Sec-Fetch-Site` whose it is. A page that has its own name resolved to 127.0.0.1 (DNS rebinding)
looks like one of ours, but the browser still says that name under `Host`.
"""

from __future__ import annotations

from functools import lru_cache

SAID = ("host", "origin", "sec-fetch-site")
HERE = ("127.0.0.1", "localhost")


@lru_cache(64)  # asked for each request, which is measured: half a µs
def foreign(host: str | None, origin: str | None, site: str | None) -> bool:
    """Whether to refuse a request that has SAID that; without a Host, as in HTTP/1.0, it is none
    of a browser's.

    The load generators and curl send a Host of this machine and no more; so does a browser whose
    reader typed the address, with the site "none".

    >>> foreign("127.0.0.1:8000", None, None), foreign("localhost:8000", None, "none")
    (False, False)
    >>> foreign("localhost:80", "https://example.org", None), foreign("example.org:80", None, None)
    (True, True)
    """
    elsewhere = host is not None and host.partition(":")[0].lower() not in HERE
    return elsewhere or origin is not None or site == "cross-site"
