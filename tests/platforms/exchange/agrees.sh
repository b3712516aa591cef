#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: agrees.sh COLLCAST SIMGRID_ROUTES CLUSTER.xml: its 60 hosts, imported and exported, are as far apart as before.
set -eu
name=$(basename "$3" .xml)
"$1" platforms --import "$3" -o "$name.json" > /dev/null
"$1" platforms "$name.json" --export "$name-routes.xml" --ranks 60
for to in 1 2 3 4 7 19 20 23 33 40 59; do
  expected=$("$2" "$3" rank-0 rank-$to 2> /dev/null)
  found=$("$2" "$name-routes.xml" rank-0 rank-$to 2> /dev/null)
  [ "$found" = "$expected" ] || { echo "to $to: $found, not $expected"; exit 1; }
  echo "to $to: $found"
done
