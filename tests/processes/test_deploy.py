"""What a teacher gets: the chart's values, the image, and the arithmetic in the words."""

import math
import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import wheels
import yaml

DEPLOY = wheels.ROOT / "deploy"
README = (DEPLOY / "README.md").read_text()
VALUES = yaml.safe_load((DEPLOY / "values.yaml").read_text())
SINGLE = VALUES["singleuser"]
REST_MINUTES = 15


def test_nobody_gets_in_before_somebody_is_named() -> None:
    given = VALUES["hub"]["config"]
    assert given["JupyterHub"]["authenticator_class"] == "null"
    who = given["Authenticator"]
    assert who == {"allow_all": False, "allowed_users": [], "admin_users": []}
    assert not re.search(r"(?i)password|secret|token", (DEPLOY / "values.yaml").read_text())
    for word in ("NetworkPolicy", "podPidsLimit", "subdomain_host", "allowed_users"):
        assert word in README


def test_the_words_say_what_the_values_make() -> None:
    cores, memory = SINGLE["cpu"]["limit"], int(SINGLE["memory"]["limit"].rstrip("G"))
    rows = re.findall(
        r"\| (\d+) cores, (\d+) GiB \| (\d+) servers \| (\d+) nodes? \| (\d+) nodes \|", README
    )
    assert len(rows) == 3
    for node_cores, node_memory, servers, thirty, many in (map(int, row) for row in rows):
        assert servers == min((node_cores - 1) // cores, (node_memory - 2) // memory)
        assert (thirty, many) == (math.ceil(30 / servers), math.ceil(200 / servers))
    for students in (30, 200):
        assert f"{students * cores} cores and {students * memory} GiB" in README
    after = VALUES["cull"]["timeout"] // 60, VALUES["cull"]["every"] // 60
    assert f"after another {after[0]} minutes (`cull.timeout`), looking every {after[1]}" in README
    lasts = REST_MINUTES + sum(after)
    assert f"at most {lasts} minutes after" in README
    assert f"at most {90 + lasts} minutes of each server" in README
    for students in (30, 200):
        assert re.search(rf"\b{students * cores * (90 + lasts) // 60}\b.* {students}", README)


def test_the_words_say_when_a_page_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    from labs.site.live.server import BookApp

    monkeypatch.setenv("JUPYTERHUB_API_URL", "http://127.0.0.1/hub/api")
    assert BookApp().rest_after_s == REST_MINUTES * 60
    assert f"after {REST_MINUTES} minutes (`BookApp.rest_after_s`)" in README
    monkeypatch.delenv("JUPYTERHUB_API_URL")
    assert BookApp().rest_after_s == 0


def test_the_largest_lab_fits_into_the_memory() -> None:
    """Of all recordings, with half a GB for Jupyter, kernels and Locust."""
    largest = 0
    for file in (wheels.ROOT / "book/recordings").glob("*/*.json"):
        found = re.findall(r'"(?:pss|taken)_bytes": *(\d+)', file.read_text())
        largest = max([largest, *map(int, found)])
    assert f"takes {largest / 1e9:.1f} GB" in README
    assert largest + 0.5e9 < 0.6 * 3 * 2**30


def test_hub_image_and_tests_have_one_version() -> None:
    """A server and its hub must be of one version."""
    pins = (DEPLOY / "requirements-hub.in").read_text()
    (version,) = re.findall(r"^jupyterhub==(.+)$", pins, re.M)
    assert f"JupyterHub {version}" in README and f"JupyterHub {version}" in pins
    chart = set(re.findall(r"(?:--version|chart) (\d[\d.]+\d)", README + pins))
    values = (DEPLOY / "values.yaml").read_text()
    assert chart == {"4.4.0"} == set(re.findall(r"--version (\S+)", values))


def test_the_link_copies_a_chapter_that_is_there() -> None:
    (link,) = re.findall(r"^https://YOUR-HUB/hub/user-redirect/git-pull\S+$", README, re.M)
    asked = {name: value for name, (value,) in parse_qs(urlsplit(link).query).items()}
    config = yaml.safe_load((wheels.ROOT / "_config.yml").read_text())["repository"]
    assert (asked["repo"], asked["branch"]) == (config["url"], config["branch"])
    clone, _, chapter = asked["urlpath"].removeprefix("lab/tree/").partition("/")
    assert clone == Path(asked["repo"]).name and (wheels.ROOT / chapter).is_file()
