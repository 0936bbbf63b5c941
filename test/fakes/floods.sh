#!/bin/sh
# Writes for ever, to "stdout" or "stderr", though not as fast as it could.
if [ "$1" = stderr ]; then exec 1>&2; fi
while :; do
  printf '%065536d\n' 0
  sleep 0.01
done
