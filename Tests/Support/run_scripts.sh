#!/usr/bin/env bash
# Runs test scripts one after another and sums up. A script ends with 0 (passed), 77 (skipped: it said which tool or
# limit is missing) or anything else (failed). The exit status is that of the whole. An argument with blanks in it is a
# command: a program and its arguments.
#
# What people see of a log is its end: so what failed, and why, is said again there, and appended to the file that
# TEST_FAILURES names, if it does.
set -u

# Through a pipe Python would hold lines back.
export PYTHONUNBUFFERED=1

log=$(mktemp)
report=$(mktemp)
trap 'rm -f "$log" "$report"' EXIT

# The lines that tell why: issues of Swift tests, checks of scripts, errors of compilers, traps and tracebacks, each with
# the lines that belong to it. Of what tells nothing of the kind, such as a program that was killed, the end.
reasons() {
    local lines
    lines=$(awk '
        /recorded an issue|^FAILED: |^error: |:[0-9]+: error: |[Ff]atal error: |unexpected signal/ { print; more = 1; next }
        /^Traceback / { print; more = 2; next }
        more && /^(↳|[ \t])/ { print; next }
        more == 2 { print }
        { more = 0 }
    ' "$log" | head -n 200)
    if [ -z "$lines" ]; then lines=$(tail -n 20 "$log"); fi
    sed 's/^/   /' <<<"$lines"
}

failed=0 skipped=()
for script in "$@"; do
    printf '== %s\n' "$script"
    case $script in
    *' '*) read -ra command <<<"$script" ;;
    *.py)
        if ! command -v python3 >/dev/null; then
            echo "skipped: no python3 here"
            skipped+=("$script")
            continue
        fi
        command=(python3 -B "$script")
        ;;
    *) command=("$script") ;;
    esac
    "${command[@]}" 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
    case $status in
    0) ;;
    77) skipped+=("$script") ;;
    *)
        failed=$((failed + 1))
        {
            printf '== FAILED  %s (status %d)\n' "$script" "$status"
            reasons
        } >>"$report"
        ;;
    esac
done

printf '== %d scripts: %d failed, %d skipped\n' $# "$failed" ${#skipped[@]}
for script in "${skipped[@]}"; do printf '   skipped %s\n' "$script"; done
cat "$report"
if [ -n "${TEST_FAILURES:-}" ]; then cat "$report" >>"$TEST_FAILURES"; fi
[ "$failed" -eq 0 ]
