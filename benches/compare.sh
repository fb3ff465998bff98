#!/usr/bin/env bash
# raidmond beside what one would use instead, measured in one run on one machine; writes benches/REPORT.md.
#
#   benches/compare.sh [MINUTES]        minutes of watching the idle daemon (default 4)
#   benches/compare.sh idle [MINUTES]   only that, shown and not written
#
#   LOG_MB=500       size of the generated kernel log
#   CI_APT=no        install nothing (ripgrep is installed when this runs as root)
#
# Ratios of one run mean something; the figures themselves belong to the machine, and to what else it did.
set -euo pipefail
cd "$(dirname "$0")/.."
only=
if [ "${1:-}" = idle ]; then
    only=idle
    shift
fi
minutes=${1:-4}
log_mb=${LOG_MB:-500}
# What is shipped.
profile=dist
target=${CARGO_TARGET_DIR:-$PWD/target}
raidmond=$target/$profile/raidmond
# As the service gets it.
mapfile -t environment < <(sed -n 's/^Environment=//p' contrib/systemd/raidmond.service | tr ' ' '\n')
report=$PWD/benches/REPORT.md
work=$(mktemp -d)
daemon=
trap 'if [ -n "$daemon" ]; then kill "$daemon" 2>/dev/null || true; wait "$daemon" 2>/dev/null || true; fi; rm -rf "$work"' EXIT

say() { printf '%s\n' "$*" | tee -a "$work/report"; }
head2() { say ""; say "## $*"; say ""; }

build() {
    cargo build --profile "$profile" --locked --bin raidmond --example watch_big
}

