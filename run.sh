#!/usr/bin/env bash
# Sets up and builds Inlay, then runs its main job: the cost of a mapping of a ResNet-50 layer on the
# Eyeriss accelerator. With arguments it runs those instead: ./run.sh list
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
build/release/inlay eval --problem resnet50/conv2_1_3x3 --arch eyeriss \
  --mapping library/examples/resnet50-conv2_1_3x3-eyeriss.yaml -o "$out"
echo
echo "Outputs are in $out:"
ls "$out"
