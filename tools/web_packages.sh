#!/usr/bin/env bash
# Installs what web/report is built and tested with, from package-lock.json, unless it is there already.
set -euo pipefail
cd "$(dirname "$0")/../web/report"

exec 9<package-lock.json
flock 9  # several tests may ask at the same time
installed=node_modules/.installed
if ! cmp -s package-lock.json "$installed"; then
  npm ci --ignore-scripts --no-audit --no-fund
  cp package-lock.json "$installed"
fi
