#!/usr/bin/env bash
# Sets up, builds and tests Inlay. Ends with one line "N passed, N failed".
#   ./test.sh         one build and the core tests
#   ./test.sh --all   also: long property runs, sanitizers, clang-tidy, clang-format, fuzzing
#   ./test.sh --mlir  the MLIR plugin and its tests alone: installs MLIR 19 (1.4 GB)
#   ./test.sh --cluster  shards on a private Slurm and studies under mpirun alone: installs both
#   ./test.sh --bare  run.sh and the .deb on bare Debians made by debootstrap, alone; as root
#   ./test.sh --help
# INLAY_JOBS=N limits parallel work (default: all cores); INLAY_FUZZ_SECONDS=N is the time that
# --all gives each fuzzer (default 300).
set -euo pipefail
cd "$(dirname "$0")"

all=false mlir=false cluster=false bare=false
case "${1:-}" in
  "") ;;
  --all) all=true ;;
  --mlir) mlir=true ;;
  --cluster) cluster=true ;;
  --bare) bare=true ;;
  *) sed -n '2,10s/^# \{0,1\}//p' "$0"; [[ $1 == --help ]]; exit ;;
esac
jobs=${INLAY_JOBS:-$(nproc)}
passed=0 failed=0 skipped=0

# Every step counts once in the summary, ctest's tests one by one; a failed step does not stop the
# others, so that one run tells everything.
step() {
  echo "== $*"
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}
build() {  # preset [options of the build tool]
  cmake --preset "$1" >build/configure.log 2>&1 || { cat build/configure.log; return 1; }
  cmake --build --preset "$1" -j "$jobs" -- "${@:2}"
}
run_tests() {  # preset; shows what did not pass, the rest is in the log
  local log=build/$1/ctest.log
  ctest --preset "$1" -j "$jobs" 2>&1 | tee "$log" | grep -vE '^ +Start +[0-9]+: |  Passed  ' || true
  local line
  line=$(grep -E '^[0-9]+% tests passed, [0-9]+ tests? failed out of [0-9]+' "$log") || {
    failed=$((failed + 1)); return
  }
  local bad total left_out
  read -r bad total < <(sed -E 's/.*, ([0-9]+) tests? failed out of ([0-9]+).*/\1 \2/' <<<"$line")
  left_out=$(grep -cE '^ *[0-9]+/[0-9]+ Test +#.*\*\*\*Skipped' "$log") || true
  passed=$((passed + total - bad - left_out)) failed=$((failed + bad)) skipped=$((skipped + left_out))
}
build_and_test() {  # preset
  echo "== $1"
  if build "$1"; then run_tests "$1"; else failed=$((failed + 1)); fi
}

mkdir -p build
tools/setup.sh "${1:---test}"
if $mlir; then
  build_and_test mlir
elif $cluster; then
  build_and_test mpi
elif $bare; then
  step python3 tests/bare/bare_test.py
elif $all; then
  # The longest step is last, so that what the others find is known early.
  step tools/check_format.sh --required
  step build tidy -k 0  # everything that clang-tidy finds, not the first only
  build_and_test asan
  build_and_test tsan
  step tools/fuzz.sh
  export INLAY_LONG=1  # read by the property tests
  build_and_test dev
else
  build_and_test dev
fi
((skipped)) && echo "$skipped skipped (see above)"
echo "$passed passed, $failed failed"
((failed == 0))