build_benches() {
    cargo bench --profile "$profile" --no-run --locked -p raidmond-core --bench log_scan 2>&1 | tee "$work/built"
    log_scan=$(sed -n 's/.*Executable.*log_scan.*(\(.*\))$/\1/p' "$work/built")
    [[ $log_scan = /* ]] || log_scan=$PWD/$log_scan
    cargo bench --profile "$profile" --no-run --locked --bench parse --bench turn
}

ripgrep() {
    command -v rg >/dev/null && return
    if [ "${CI_APT:-yes}" = yes ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ripgrep >/dev/null 2>&1 || true
    fi
    command -v rg >/dev/null || echo "SKIPPED: rg is not installed; no row for it" >&2
}

# Median wall seconds of five runs of a command, as a whole process.
seconds() {
    local begun ended
    for _ in 1 2 3 4 5; do
        begun=$(date +%s%N)
        "$@" >"$work/out" 2>&1 || [ $? = 1 ]
        ended=$(date +%s%N)
        echo $((ended - begun))
    done | sort -n | awk 'NR == 3 { printf "%.3f", $1 / 1e9 }'
}

speed_row() {
    local name=$1 took
    shift
    took=$(seconds "$@")
    [ -n "${base:-}" ] || base=$took
    say "$(awk -v name="$name" -v mb="$log_mb" -v s="$took" -v base="$base" -v out="$(tail -n 1 "$work/out")" \
        'BEGIN { printf "| %s | %.0f | %.2f | %s |", name, mb * 1.048576 / s, base / s, out }')"
}

logs() {
    local rules
    head2 "A kernel log of $log_mb MB, one line in a thousand a fault"
    "$log_scan" generate "$work/kern.log" "$log_mb"
    "$log_scan" rules >"$work/rules"
    rules=$(wc -l <"$work/rules")
    cat "$work/kern.log" >/dev/null
    say "Whole processes, reading included; median of 5. raidmond reads every header and tries $rules rules."
    say ""
    say "| | MB/s | times raidmond | found |"
    say "|---|---|---|---|"
    base=
    speed_row "raidmond's scanner" "$log_scan" scan "$work/kern.log"
    speed_row "\`LC_ALL=C grep -ic fail\`" env LC_ALL=C grep -ic fail "$work/kern.log"
    if command -v rg >/dev/null; then
        speed_row "\`rg -c\` with the same $rules rules, anchored" rg --no-config --no-unicode -c -j1 -f "$work/rules" "$work/kern.log"
    else
        say "| rg | SKIPPED: not installed | | |"
    fi
    rm "$work/kern.log"
}

tables() {
    head2 "Scanning other logs, in memory"
    say '```'
    LOG_SCAN_MB=64 "$log_scan" | tee -a "$work/report"
    say '```'
    head2 "Reading captures: bytes to facts"
    say '```'
    cargo bench --profile "$profile" --locked --bench parse 2>/dev/null | tee -a "$work/report"
    say '```'
    head2 "A turn of the loop, and showing its result"
    say '```'
    cargo bench --profile "$profile" --locked --bench turn 2>/dev/null | tee -a "$work/report"
    say '```'
}

# The tools leave a line each in `asked`.
start_daemon() {
    mkdir "$work/big"
    printf '#!/bin/sh\necho "$*" >>"%s"\nexec "%s" "$@"\n' "$work/big/asked" "$raidmond" >"$work/big/tools"
    chmod +x "$work/big/tools"
    env "${environment[@]}" "$target/$profile/examples/watch_big" "$work/big" "$work/big/tools" >"$work/daemon.log" 2>&1 &
    daemon=$!
    for _ in $(seq 120); do
        disks=$("$raidmond" status --json --socket "$work/big/raidmond.sock" 2>/dev/null | grep -c '"hot_spare"' || true)
        [ "${disks:-0}" -ge 100 ] && return
        sleep 0.5
    done
    echo "FAILED: the daemon did not read the simulated host" >&2
    exit 1
}

# What a check plugin does at least: ask the tool three times. The simulated tools cost less than real ones.
plugin() {
    local words
    for words in "/call show all J" "/call/vall show all J" "/call/eall/sall show all J"; do
        # shellcheck disable=SC2086
        "$raidmond" sim-tool --world "$work/big/root/sim/world.json" --as storcli64 -- $words
    done
}

# Milliseconds of N runs: p50 and p95.
latency() {
    local runs=$1 begun ended
    shift
    for _ in $(seq "$runs"); do
        begun=$(date +%s%N)
        "$@" >/dev/null 2>&1 || true
        ended=$(date +%s%N)
        echo $((ended - begun))
    done | sort -n | awk '{ t[NR] = $1 / 1e6 } END { printf "%.1f | %.1f", t[int((NR + 1) / 2)], t[int(NR * 0.95)] }'
}

status_rows() {
    head2 "Asking for the status, as a whole process"
    say "| | p50 ms | p95 ms | tools started |"
    say "|---|---|---|---|"
    say "| \`raidmond status\` (100 disks) | $(latency 200 "$raidmond" status --socket "$work/big/raidmond.sock") | 0 |"
    say "| stand-in plugin on the simulated tools | $(latency 20 plugin) | 3 |"
    say "| \`/bin/true\` | $(latency 200 /bin/true) | 0 |"
    say ""
    say "Real plugins on real tools: 70 to 215 ms and 2 to 13 tools (measured elsewhere)."
}

switches() { cat /proc/"$daemon"/task/*/status 2>/dev/null | awk '/^voluntary/ { n += $2 } END { print n }'; }
ticks() { awk '{ print $14 + $15, $16 + $17 }' "/proc/$daemon/stat"; }
memory() { awk -v what="$1" '$1 == what ":" { printf "%.1f", $2 / 1024 }' "$2"; }

# One line a second: wake-ups so far, tools started so far. Looking into /proc wakes no thread of the daemon.
sample() {
    local until=$((SECONDS + $1))
    while [ "$SECONDS" -lt "$until" ]; do
        echo "$(switches) $(children_so_far)"
        sleep 1
    done
}

# Of the wake-ups of some samples, those within two seconds of a tool's start: the polls' share.
of_polls() {
    awk 'NR > 1 { if ($2 > tools) left = 2; if (left-- > 0) n += $1 - before } { before = $1; tools = $2 } END { print n + 0 }' "$1"
}

# "thread wake-ups" of the threads there are.
threads() {
    local task
    for task in /proc/"$daemon"/task/*; do
        awk -v id="${task##*/}" '/^Name:/ { sub(/^Name:[[:space:]]*/, ""); name = $0 } /^voluntary/ { print id "\t" name "\t" $2 }' \
            "$task/status" 2>/dev/null || true
    done
}

thread_rows() {
    awk -F '\t' -v s="$1" 'NR == FNR { before[$1] = $3; next } { n[$2] += $3 - before[$1] }
        END { for (name in n) printf "| %s | %.3f |\n", name, n[name] / s }' "$work/threads" <(threads) | sort -t '|' -k 3,3rn
}

idle() {
    local hz own tools own2 tools2 first last seconds=$((minutes * 60)) woken polls
    head2 "The idle daemon: 4 controllers, 100 disks, polled every 60 s, 3 logs"
    # Past the first round and what it confirms.
    sleep 45
    hz=$(getconf CLK_TCK)
    read -r own tools < <(ticks)
    threads >"$work/threads"
    sample "$seconds" >"$work/samples"
    read -r own2 tools2 < <(ticks)
    thread_rows "$seconds" >"$work/by_thread"
    read -r first last woken < <(awk 'NR == 1 { s = $1; t = $2 } END { print t, $2, $1 - s }' "$work/samples")
    polls=$(of_polls "$work/samples")
    say "Watched for $minutes minutes after the first round; built with the profile \`$profile\`, environment as in the unit."
    say "Slow questions (every 15 minutes, about seven a controller) fall outside this time. Threads that ended"
    say "within it (one starts each tool, one writes the status file) take their switches with them: not counted."
    say ""
    say "| | | aim |"
    say "|---|---|---|"
    say "| resident (VmRSS) | $(memory VmRSS "/proc/$daemon/status") MiB | < 12 MiB |"
    say "| of it heap and stacks (RssAnon) | $(memory RssAnon "/proc/$daemon/status") MiB | |"
    say "| of it pages of the program and its libraries (RssFile) | $(memory RssFile "/proc/$daemon/status") MiB | |"
    say "| proportional (Pss) | $(memory Pss "/proc/$daemon/smaps_rollup") MiB | |"
    say "| most ever (VmHWM) | $(memory VmHWM "/proc/$daemon/status") MiB | |"
    say "| threads | $(ls "/proc/$daemon/task" | wc -l) | |"
    say "| wake-ups (voluntary switches of all its threads) | $(per "$woken" "$seconds" 1) a second | < 1 a second |"
    say "| of them within two seconds of a tool's start | $(per "$polls" "$seconds" 1) a second | |"
    say "| tools started | $(per $((last - first)) "$seconds" 60) a minute | |"
    say "| CPU of the daemon itself | $(per $((own2 - own)) "$((seconds * hz))" 60) s a minute | |"
    say "| CPU of the (simulated) tools | $(per $((tools2 - tools)) "$((seconds * hz))" 60) s a minute | |"
    say ""
    say "| thread | wake-ups a second |"
    say "|---|---|"
    say "$(cat "$work/by_thread")"
}

per() { awk -v n="$1" -v of="$2" -v x="$3" 'BEGIN { printf "%.2f", n / of * x }'; }

children_so_far() { wc -l <"$work/big/asked"; }

machine() {
    say "# Measured"
    say ""
    say "By \`benches/compare.sh\`, $(nproc) cores of a shared machine that did other work meanwhile"
    say "(load $(cut -d' ' -f1-3 /proc/loadavg) at the beginning). **Only ratios within this one run mean something.**"
}

build
if [ "$only" = idle ]; then
    start_daemon
    idle
    exit
fi
build_benches
ripgrep
machine
logs
tables
start_daemon
status_rows
idle
mv "$work/report" "$report"
