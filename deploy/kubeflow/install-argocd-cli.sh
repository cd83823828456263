#!/bin/sh
# Puts the argocd command of a version into a folder: install-argocd-cli.sh VERSION; BIN=/usr/local/bin, ARGOCD_DOWNLOAD for a mirror.
set -eu
version=$1
bin=${BIN:-/usr/local/bin}
case "$(uname -s)" in
  Linux) system=linux ;;
  Darwin) system=darwin ;;
  *) echo "install-argocd-cli.sh knows Linux and macOS; see https://argo-cd.readthedocs.io/en/stable/cli_installation/" >&2; exit 1 ;;
esac
case "$(uname -m)" in
  x86_64 | amd64) machine=amd64 ;;
  aarch64 | arm64) machine=arm64 ;;
  *) echo "install-argocd-cli.sh: there is no argocd for $(uname -m)" >&2; exit 1 ;;
esac
url=${ARGOCD_DOWNLOAD:-https://github.com/argoproj/argo-cd/releases/download}/$version/argocd-$system-$machine
target=$bin/argocd
if ! curl -fsSL -o "$target.new" "$url"; then
  rm -f "$target.new"
  echo "install-argocd-cli.sh: cannot fetch $url into $bin; try BIN=\$HOME/bin, or ARGOCD_DOWNLOAD= for a mirror" >&2
  exit 1
fi
chmod 755 "$target.new"
mv "$target.new" "$target"
echo "$target is $version."
