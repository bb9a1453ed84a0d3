#!/usr/bin/env bash
# Run the README's commands on a machine that has nothing: a bare Debian or Ubuntu in a folder.
#
#     setup/fresh.sh [STEP ...]
#
# A step is `read` (make read, until the book answers), `some` (make test, of a few files from every
# room), `test` (make test), or any command in quotes; without one, read and test. They run in order
# in one fresh clone of what is committed. The bare system has Python, make and git, is made once
# and kept in $FRESH; each call has a copy of it, which goes with all that was started there. Needs
# root, debootstrap and the right to make namespaces. Exit code 0 when all of it worked.
set -euo pipefail
FRESH=${FRESH:-/var/tmp/wall-time-fresh}
SOME="tests/unit/test_laws.py tests/book/test_kinds.py tests/processes/test_lock.py \
tests/live/test_quiet.py tests/kinds/test_race.py tests/browser/test_bets.py"

if [ "${1:-}" = --inside ]; then # in namespaces of its own, which end with it
    root=$2
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount -t sysfs -o ro sysfs "$root/sys"
    [ ! -d /sys/fs/cgroup ] || mount --rbind /sys/fs/cgroup "$root/sys/fs/cgroup"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs tmpfs "$root/tmp"
    exec chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 ${CI:+CI="$CI"} \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        bash -c "cd /srv/wall-time && $3"
fi

cannot() { echo "make fresh: $1" >&2; exit 1; }
[ -e /etc/debian_version ] && [ "$(id -u)" = 0 ] ||
    cannot "needs Debian or Ubuntu, and root: elsewhere clone the project into an empty container and run the README's two commands there."
command -v debootstrap >/dev/null || cannot "there is no debootstrap here: apt-get install debootstrap."
unshare --mount --pid --fork true 2>/dev/null ||
    cannot "this container may make no namespaces: run it on the machine itself."

base=$FRESH/base
if [ ! -e "$base/made" ]; then
    rm -rf "$base"
    mkdir -p "$FRESH"
    source=$(apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' | head -1)
    read -r site release <<<"$source"
    debootstrap --variant=minbase --include=python3,python3-venv,make,git,ca-certificates \
        "$release" "$base" "$site" >"$FRESH/log" 2>&1 || cannot "$(tail -1 "$FRESH/log") ($FRESH/log has the rest)."
    # How this machine reaches its packages.
    for each in /etc/apt /etc/pip.conf /etc/resolv.conf /etc/hosts /etc/ssl/certs ${PIP_FIND_LINKS:-}; do
        [ ! -e "$each" ] || (mkdir -p "$base$(dirname "$each")" && cp -aL --remove-destination "$each" "$base$(dirname "$each")/")
    done
    touch "$base/made"
fi

root=$(mktemp -d "$FRESH/run.XXXXXX")
trap 'rm -rf --one-file-system "$root"' EXIT
cp -a "$base/." "$root/"
git clone --quiet --no-local "$(git rev-parse --show-toplevel)" "$root/srv/wall-time"

# `make read` writes the address when the book can be opened, and goes on until it is ended.
reading='(NO_BROWSER=1 exec make read >/tmp/read.log 2>&1) & maker=$!
until grep -q http:// /tmp/read.log; do
    kill -0 $maker 2>/dev/null || { tail -20 /tmp/read.log; exit 1; }
    sleep 0.5
done
python3 -c "
import re, urllib.request
url = re.search(r\"http://\S+\", open(\"/tmp/read.log\").read())[0]
assert b\"Wall Time\" in urllib.request.urlopen(url, timeout=30).read(), url
"'
(($#)) || set -- read test
for step in "$@"; do
    case $step in
        read) command=$reading ;;
        some) command="make test TESTS='$SOME'" ;;
        test) command="make test" ;;
        *) command=$step ;;
    esac
    begin=$(date +%s)
    unshare --mount --pid --fork --kill-child "$0" --inside "$root" "$command" ||
        { echo "make fresh: $step failed after $(($(date +%s) - begin)) s."; exit 1; }
    echo "make fresh: $step is done after $(($(date +%s) - begin)) s."
done
