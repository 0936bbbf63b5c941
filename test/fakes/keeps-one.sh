#!/bin/sh
# Keeps another program, and says who is asked to end; "stubborn": that one doesn't listen.
trap 'echo keeper asked' TERM
if [ "$1" = stubborn ]; then
  sh -c 'trap "" TERM; echo ready; while :; do sleep 0.05; done' &
else
  sh -c 'trap "echo kept one asked; exit" TERM; echo ready; while :; do sleep 0.05; done' &
fi
wait $!
echo keeper leaves
