#!/usr/bin/env bash
# Fails when a C++ file is not as clang-format 14 would write it. Exits with 77 (skipped, for ctest)
# when clang-format is not installed, unless called with --required. To mend: tools/check_format.sh --fix
set -euo pipefail
cd "$(dirname "$0")/.."

for tool in clang-format-14 clang-format; do
  command -v "$tool" >/dev/null && break || tool=
done
if [[ -z $tool ]]; then
  echo "clang-format is not installed: the format was not checked"
  [[ ${1:-} == --required ]] && exit 1
  exit 77
fi

mode=(--dry-run -Werror)
[[ ${1:-} == --fix ]] && mode=(-i)
find src tests bench \( -name '*.cc' -o -name '*.h' \) -print0 | xargs -0 "$tool" --style=file "${mode[@]}"
