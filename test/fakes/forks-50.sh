#!/bin/sh
# Fifty children; every other one in a session of its own, every fifth deaf to SIGTERM.
n=0
while [ $n -lt 50 ]; do
  case $((n % 10)) in
    0) (trap '' TERM; exec setsid sleep 1000) & ;;
    2 | 4 | 6 | 8) setsid sleep 1000 & ;;
    5) (trap '' TERM; exec sleep 1000) & ;;
    *) sleep 1000 & ;;
  esac
  n=$((n + 1))
done
echo ready
wait
