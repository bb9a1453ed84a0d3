"""The servers people run, each set up for one lab in a folder of its own: Apache, nginx, node.

A server is started from the templates in `workloads/templates`, on a port of this machine, as
an ordinary user where we are one; as root, its workers are given to `nobody`, because Apache
and php-fpm refuse to answer as root. Nothing of the system's own configuration is read. What
the workers read is copied into the folder: a clone may lie where `nobody` may not look.
"""

import contextlib
import grp
import os
import pwd
import re
import shutil
import string
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import workloads
from labs.host.folders import own_folder
from labs.host.hardware import usable_cores
from labs.host.programs import (
    APACHE,
    MOD_PHP,
    NGINX,
    NODE,
    PHP,
    PHP_FPM,
    Program,
    module,
    numbers,
    version,
)
from labs.records.experiment import Server

ROOM = Path(workloads.__file__).parent
TEMPLATES = ROOM / "templates"
SMALL_FILE = ROOM / "site" / "file"  # of 44 bytes, as S4's
KEEP_ALIVE_S = 75  # an idle connection is closed after so long, as by the other servers
LEAST_SPARE, MOST_SPARE = 5, 10  # idle workers, as Apache itself and our `spare` have it
MOST_FRONTS = 2  # nginx processes before php-fpm, counted in the catalogue's memory; one would do
LONGEST_PLACE = 60  # letters: php-fpm's socket below it may have 103 in all (macOS; Linux 107)
OPEN = 0o755
PLAIN = re.compile(r"[A-Za-z0-9_./+-]+")  # means the same in the files of all these servers


class Template(string.Template):
    """Text with `@names`, and @@ for the sign; nginx and PHP have their own use for the dollar."""

    delimiter = "@"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The folder in which a server is set up, and what it is asked for there."""

    folder: Path
    host: str
    port: int
    nonce: str = "ready"  # it answers /ready with this
    files_only: bool = False  # then it needs no PHP


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """The commands that start a server, in order, and where it writes its log."""

    commands: tuple[tuple[str, ...], ...]
    logs: tuple[Path, ...] = ()
    pool: int = -1  # the command whose processes are the workers, below their master


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A server people run: what it needs to be there, and how it is set up."""

    launch: Callable[[Server, Place], Launch]
    for_files: tuple[Program, ...]  # the first gives its version to the row
    for_work: tuple[Program, ...] | None = None  # the same; None where it can only serve files


def apache(mpm: str) -> Callable[[Server, Place], Launch]:
    """Apache httpd with that MPM; prefork has PHP inside, the others PHP behind FastCGI."""

    def launch(server: Server, place: Place) -> Launch:
        folder, workers = place.folder, server.processes * server.threads
        kept = server.keep_alive
        site = _site(place)
        inside = mpm == "prefork"
        all_at_once = server.start is None or server.start >= server.processes
        least, most = (workers, workers) if all_at_once else (LEAST_SPARE, MOST_SPARE)
        if inside:
            pool = filled("apache-prefork.conf", least=least, most=most)
        else:
            more = workers + server.threads
            pool = filled("apache-threads.conf", threads=server.threads, workers=workers, more=more)
        modules = [f"mpm_{mpm}", "unixd", "authz_core", "dir"]
        php: list[str] = []
        if not place.files_only:
            handler = "application/x-httpd-php"
            if not inside:
                modules += ["proxy", "proxy_fcgi"]
                handler = f"proxy:unix:{folder}/php-fpm.sock|fcgi://localhost/"
            php = [f'<Directory "{site}">', "    FallbackResource /index.php", "</Directory>"]
            php += ["<FilesMatch \\.php$>", f'    SetHandler "{handler}"', "</FilesMatch>"]
            if inside:
                php += [f'LoadModule php_module "{MOD_PHP.path()}"', f'PHPINIDir "{folder}"']
        config = fill(
            "apache.conf",
            folder / "httpd.conf",
            folder=folder,
            host=place.host,
            port=place.port,
            modules="\n".join(filter(None, map(_load, modules))),
            identity=_identity("User {user}", "Group {group}"),
            site=site,
            processes=server.processes,
            start=server.processes if all_at_once else server.start,
            backlog=server.backlog,
            pool=pool,
            workers=workers,
            keep_alive="On" if server.keep_alive else "Off",
            keep_alive_s=KEEP_ALIVE_S if isinstance(kept, bool) else f"{1000 * kept:.0f}ms",
            php="\n".join(php),
        )
        command = (APACHE.command, "-f", str(config), "-DFOREGROUND")
        if inside or place.files_only:
            return Launch(commands=(command,), logs=(folder / "error.log",))
        return Launch(
            commands=(_fpm(server, folder, workers), command),
            logs=(folder / "php-fpm.log", folder / "error.log"),
        )

    return launch


def nginx_fpm(server: Server, place: Place) -> Launch:
    """nginx in front of a pool of php-fpm processes: the pool is the limit, nginx is not."""
    folder, site = place.folder, _site(place)
    locations = filled("nginx-fpm.conf", folder=folder, site=site)
    front = _nginx(server, place, min(MOST_FRONTS, len(usable_cores())), locations)
    return Launch(
        commands=(_fpm(server, folder, server.processes), front),
        logs=(folder / "php-fpm.log", folder / "error.log"),
        pool=0,
    )


