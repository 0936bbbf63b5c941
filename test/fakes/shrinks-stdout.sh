#!/bin/sh
# Truncates its own stdout file once it was told that the first part was read.
echo "a first line, soon to be gone"
read -r _
: > /proc/self/fd/1
echo after
