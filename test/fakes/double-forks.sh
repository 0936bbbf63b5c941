#!/bin/sh
# The textbook daemon: fork, setsid, fork again. It ignores SIGTERM and hangs up nobody. Prints the last pid.
trap 'exit 0' TERM
(setsid sh -c 'trap "" TERM; sh -c "echo \$\$; while :; do sleep 1; done" >&1 &' &)
while :; do sleep 0.1; done
