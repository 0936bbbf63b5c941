#!/bin/sh
# Exits at once, leaving a child that keeps its stdout open. Prints the child's pid.
sleep 1000 &
echo $!
exit 3