def nginx_files(server: Server, place: Place) -> Launch:
    """nginx alone: each process an event loop that answers with a small file."""
    _site(place)
    command = _nginx(server, place, server.processes, filled("nginx-files.conf"))
    return Launch(commands=(command,), logs=(place.folder / "error.log",))


def node(server: Server, place: Place) -> Launch:
    """node.js: one event loop, or several by its own cluster module."""
    options = {
        "--host": place.host,
        "--port": place.port,
        "--processes": server.processes,
        "--backlog": server.backlog,
        "--keep-alive": int(server.keep_alive),
    }
    words = [str(word) for option in options.items() for word in option]
    command = (NODE.command, str(ROOM / "node" / "server.js"), *words)
    return Launch(commands=(command,))


def burner(language: str) -> list[str]:
    """The command of a busy process in that language, see `workloads/burn.py`."""
    return {
        "PHP": [PHP.command, "-n", str(ROOM / "php" / "burn.php")],
        "JavaScript": [NODE.command, str(ROOM / "node" / "burn.js")],
    }[language]


def filled(name: str, **values: object) -> str:
    """Fill in the names of a template. KeyError for one that is not among the values."""
    return Template((TEMPLATES / name).read_text("utf-8")).substitute(values)


def fill(name: str, into: Path, **values: object) -> Path:
    """Write a filled template there."""
    into.write_text(filled(name, **values), "utf-8")
    return into


@contextlib.contextmanager
def folder_for_a_server() -> Iterator[Path]:
    """Make a temporary folder that its workers can reach, who are somebody else when we are root,
    and whose name every server's configuration takes: short, and without a space or an umlaut."""
    temporary = Path(tempfile.gettempdir()).resolve()
    way = (temporary, *temporary.parents)
    hidden = os.geteuid() == 0 and not all(each.stat().st_mode & 0o001 for each in way)
    if hidden or not PLAIN.fullmatch(str(temporary)) or len(str(temporary)) > LONGEST_PLACE:
        temporary = Path("/tmp")
    with own_folder("wall-time-server-", temporary) as folder:
        folder.chmod(OPEN)
        yield folder


def _fpm(server: Server, folder: Path, children: int) -> tuple[str, ...]:
    """php-fpm's command, its pool of so many processes behind a socket in the folder."""
    mine = ("user = {user}", "group = {group}", "listen.owner = {user}", "listen.group = {group}")
    config = fill(
        "php-fpm.conf",
        folder / "php-fpm.conf",
        folder=folder,
        children=children,
        backlog=server.backlog,
        identity=_identity(*mine),
    )
    return (PHP_FPM.command, "--nodaemonize", "--fpm-config", str(config), "-n")


def _nginx(server: Server, place: Place, processes: int, locations: str) -> tuple[str, ...]:
    config = fill(
        "nginx.conf",
        place.folder / "nginx.conf",
        folder=place.folder,
        host=place.host,
        port=place.port,
        processes=processes,
        identity=_identity("user {user} {group};"),
        keep_alive_s=KEEP_ALIVE_S if server.keep_alive else 0,
        backlog=server.backlog,
        site=place.folder / "site",
        locations=locations,
    )
    says_where = numbers(version(NGINX) or "0") > (1, 19, 4)  # else it complains, and goes on
    told = ("-e", "stderr") if says_where else ()
    return (NGINX.command, "-p", str(place.folder), "-c", str(config), *told)


def _load(name: str) -> str:
    """Apache's line for a module; empty where it is built in."""
    path = module(f"mod_{name}.so")
    return f'LoadModule {name}_module "{path}"' if path else ""


def _identity(*lines: str) -> str:
    """Fill in whose the workers are: only as root, because nobody else may choose."""
    if os.geteuid() != 0:
        return ""
    user = pwd.getpwnam("nobody")
    group = grp.getgrgid(user.pw_gid).gr_name
    return "\n".join(line.format(user=user.pw_name, group=group) for line in lines)


def _site(place: Place) -> Path:
    """Copy what is served to where the workers may read it: not so in everybody's home."""
    site = place.folder / "site"
    site.mkdir()
    copied = [SMALL_FILE]
    if place.files_only:
        (site / "ready").write_text(place.nonce)
    else:
        copied += [ROOM / "php" / "index.php", ROOM / "php" / "count.php"]
        fill("php.ini", place.folder / "php.ini")
    for file in copied:
        shutil.copyfile(file, site / file.name)
    for file in site.iterdir():
        file.chmod(0o644)  # whatever the umask
    site.chmod(OPEN)
    return site


PRODUCTS = {
    "apache": Product(
        launch=apache("prefork"), for_files=(APACHE,), for_work=(APACHE, MOD_PHP, PHP)
    ),
    "nginx-fpm": Product(launch=nginx_fpm, for_files=(), for_work=(NGINX, PHP_FPM, PHP)),
    "apache-worker": Product(
        launch=apache("worker"), for_files=(APACHE,), for_work=(APACHE, PHP_FPM, PHP)
    ),
    "apache-event": Product(
        launch=apache("event"), for_files=(APACHE,), for_work=(APACHE, PHP_FPM, PHP)
    ),
    "node": Product(launch=node, for_files=(NODE,), for_work=(NODE,)),
    "nginx": Product(launch=nginx_files, for_files=(NGINX,)),
}
