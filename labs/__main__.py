"""python -m labs: the labs without a page. See `python -m labs --help`.

Exit code 0 when it worked, 2 for what cannot be used (arguments, files, a machine too busy to
record on), 3 when a server or the load generator failed, 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, NoReturn

from labs.attach import add_attachment, attach
from labs.records.errors import BadRecording, Failed, Unusable
from labs.records.experiment import (
    ARCHITECTURES,
    CPU_BY,
    WAIT_BY,
    Experiment,
    Load,
    Server,
    Workload,
)
from labs.records.format import number
from labs.terminal import (
    FAILED,
    INTERRUPTED,
    OK,
    UNUSABLE,
    destination,
    performed,
    say,
    told,
    write,
    write_page,
)

# An experiment's arguments have its records' names but for these; the values of some are words.
FIELDS = {"server": "architecture", "cpu": "cpu_s", "wait": "wait_s", "think": "think_time_s"}
WORDS = ("architecture", "by", "cpu_by", "wait_by", "page")


class Parser(argparse.ArgumentParser):
    """An argparse parser whose complaint is one sentence."""

    def error(self, message: str) -> NoReturn:
        raise Unusable(f"{message}. See `{self.prog} --help`.")


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return its exit code."""
    try:
        given = sys.argv[1:] if arguments is None else arguments
        for each in given:
            if re.fullmatch(r"--[\w-]+=--", each):  # argparse would take it for no value at all
                raise Unusable(f"{each}: no value. Give one after the equals sign.")
        asked = parser().parse_args(given)
        run: Callable[[argparse.Namespace], int] = asked.run
        return run(asked)
    except (Unusable, BadRecording) as error:
        print(error, file=sys.stderr)
        return UNUSABLE
    except Failed as error:
        print(error, file=sys.stderr)
        return FAILED
    except ModuleNotFoundError as error:
        how = "pip install -c constraints.txt -e '.[book]'"
        print(f"This needs the book's packages ({error.name} isn't there): {how}", file=sys.stderr)
        return UNUSABLE
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except (OSError, RuntimeError) as error:
        return told(error)
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return INTERRUPTED


def parser() -> Parser:
    """Make the parser of every command and its arguments."""
    top = Parser(prog="python -m labs", description="Wall Time's labs on the command line.")
    commands = top.add_subparsers(required=True, metavar="command", parser_class=Parser)

    def command(name: str, run: Callable[[argparse.Namespace], int], text: str) -> Parser:
        made = commands.add_parser(name, help=text, description=text)
        made.set_defaults(run=run)
        return made

    command("machine", machine, "what this computer is and how much of it we may use")
    command("calibrate", calibrate, "how fast it is now (burns the CPU for a second)")
    command("servers", servers, "which servers are installed here")
    for name, run, text in (
        ("predict", predict, "the forecast for an experiment; starts nothing"),
        ("run", measure, "measure an experiment against its forecast"),
    ):
        add_experiment(command(name, run, text))
    add_attachment(command("attach", attach, "look at a server of yours, forecast and measure it"))
    record_ = command("record", record, "record the book's labs anew, three runs each")
    record_.add_argument("labs", nargs="*", help="names of labs; all of them if none is given")
    record_.set_defaults(by="make record")
    classics_ = command("classics", record, "make the sources' experiments again")
    classics_.add_argument(
        "labs",
        metavar="sources",
        nargs="*",
        type="classics-{}".format,
        help="s1, s2, s4 or s5; all of them if none is given",
    )
    classics_.set_defaults(by="make classics")
    for recorder in record_, classics_:
        recorder.add_argument("--tries", default="2", help="of each run until it is fit; else 2")
    joined = command(
        "class", class_, "join a class's files, and draw its bets against what its laptops measured"
    )
    joined.add_argument(
        "files", nargs="+", metavar="FOLDER_OR_FILE", help="saved on the page My progress"
    )
    joined.add_argument("-o", "--output", default="class.html", metavar="FILE.html")
    joined.add_argument("--no-names", action="store_true", help="laptop 1, laptop 2 instead")
    imported = command("import", import_, "what the laws say of a load test by another program")
    imported.add_argument(
        "files", nargs="+", metavar="FILE", help="of one program, a level or more"
    )
    for name, metavar, text in (
        ("--cores", "N", "cores that the server has"),
        ("--workers", "N", "workers that it has"),
        ("--cpu-ms", "MS", "CPU milliseconds of a request"),
    ):
        imported.add_argument(name, default=None, metavar=metavar, help=text)
    imported.add_argument("--json", metavar="FILE", help="write it there; - is standard output")
    imported.add_argument("-o", "--output", metavar="FILE.html", help="a page of its own")
    read_ = command("read", read, "serve the built book, live, and open it in the browser")
    read_.add_argument("--port", default=None, help="a free one if not given")
    read_.add_argument("--no-browser", action="store_true", help="only print the address")
    read_.add_argument(
        "--origin", default=None, help="where the browser sees it through a proxy: https://host"
    )
    read_.add_argument(
        "--base-url", default=None, help="what that proxy puts before each path, and leaves there"
    )
    return top


