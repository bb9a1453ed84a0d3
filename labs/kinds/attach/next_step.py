"""The next place to look for the limit that was found, with the command for that program. Pure."""

from __future__ import annotations

from labs.kinds.attach.record import Attachment

PROFILERS = {  # by what runs it: a command that looks into a live process
    "gunicorn": "py-spy dump --pid PID",
    "uvicorn": "py-spy dump --pid PID",
    "hypercorn": "py-spy dump --pid PID",
    "Python": "py-spy dump --pid PID",
    "Node.js": "kill -USR1 PID, then chrome://inspect",
    "Ruby": "rbspy record --pid PID",
    "puma": "rbspy record --pid PID",
    "java": "jcmd PID Thread.print",
    "php-fpm": "phpspy --pid PID",
}
ANY_PROFILER = "perf top -p PID"


def look_next(limit: str, run: Attachment) -> tuple[str, ...]:
    """Say where to look, with the command for that program."""
    program = run.found.program
    profiler = PROFILERS.get(program, ANY_PROFILER if program else "")
    if limit == "cores" and profiler:
        over_time = profiler.replace("py-spy dump", "py-spy top")  # a dump is one moment
        return (f"Where a busy worker's CPU time goes, under load: {over_time}.",)
    if limit in ("pool", "one at a time"):
        said = []
        if profiler and profiler != ANY_PROFILER:
            said.append(f"What its threads wait for: {profiler}, several times, under load.")
        if any("postgres" in each for each in run.found.behind):
            said.append(
                "What its connections do: SELECT state, wait_event, count(*) FROM "
                "pg_stat_activity GROUP BY 1, 2 (`idle in transaction` holds a place for nothing)."
            )
        return tuple(said) or ("Count its connections to what is behind it: ss -tnp, under load.",)
    if limit == "errors":
        ours = f", or {run.locustfile}, where one of its users gave up" if run.locustfile else ""
        return (f"The server's own log says why, at the time of this run{ours}.",)
    if limit == "listen queue":
        return (
            "Its limit: Send-Q of ss -lnt, the lesser of what the server asks for (its `backlog`) "
            "and net.core.somaxconn.",
        )
    return ()
