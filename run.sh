#!/usr/bin/env bash
# Sets up and builds Inlay, then runs its main job: the best mapping of every layer of ResNet-50 on the
# Eyeriss accelerator, with a certificate each. With arguments it runs those instead: ./run.sh list
set -euo pipefail
cd "$(dirname "$0")"

tools/setup.sh
mkdir -p build/run
build() { cmake --preset release >/dev/null && cmake --build --preset release --target inlay; }
if [[ -t 2 ]]; then
  build >&2  # ninja's one-line progress
elif ! build >build/build.log 2>&1; then
  cat build/build.log >&2
  exit 1
fi
if (($#)); then
  exec build/release/inlay "$@"
fi

# A folder that does not exist yet: inlay refuses to write among other files.
out=$(mktemp -u "build/run/$(date +%Y%m%d-%H%M%S)-XXX")
build/release/inlay map resnet50 --arch eyeriss --time-limit 60s -o "$out"
echo
echo "Outputs are in $out:"
echo "  summary.txt   the table above"
echo "  result.json   everything, for programs"
echo "  layers/       each layer's mapping: mapping.yaml (native), map.txt, timeloop-mapping.yaml"
