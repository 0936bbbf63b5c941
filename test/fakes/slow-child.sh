#!/bin/sh
# Ends at once when asked, while its child still has a lock to remove, and starts a program for it.
sh -c 'trap "sleep 0.3 && echo lock removed; exit 0" TERM; echo ready; while :; do sleep 0.05; done' &
trap 'exit 0' TERM
wait
