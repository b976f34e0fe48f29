#!/usr/bin/env bash
# Builds and runs every fuzzer for INLAY_FUZZ_SECONDS (default 300), INLAY_JOBS at a time, starting
# from the kept corpus tests/fuzz/corpus/<name>. New inputs go to build/fuzz/corpus/<name>, an input
# that breaks a reader to build/fuzz/found/. With names as arguments, only those: tools/fuzz.sh yaml
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${INLAY_FUZZ_SECONDS:-300}
jobs=${INLAY_JOBS:-$(nproc)}
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz -j "$jobs"
mkdir -p build/fuzz/found
fuzz() {  # name
  local kept=tests/fuzz/corpus/$1 grown=build/fuzz/corpus/$1 log=build/fuzz/$1.log
  mkdir -p "$grown"
  if "build/fuzz/$1_fuzzer" -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
      -artifact_prefix="build/fuzz/found/$1-" "$grown" "$kept" >"$log" 2>&1; then
    echo "fuzz $1: nothing found in $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") runs"
  else
    echo "fuzz $1: FAILED"
    tail -n 40 "$log"
    return 1
  fi
}
export -f fuzz

names=("$@")
if ((!$#)); then
  for source in tests/fuzz/*_fuzzer.cc; do
    name=${source##*/}
    names+=("${name%_fuzzer.cc}")
  done
fi
printf '%s\0' "${names[@]}" |
  xargs -0 -n 1 -P "$jobs" bash -c 'fuzz "$1" "$0"' "$seconds"