def add_experiment(to: Parser) -> None:
    """Add the arguments of an experiment. Numbers stay text here: records say what is wrong."""
    to.add_argument("--server", required=True, metavar="|".join(ARCHITECTURES))
    to.add_argument("--by", default="", help="who runs it, as `python -m labs servers` lists")
    for name, text in (
        ("--processes", "worker processes"),
        ("--threads", "threads in each process"),
        ("--backlog", "places in the listen queue"),
        ("--cores", "cores the server may use; all if not given"),
        ("--quota", "cores' worth of CPU time for the server, as 0.2 (Linux, as a rule as root)"),
        ("--connections", "of each process to the database, to be held with --wait-by (10)"),
        ("--start", "workers to begin with, where more come as needed; all if not given"),
        ("--generators", "Locust processes that share the users (1)"),
    ):
        to.add_argument(name, default=None, metavar="N", help=text)
    for name, text in (
        ("--cpu", "CPU seconds per request"),
        ("--wait", "seconds per request spent waiting"),
        ("--think", "mean think time of a user in seconds (0)"),
        ("--seconds", "least seconds to measure each level"),
        ("--keep-alive", "for how long Apache leaves an idle connection open (75)"),
    ):
        to.add_argument(name, default=None, metavar="S", help=text)
    for name, text in (
        ("--cpu-cv", "coefficient of variation of the CPU work (0)"),
        ("--wait-cv", "coefficient of variation of the wait (0.1)"),
    ):
        to.add_argument(name, default=None, metavar="CV", help=text)
    to.add_argument("--cpu-by", default="counting", metavar="|".join(CPU_BY), help="kind of work")
    to.add_argument("--wait-by", default="sleep", metavar="|".join(WAIT_BY), help="kind of wait")
    to.add_argument("--page", default="work", metavar="work|file", help="or ask for a small file")
    to.add_argument("--users", required=True, metavar="1,2,4,8", help="levels of the sweep")
    to.add_argument("--no-keep-alive", action="store_true", help="a connection per request")
    to.add_argument("--json", metavar="FILE", help="write the result there; - is standard output")


def experiment(asked: argparse.Namespace) -> Experiment:
    """Make the experiment asked for. Unusable says what is wrong with it."""
    alive = not asked.no_keep_alive
    kept = alive if asked.keep_alive is None else number(asked.keep_alive)
    users = tuple(number(text) for text in asked.users.split(","))
    given = {FIELDS.get(name, name): value for name, value in vars(asked).items()}

    def part(kind: type[Any], **own: Any) -> Any:
        for name in (each.name for each in fields(kind)):
            if given.get(name) is not None:
                own.setdefault(name, given[name] if name in WORDS else number(given[name]))
        return kind(**own)

    return Experiment(
        part(Server, keep_alive=kept),
        part(Workload),
        part(Load, users=users, keep_alive=alive),
    )


def machine(asked: argparse.Namespace) -> int:
    """Print the machine's fingerprint."""
    from labs.host.hardware import fingerprint

    found = fingerprint()
    quota = "none" if found.quota_cores is None else f"{found.quota_cores:g} cores"
    print(f"system     {found.system}")
    print(f"processor  {found.processor}")
    kinds = f"; {found.kinds}" if found.kinds else ""
    print(f"cores      {found.cores} usable of {found.logical_cores} (quota: {quota}{kinds})")
    print(f"memory     {found.memory_bytes / 2**30:.1f} GiB")
    print(f"python     {found.python}, {'one' if found.gil else 'no'} global interpreter lock")
    for name, version in found.versions.items():
        print(f"{name:<10} {version}")
    return OK


def calibrate(asked: argparse.Namespace) -> int:
    """Burn the CPU, and print how fast it was."""
    from labs.kinds.checkup.show import shortfall
    from labs.measure import calibration, latency

    found = calibration.calibrate()
    print(f"unit of work    {found.loops_per_s[0] / 1e6:.2f} million loops a second on one core")
    for busy, worth in enumerate(found.capacity, 1):
        print(f"{busy:>2} busy         worth {worth:.2f} cores")
    if said := shortfall(found):
        print(said)
    print(f"noise           {found.noise_fraction:.1%} between repeated burns")
    print(f"timer           a sleep of 1 ms ends {1e6 * found.timer_s:.0f} µs late")
    print(f"loopback        {1e6 * latency.loopback_s():.0f} µs there and back")
    return OK


