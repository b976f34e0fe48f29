#!/usr/bin/env bash
# Every shell script parses and can be executed.
set -euo pipefail
cd "$(dirname "$0")/.."

failed=0
for script in run.sh test.sh .ci/run bench/run.sh tools/*.sh; do
  bash -n "$script" || failed=1
  [[ -x $script ]] || { echo "$script is not executable"; failed=1; }
  [[ $(head -n 1 "$script") == '#!/usr/bin/env bash' ]] || { echo "$script: first line"; failed=1; }
done
exit "$failed"
