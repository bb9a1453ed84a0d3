"""Where the browser sees the book's server: what `labs read` is told, and what it makes of it."""

import pytest

from labs.records.errors import Unusable
from labs.site.live.browser_origin import base_url, far, outside, tunnel

CODESPACE = {
    "CODESPACE_NAME": "fluffy-train",
    "GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN": "app.github.dev",
}


def test_on_this_machine_there_is_nothing_outside() -> None:
    assert outside("", 8888, {}) is None
    assert outside("", 8888, {"CODESPACE_NAME": "x"}) is None


def test_a_codespace_says_itself_where_it_is() -> None:
    found = outside("", 8888, CODESPACE)
    assert found and found.origin == "https://fluffy-train-8888.app.github.dev"
    given = outside("http://localhost:8888", 8888, CODESPACE)
    assert given and given.origin == "http://localhost:8888"


@pytest.mark.parametrize(
    ("given", "origin", "host"),
    [
        ("https://Book.Example", "https://book.example", "book.example"),
        ("https://book.example:443/", "https://book.example", "book.example"),
        ("http://book.example:443", "http://book.example:443", "book.example"),
        ("http://[::1]:8888", "http://[::1]:8888", "::1"),
    ],
)
def test_an_origin_is_as_browsers_say_it(given: str, origin: str, host: str) -> None:
    found = outside(given, 0, {})
    assert found and (found.origin, found.host, found.stripped) == (origin, host, "")


@pytest.mark.parametrize(
    "given",
    [
        *("*", "book.example", "//book.example", "file:///etc", "https://", "javascript:alert(1)"),
        *("https://book.example:0", "https://book.example:http", "https://a@book.example"),
        *("https://book.example/?token=x", "https://book.example/#x", "https://book.example/a b"),
        *("https://[::1", "https://a b", "null"),
    ],
)
def test_what_is_no_origin_is_refused_in_a_sentence(given: str) -> None:
    with pytest.raises(Unusable, match=r"origin=.*: not where a browser .* Give the start of"):
        outside(given, 8888, {})


@pytest.mark.parametrize("given", ["", "/", "//", "a", "/a", "a/", "/a/", "/user/zo~e/a%20b/"])
def test_a_path_has_a_slash_at_both_ends(given: str) -> None:
    found = base_url(given)
    assert found == "/" or (found[0], found[-1], found.strip("/")) == ("/", "/", given.strip("/"))


@pytest.mark.parametrize("given", ["/a b/", "/a//b/", "/../", "/a/./b", "http://x/", "/a?b/"])
def test_what_is_no_path_is_refused_in_a_sentence(given: str) -> None:
    with pytest.raises(Unusable, match=r"base_url=.*: not a path\. Give"):
        base_url(given)


def test_who_has_come_by_ssh_is_told_the_way_back() -> None:
    assert not far({}) and not far({"SSH_CONNECTION": "x", "DISPLAY": ":10"})
    assert far({"SSH_CONNECTION": "192.0.2.1 50000 192.0.2.2 22"})
    assert "ssh -N -L 8888:127.0.0.1:8888 " in tunnel(8888)
