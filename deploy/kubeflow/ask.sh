#!/bin/sh
# Asks before something is destroyed: ask.sh "what happens" [1 for yes]. Exits with 1 for a no, and where nobody can answer.
set -eu
if [ "${2:-}" = 1 ]; then exit 0; fi
printf 'This will %s. Go on? [y/N] ' "$1"
answer=""
read -r answer || true
case "$answer" in
  y | Y | yes) exit 0 ;;
esac
echo "Nothing was done. YES=1 does it without asking." >&2
exit 1
