#!/usr/bin/env bash
# What ./dev setup does: `setup.sh packages` installs Debian packages, `setup.sh browser` a browser for
# tests, `setup.sh hook` links the git hook. Needs nothing but bash and apt.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly PACKAGES=(
  clang-19 lld-19 llvm-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev libstdc++-12-dev
  cmake ninja-build ccache git python3
  libfmt-dev libre2-dev libuv1-dev libsimdjson-dev libtomlplusplus-dev libyaml-dev libssl-dev zlib1g-dev libcli11-dev
  node-llhttp
  redis-server redis-tools libhiredis-dev pkg-config
  libnats-dev nats-server nftables
  curl wrk python3-prometheus-client haproxy
  libgtest-dev libgmock-dev librapidcheck-dev libtbb-dev nlohmann-json3-dev
  mkdocs mkdocs-material
)
# Only for tests that look at pages as a reader would.
readonly BROWSER_PACKAGES=(chromium chromium-driver)

say() { printf '==> %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

as_root() {
  if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

# Prints those of the given packages that are not installed.
missing_packages() {
  local package
  # Any Node.js of 18 or later serves, wherever it comes from.
  command -v node >/dev/null || echo nodejs
  command -v npm >/dev/null || echo npm
  for package in "$@"; do
    if [[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]]; then
      echo "$package"
    fi
  done
}

install_packages() { install_all "${PACKAGES[@]}"; }
install_browser() { install_all "${BROWSER_PACKAGES[@]}"; }

install_all() {
  local missing
  command -v apt-get >/dev/null || fail "setup needs apt-get (Debian 12)"
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} == 0)); then
    say "packages: all $# are installed"
    return
  fi
  if ((EUID != 0)) && ! command -v sudo >/dev/null; then
    fail "setup must run as root or with sudo, to install: ${missing[*]}"
  fi
  say "packages: installing ${missing[*]}"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >/dev/null
}

install_hook() {
  local hook
  if ! hook="$(git rev-parse --git-path hooks/pre-commit 2>/dev/null)"; then
    say "hook: not a git clone, nothing to link"
  elif [[ -e $hook && ! -L $hook ]]; then
    say "hook: $hook is your own, left alone"
  else
    mkdir -p "$(dirname "$hook")"
    ln -sfn "$PWD/tools/hooks/pre-commit" "$hook"
    say "hook: ./dev check runs before every commit"
  fi
}

"install_${1:?packages, browser or hook}"
