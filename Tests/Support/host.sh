# For test scripts in bash, to be sourced: a scratch folder, servers that are surely stopped, and checks that count.
#
# The server's binary is $AIMODEL_HOST, else the release build, else the debug build.
# shellcheck shell=bash

set -euo pipefail
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/aimodel-host-test.XXXXXX")
pids=()
failures=0
checks=0

clean_up() {
    local pid
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
    rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

skip() {
    printf 'skipped: %s\n' "$*"
    exit 77
}

die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# need TOOL...: skips the script where a tool is missing.
need() {
    local tool
    for tool in "$@"; do command -v "$tool" >/dev/null || skip "no $tool here"; done
}

# check WHAT EXPECTED FOUND
check() {
    checks=$((checks + 1))
    if [ "$2" != "$3" ]; then
        failures=$((failures + 1))
        printf 'FAILED: %s\n    expected: %s\n    found:    %s\n' "$1" "$2" "$3"
    fi
}

# check_that WHAT COMMAND...: the command succeeds.
check_that() {
    local what=$1
    shift
    if "$@"; then check "$what" yes yes; else check "$what" yes no; fi
}

# The last line of a script: how many checks passed; the status is 1 when one did not.
summary() {
    printf '%d of %d checks passed\n' $((checks - failures)) "$checks"
    [ "$failures" -eq 0 ]
}

find_host() {
    local candidate
    for candidate in "${AIMODEL_HOST:-}" "$here/.build/release/aimodel-host" "$here/.build/debug/aimodel-host"; do
        if [ -n "$candidate" ] && [ -x "$candidate" ]; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    die "no server: run make build, or set AIMODEL_HOST to its path"
}

# start_host ROOT: serves a root on free ports; sets host_pid, host_url and admin_url.
start_host() {
    local binary out
    binary=$(find_host)
    out=$(mktemp "$scratch/host.XXXXXX")
    "$binary" serve --root "$1" --listen 127.0.0.1:0 --admin 127.0.0.1:0 >"$out" 2>"$out.err" &
    host_pid=$!
    pids+=("$host_pid")
    local _
    for _ in $(seq 400); do
        host_url=$(sed -n 's/^listening \(http:[^ ]*\) (public)$/\1/p' "$out")
        admin_url=$(sed -n 's/^listening \(http:[^ ]*\) (admin)$/\1/p' "$out")
        if [ -n "$host_url" ] && [ -n "$admin_url" ]; then
            host_url=${host_url%/} admin_url=${admin_url%/}
            return
        fi
        kill -0 "$host_pid" 2>/dev/null || break
        sleep 0.05
    done
    cat "$out" "$out.err" >&2
    die "the server did not come up"
}

# stage FOLDER ROOT MODEL VERSION [OPTION...]
stage() {
    local folder=$1 root=$2 model=$3 version=$4
    shift 4
    python3 "$here/Tests/Support/stage_release.py" "$folder" --root "$root" --model "$model" --version "$version" "$@"
}

sha256() { sha256sum "$@" | cut -d' ' -f1; }
