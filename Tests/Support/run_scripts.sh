#!/usr/bin/env bash
# Runs test scripts one after another and sums up. A script ends with 0 (passed), 77 (skipped: it said which tool or
# limit is missing) or anything else (failed). The exit status is that of the whole.
set -u

failed=() skipped=()
for script in "$@"; do
    printf '== %s\n' "$script"
    runner=()
    case $script in
    *.py)
        if ! command -v python3 >/dev/null; then
            echo "skipped: no python3 here"
            skipped+=("$script")
            continue
        fi
        runner=(python3 -B)
        ;;
    esac
    "${runner[@]}" "$script"
    case $? in
    0) ;;
    77) skipped+=("$script") ;;
    *) failed+=("$script") ;;
    esac
done

printf '== %d scripts: %d failed, %d skipped\n' $# ${#failed[@]} ${#skipped[@]}
for script in "${skipped[@]}"; do printf '   skipped %s\n' "$script"; done
for script in "${failed[@]}"; do printf '   FAILED  %s\n' "$script"; done
[ ${#failed[@]} -eq 0 ]
