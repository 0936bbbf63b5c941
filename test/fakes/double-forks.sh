#!/bin/sh
# The textbook daemon: fork, setsid, fork again. It ignores SIGTERM and hangs up nobody. Prints the last pid.
(setsid sh -c 'trap "" TERM; sh -c "echo \$\$; while :; do sleep 1; done" >&1 &' &)
trap 'exit 0' TERM
while :; do sleep 0.1; done
