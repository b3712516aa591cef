#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# kill_rank.sh RANK COMMAND...: kills a rank of the MPI job that the command launches, once all are at work; its output
# and exit code are the command's.
set -u
rank=$1; shift
"$@" >/dev/null & job=$!

# The process ids of a process' children.
children() { cat /proc/"$1"/task/*/children 2>/dev/null; }
# The child of the launcher that has this rank.
victim() {
  for launcher in $(children "$job"); do
    for child in $(children "$launcher"); do
      if tr '\0' '\n' <"/proc/$child/environ" 2>/dev/null | grep -qx "OMPI_COMM_WORLD_RANK=$rank\|PMI_RANK=$rank"; then
        echo "$child"; return
      fi
    done
  done
}

for _ in $(seq 200); do
  sleep 0.1
  pid=$(victim)
  [ -n "$pid" ] && sleep 1 && kill -9 "$pid" && break
done
SECONDS=0
wait "$job"; code=$?
[ "$SECONDS" -le 10 ] || echo "it took $SECONDS s to end"
exit "$code"
