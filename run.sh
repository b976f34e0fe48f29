#!/usr/bin/env bash
# Sets up and builds Inlay, then runs its main job: the best mapping of every layer of ResNet-50 on the
# Eyeriss accelerator, with a certificate each. With arguments it runs those instead: ./run.sh list
set -euo pipefail
cd "$(dirname "$0")"

say() { echo "run.sh: $1" >&2; }
say "checking the packages that Inlay needs"
tools/setup.sh
mkdir -p build/run
build() { cmake --preset release >/dev/null && cmake --build --preset release --target inlay; }
if [[ -t 2 ]]; then
  say "building"
  build >&2  # ninja's one-line progress
else
  say "building: some minutes the first time; build/build.log tells how far it is"
  if ! build >build/build.log 2>&1; then
    cat build/build.log >&2
    exit 1
  fi
fi
if (($#)); then
  exec build/release/inlay "$@"
fi

# A folder that does not exist yet: inlay refuses to write among other files.
out=$(mktemp -u "build/run/$(date +%Y%m%d-%H%M%S)-XXX")
say "mapping ResNet-50 on Eyeriss"
build/release/inlay map resnet50 --arch eyeriss --time-limit 60s -o "$out"
build/release/inlay report "$out" --quiet -o "$out.html"
echo
echo "Outputs are in $out:"
echo "  summary.txt   the table above"
echo "  result.json   everything, for programs"
echo "  layers/       each layer's mapping: mapping.yaml (native), map.txt, timeloop-mapping.yaml"
echo "Open this page in a browser to look at it all: layers, loop nests, proofs:"
echo "  $PWD/$out.html"
