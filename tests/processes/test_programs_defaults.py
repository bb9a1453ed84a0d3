"""What the knobs page says that programs do by default: asked of those that are installed."""

import inspect
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import uvicorn
from asking import client
from gunicorn.config import KNOWN_SETTINGS
from told_settings import set_in

from labs.host.programs import PHP_FPM
from labs.records.experiment import Server
from labs.servers import products
from labs.servers.catalogue import missing, row_of
from labs.servers.serve import serve

PAGE = (Path(__file__).parents[2] / "book/appendix/knobs.md").read_text("utf-8")
APACHE = Server("prefork", by="apache", processes=2)
NGINX = Server("event-loop", by="nginx")
FPM = Server("prefork", by="nginx-fpm", processes=2)
DEBIANS = {  # the files of its packages
    "Apache": (APACHE, "apache2/apache2.conf", "apache2/mods-available/mpm_{}.conf"),
    "nginx": (NGINX, "nginx/nginx.conf"),
    "php-fpm": (FPM, "php/*/fpm/pool.d/www.conf", "php/*/fpm/php.ini"),
}
UNLIKE = {"access_log"}  # a file there, a format here


def rows(program: str) -> dict[str, list[str]]:
    """Each setting in the table of a program: our labs', the program's own, Debian's."""
    section = PAGE.split(f"\n**{program}", 1)[1].split("\n\n**")[0]
    told = re.findall(r"^\| `(.+?)` \| (.+) \|$", section, re.MULTILINE)
    return {name: cells.split(" | ") for name, cells in told}


def own(program: str, name: str) -> str:
    """What the table says that it does by default, without what follows a comma."""
    return rows(program)[name][1].split(",")[0].replace("–", "-")


def here(server: Server) -> None:
    if why := missing(row_of(server)):
        pytest.skip(why)


@pytest.mark.parametrize("program", DEBIANS)
def test_debians_column_is_what_its_packages_set(program: str) -> None:
    server, *files = DEBIANS[program]
    here(server)
    found: list[dict[str, str]] = []
    for mpm in ("prefork", "event"):
        paths = [path for file in files for path in Path("/etc").glob(file.format(mpm))]
        if len(paths) < len(files):
            pytest.skip("its settings lie elsewhere here")
        found.append(set_in("\n".join(path.read_text("utf-8") for path in paths)))
    for name, (*_, told) in rows(program).items():
        one, other = (each.get(name, "") for each in found)
        both = f"prefork {one}, others {other}" if one and other and one != other else one or other
        assert told == (both or "–") or name in UNLIKE, name


@pytest.mark.parametrize(
    ("program", "template", "lines"),
    [
        ("Apache", "apache.conf", ("KeepAliveTimeout", "MaxKeepAliveRequests")),
        ("nginx", "nginx.conf", ("keepalive_requests",)),
    ],
)
def test_a_connection_is_kept_for_as_many_requests_as_the_page_says(
    program: str,
    template: str,
    lines: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = DEBIANS[program][0]
    here(server)
    folder = shutil.copytree(products.TEMPLATES, tmp_path / "templates")
    text = (folder / template).read_text("utf-8").splitlines()
    kept = [line for line in text if not line.strip().startswith(lines)]
    assert len(kept) == len(text) - len(lines)
    (folder / template).write_text("\n".join(kept))
    monkeypatch.setattr(products, "TEMPLATES", folder)
    told = [own(program, line) for line in lines]
    with serve(server, page="file") as running, client(running) as connection:
        for number in range(1, 2000):
            connection.request("GET", "/file", headers={"Connection": "keep-alive"})
            answer = connection.getresponse()
            answer.read()
            if said := answer.getheader("Keep-Alive"):  # Apache's, and it takes one more
                assert said == f"timeout={told[0]}, max={told[1]}"
                return
            if answer.will_close:
                assert number == int(told[0])
                return
    pytest.fail("it is kept for ever")


def test_php_fpm_says_of_itself_what_the_page_does(tmp_path: Path) -> None:
    here(FPM)
    pool = tmp_path / "pool.conf"
    pool.write_text(
        f"[global]\nerror_log={tmp_path}/log\n[www]\nuser=nobody\n"
        "listen=127.0.0.1:9\npm=static\npm.max_children=1\n"
    )
    asked = [PHP_FPM.command, "-tt", "-n", "-y", str(pool)]
    said = subprocess.run(asked, capture_output=True, text=True, check=False)
    words = said.stdout + said.stderr + (tmp_path / "log").read_text()
    told = dict(re.findall(r"\t([\w.]+) = (\S+)", words))
    for name in ("pm.max_requests", "listen.backlog", "request_terminate_timeout", "clear_env"):
        assert told[name].rstrip("s") == own("php-fpm", name).rstrip("s"), name


def test_postgresql_comes_with_what_the_page_says() -> None:
    samples = Path("/usr/share/postgresql").glob("*/postgresql.conf.sample")
    if (sample := next(samples, None)) is None:
        pytest.skip("PostgreSQL isn't here, or its sample lies elsewhere")
    told = dict(re.findall(r"^#?(\w+) = (\S+)", sample.read_text("utf-8"), re.MULTILINE))
    for name in rows("PostgreSQL"):
        assert told[name] == own("PostgreSQL", name), name


def test_gunicorn_and_uvicorn_do_by_default_what_the_page_says() -> None:
    for setting in KNOWN_SETTINGS:
        for option in set(setting.cli or ()) & rows("gunicorn").keys():
            if isinstance(setting.default, int):
                told = {"yes": True, "no": False}.get(own("gunicorn", option))
                assert setting.default == (int(own("gunicorn", option)) if told is None else told)
    signature = inspect.signature(uvicorn.Config)
    for option in ("backlog", "timeout-keep-alive", "timeout-worker-healthcheck"):
        default = signature.parameters[option.replace("-", "_")].default
        assert default == int(own("uvicorn", f"--{option}"))


def test_node_keeps_a_quiet_connection_for_as_long_as_the_page_says() -> None:
    here(Server("event-loop", by="node"))
    ask = "console.log(require('http').createServer().keepAliveTimeout / 1000)"
    said = subprocess.run(["node", "-e", ask], capture_output=True, text=True, check=True)
    row = next(line for line in PAGE.splitlines() if "`server.keepAliveTimeout`, " in line)
    assert f" {said.stdout.strip()} s" in row