def servers(asked: argparse.Namespace) -> int:
    """Print which servers are installed."""
    from labs.host.programs import POSTGRESQL, version
    from labs.kinds.sweep.report import columns
    from labs.servers import postgresql
    from labs.servers.serve import available

    rows = [["architecture", "by", "version"]]
    rows += [
        [found.architecture, found.by, found.missing or found.version or "ours"]
        for found in available()
    ]
    rows.append(["database", "postgresql", postgresql.missing() or version(POSTGRESQL) or ""])
    print(columns(rows))
    return OK


def predict(asked: argparse.Namespace) -> int:
    """Print an experiment's forecast, and start nothing."""
    import msgspec

    from labs.host.hardware import fingerprint
    from labs.kinds.sweep import report
    from labs.measure.calibration import last
    from labs.servers.serve import check
    from labs.theory.forecast import forecast

    wanted, here = experiment(asked), fingerprint()
    check(wanted.server, here, wanted.workload)
    out = destination(asked.json)
    found = forecast(wanted, last(here, wanted), here)
    print(report.forecast_table(found), file=sys.stderr if asked.json == "-" else sys.stdout)
    write(out, {"experiment": msgspec.to_builtins(wanted), **msgspec.to_builtins(found)})
    return OK


def measure(asked: argparse.Namespace) -> int:
    """Measure an experiment, print the table and the verdict, write the JSON."""
    from labs.kinds.sweep import report
    from labs.kinds.sweep.run import SweepLab
    from labs.kinds.sweep.show import show

    wanted = experiment(asked)
    out = destination(asked.json)
    found, code = performed(SweepLab(wanted))
    if found is not None and (found.points or code == OK):
        say(out, report.table(show.table(found)), report.text(found))
        write(out, report.joined(found))
    return code


def record(asked: argparse.Namespace) -> int:
    """Record the labs that are recorded by that command, and tell on the way what is done."""
    from labs.recordings.recorder import BOOK, record_book

    rule = replace(BOOK, tries=number(asked.tries))  # type: ignore[arg-type]
    record_book(asked.labs, lambda line: print(line, flush=True), rule, asked.by)
    return OK


def class_(asked: argparse.Namespace) -> int:
    """Print a class's table and write its page. A file that cannot be read is told and left out."""
    from labs.class_files import collected, sheet_of
    from labs.kinds.sweep.report import columns
    from labs.panel.figure_view import plotly_script
    from labs.present.class_report import class_page

    found, complaints = collected(asked.files, names=not asked.no_names)
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    if not found:
        raise Unusable("No file with an entry in it: nothing was written.")
    sheet = sheet_of(found)
    page = class_page(found, sheet, plotly_script(), len(complaints))
    write_page(asked.output, page)
    print(columns([sheet.head, *sheet.rows]))
    print(f"\n{sheet.note}\n\nWritten: {asked.output}")
    return UNUSABLE if complaints else OK


def import_(asked: argparse.Namespace) -> int:
    """Print the levels of other programs' load tests and what the laws say of them."""
    from labs.imports.laws import given, sentences
    from labs.imports.reading import read as read_test
    from labs.imports.report import HEAD, report, rows, told
    from labs.kinds.sweep.report import columns

    known = {name: getattr(asked, name) for name in ("cores", "workers", "cpu_ms")}
    server = given(**{name: text and number(text) for name, text in known.items()})
    out, test = destination(asked.json), read_test(asked.files)
    text = sys.stderr if asked.json == "-" else sys.stdout
    print(columns([HEAD, *rows(test)]), *sentences(test, server), sep="\n", file=text)
    write(out, told(test, server))
    if asked.output:
        from labs.panel.figure_view import plotly_script

        write_page(asked.output, report(test, server, plotly_script()))
        print(f"\nWritten: {asked.output}", file=text)
    return OK


def read(asked: argparse.Namespace) -> int:
    """Serve the book until Ctrl-C."""
    from labs.site.live.serve import read as serve_book

    port = number(asked.port or os.environ.get("PORT") or "0")
    if not isinstance(port, int) or not 0 <= port <= 65535:
        raise Unusable(f"PORT={port}: not a port. Give a number from 1024 to 65535.")
    quiet = asked.no_browser or os.environ.get("NO_BROWSER", "0") not in ("", "0")
    origin = asked.origin or os.environ.get("ORIGIN", "")
    below = asked.base_url or os.environ.get("BASE_URL", "")
    serve_book(port or None, not quiet, origin=origin, base_url=below)
    return OK


if __name__ == "__main__":
    sys.exit(main())
