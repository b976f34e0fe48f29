#!/usr/bin/env bash
# Prints the table of figures on this machine: name, value, unit.
#   bench/run.sh [--json] [FILTER]
# --json prints one object per line: {"name":...,"value":...,"unit":...}
# FILTER is a regular expression; only benchmarks whose name contains it are run: evaluate, map, ...
set -euo pipefail
cd "$(dirname "$0")/.."

flags=()
while (($#)); do
  case "$1" in
    --json) flags+=(--json) ;;
    --help) sed -n '2,5s/^# \{0,1\}//p' "$0"; exit ;;
    -*) echo "bench/run.sh: unknown option $1; see --help" >&2; exit 2 ;;
    *) flags+=("--benchmark_filter=$1") ;;
  esac
  shift
done

{
  tools/setup.sh
  mkdir -p build
  if ! { cmake --preset release && cmake --build --preset release --target inlay_bench; } \
      >build/bench.log 2>&1; then
    cat build/bench.log
    exit 1
  fi
} >&2
exec build/release/inlay_bench "${flags[@]}"
