#!/usr/bin/env bash
# Prints the table of figures on this machine: name, value, unit.
#   bench/run.sh [--json] [--all] [FILTER]
# --json prints one object per line: {"name":...,"value":...,"unit":...}
# --all measures all of what is a sample otherwise: answers before the proof (anytime).
# FILTER is a regular expression; only benchmarks whose name contains it are run: evaluate, map, ...
# load: how time and memory grow with the size of the input, of every command that takes large ones.
# h200: how far the built-in h200 is off what was measured on one; only where FILTER asks for it by this name.
# The report page is measured where npm and Chromium are installed (tools/setup.sh --test).
set -euo pipefail
cd "$(dirname "$0")/.."

flags=() words=()
while (($#)); do
  case "$1" in
    --json) flags+=(--json) words+=(--json) ;;
    --all) export INLAY_ANYTIME_ALL=1 ;;
    --help) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit ;;
    -*) echo "bench/run.sh: unknown option $1; see --help" >&2; exit 2 ;;
    *) flags+=("--benchmark_filter=$1") words+=("$1") ;;
  esac
  shift
done

{
  tools/setup.sh --bench
  mkdir -p build
  if ! { cmake --preset release -DINLAY_BENCH=ON && cmake --build --preset release --target inlay_bench inlay; } \
      >build/bench.log 2>&1; then
    cat build/bench.log
    exit 1
  fi
} >&2
if [[ " ${words[*]-} " == *" h200"* ]]; then
  INLAY_BINARY=$PWD/build/release/inlay python3 -B bench/h200.py "${words[@]}"
  exit
fi
if [[ " ${words[*]-} " != *" load"* ]]; then build/release/inlay_bench "${flags[@]}"; fi
INLAY_BINARY=$PWD/build/release/inlay python3 -B bench/load.py "${words[@]}"
if command -v npm >/dev/null && command -v chromium >/dev/null; then
  tools/web_packages.sh >&2
  INLAY_BINARY=$PWD/build/release/inlay INLAY_CHROMIUM=$(command -v chromium) \
    node bench/report.mjs "${words[@]}"
fi
