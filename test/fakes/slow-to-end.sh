#!/bin/sh
# Needs a moment after SIGTERM, writes a last line, and counts how often it was asked.
asked=0
trap 'asked=$((asked + 1))' TERM
echo ready
while [ $asked -eq 0 ]; do sleep 0.05; done
sleep 0.3
echo "flushed after $asked"
exit 7
