"""The page of the knobs tells what the labs tell their servers."""

import re
from pathlib import Path

import pytest
from told_settings import COMMANDS, FILES, settings

PAGE = Path(__file__).parents[2] / "book/appendix/knobs.md"
NO_NUMBER = set(  # where things lie, who may ask, what is logged
    "LogLevel ServerRoot DefaultRuntimeDir PidFile Mutex Listen ServerName ErrorLog DocumentRoot "
    "Require tcp_nodelay error_log default_type daemon master_process pid client_body_temp_path "
    "proxy_temp_path fastcgi_temp_path uwsgi_temp_path scgi_temp_path return root add_header "
    "fastcgi_pass fastcgi_param php_admin_value[max_execution_time] catch_workers_output log_level "
    "daemonize listen.mode listen_addresses unix_socket_directories logging_collector timezone "
    "log_timezone --bind --worker-class --workers --threads --config --no-control-socket --fd "
    "--lifespan --ws --no-proxy-headers --no-use-colors".split()
)


@pytest.mark.parametrize("program", [*FILES, "PostgreSQL", *COMMANDS])
def test_knobs_page_tells_each_setting_as_it_is_set(program: str) -> None:
    section = PAGE.read_text("utf-8").split(f"\n**{program}", 1)[1].split("\n\n**")[0]
    told = dict(re.findall(r"^\| `(.+?)` \| (.*?) \|", section, re.MULTILINE))
    ours = {n: value for n, value in settings(program).items() if n not in NO_NUMBER}
    assert told.keys() == ours.keys() - ({"listen"} if program == "php-fpm" else set())
    for name, value in told.items():
        assert value == ours[name] or "@" in ours[name], name
