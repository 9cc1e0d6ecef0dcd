# shellcheck shell=bash disable=SC2034
# Sourced by tests/run, examples/run and others: installs what a build needs and is missing, then configures.
# Debian and Ubuntu, as root or with sudo; elsewhere it says what to install and under which name Debian knows it.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${GPUPAR_BUILD_DIR:-$root/build}
jobs=$(nproc 2>/dev/null || echo 2)

has_header() {
  echo "#include <$1>" | "${CXX:-c++}" -std=c++20 -E -x c++ - >/dev/null 2>&1
}

# Prints the Debian packages of `wanted` whose program or header is not there.
missing_packages() {
  local package
  for package in "$@"; do
    case $package in
      g++) command -v "${CXX:-c++}" ;;
      cmake | pkg-config | python3) command -v "$package" ;;
      ninja-build) command -v ninja ;;
      dpkg-dev) command -v dpkg-shlibdeps ;;
      lintian | debootstrap) command -v "$package" ;;
      libtbb-dev) has_header tbb/version.h ;;
      doctest-dev) has_header doctest/doctest.h ;;
      libbenchmark-dev) has_header benchmark/benchmark.h ;;
      libopenmpi-dev) command -v mpicxx ;;
      openmpi-bin) command -v mpirun ;;
    esac >/dev/null || echo "$package"
  done
}

install_packages() {
  local missing as_root=()
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -eq 0 ] && return
  echo "missing: ${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null && as_root=(sudo -n)
  fi
  if ! command -v apt-get >/dev/null || { [ "$(id -u)" -ne 0 ] && [ ${#as_root[@]} -eq 0 ]; }; then
    echo "install these packages (names as in Debian) and run this again: ${missing[*]}" >&2
    exit 1
  fi
  "${as_root[@]}" apt-get update -q || echo "going on with the package lists at hand" >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -q -y --no-install-recommends "${missing[@]}"
  mapfile -t missing < <(missing_packages "$@")
  if [ ${#missing[@]} -gt 0 ]; then
    echo "still missing after the installation: ${missing[*]}" >&2
    exit 1
  fi
}

# Configures into $build with the arguments and the words of $GPUPAR_CMAKE_OPTIONS; an existing build folder keeps its
# generator and options.
configure() {
  local generator=()
  [ -e "$build/CMakeCache.txt" ] || generator=(-G Ninja)
  # shellcheck disable=SC2086
  cmake -S "$root" -B "$build" "${generator[@]}" "$@" ${GPUPAR_CMAKE_OPTIONS:-}
}

# Sets NCCL_ROOT to a folder of NCCL's headers and library, out of PyPI's wheel below $build, where there is an nvcc and
# no NCCL beside it. Fails where it cannot be fetched.
fetch_nccl() {
  local nvcc folder=$build/nccl
  nvcc=$(command -v "${CUDACXX:-nvcc}" || command -v /usr/local/cuda/bin/nvcc) || return 0
  [ -z "${NCCL_ROOT:-}" ] && [ ! -e "$(dirname "$nvcc")/../include/nccl.h" ] || return 0
  export NCCL_ROOT=$folder/nvidia/nccl
  [ -e "$NCCL_ROOT/include/nccl.h" ] && return 0
  timeout 300 python3 -m pip install -q --disable-pip-version-check --retries=1 --no-deps --target "$folder" \
    nvidia-nccl-cu13
}
