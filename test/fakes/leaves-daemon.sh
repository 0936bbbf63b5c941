#!/bin/sh
# Starts a process in a session of its own, prints its pid, and goes on ("stays") or exits ("leaves").
setsid sh -c 'echo $$; exec sleep 1000' &
if [ "$1" = leaves ]; then
  # Not before the daemon has left our group.
  sleep 0.2
  exit 0
fi
wait
