#!/usr/bin/env bash
# Installs the Debian packages that Inlay needs and that are missing; does nothing if none is.
#   tools/setup.sh         to build and run
#   tools/setup.sh --bench  also to benchmark
#   tools/setup.sh --test  also to test, with a browser for the report page
#   tools/setup.sh --all   the same, also to lint and fuzz (clang)
#   tools/setup.sh --mlir  to test the MLIR plugin (MLIR 19, 1.4 GB)
#   tools/setup.sh --cluster  to test under MPI and a private Slurm (Open MPI, Slurm, munge); starts no daemon
#   tools/setup.sh --bare  to make bare Debians, alone (debootstrap)
set -euo pipefail

build=(g++ cmake ninja-build libfmt-dev libexpected-dev libyaml-cpp-dev nlohmann-json3-dev
       libcli11-dev libtbb-dev libeigen3-dev libonnx-dev
       libprotobuf-dev coinor-libcbc-dev python3-dev pybind11-dev)
bench=(libbenchmark-dev python3)
tests=("${bench[@]}" ccache libgtest-dev libgmock-dev librapidcheck-dev coinor-libipopt-dev
       pkg-config locales python3-setuptools python3-wheel python3-venv python3-pip
       python3-jsonschema dpkg-dev file groff-base)
browser=(chromium)
command -v npm >/dev/null || browser+=(nodejs npm)  # other packagings of Node bring npm along
mlir=(libmlir-19-dev mlir-19-tools llvm-19-dev)
cluster=(libopenmpi-dev openmpi-bin slurmctld slurmd slurm-client munge)
bare=(debootstrap git python3)
lint=(clang-14 clang-tidy-14 clang-format-14 libclang-rt-14-dev llvm-14 zsh fish mypy)

packages=("${build[@]}")
case "${1:-}" in
  "") ;;
  --bench) packages+=("${bench[@]}") ;;
  --test) packages+=("${tests[@]}" "${browser[@]}") ;;
  --all) packages+=("${tests[@]}" "${browser[@]}" "${lint[@]}") ;;
  --mlir) packages+=("${tests[@]}" "${mlir[@]}") ;;
  --cluster) packages+=("${tests[@]}" "${cluster[@]}") ;;
  --bare) packages=("${bare[@]}") ;;
  *) sed -n '2,9s/^# \{0,1\}//p' "$0"; [[ $1 == --help ]]; exit ;;
esac

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "setup: this is not Debian (no apt-get); install these yourself, then use the CMake presets:" >&2
  echo "  ${packages[*]}" >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || status=absent
  [[ $status == installed ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "setup: missing packages, and neither root nor sudo to install them; as root, run:" >&2
    echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "setup: installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" \
    >"$log" 2>&1 && return
  echo "setup: apt-get $1 failed:" >&2
  tail -n 20 "$log" >&2
  exit 1
}
# Debian starts what it installs unless this says no.
policy=/usr/sbin/policy-rc.d
if [[ ${1:-} == --cluster && ! -e $policy ]]; then
  trap '"${as_root[@]}" rm -f "$policy"; rm -f "$log"' EXIT
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod +x "$policy"
fi
apt update
apt install --yes --no-install-recommends "${missing[@]}"
