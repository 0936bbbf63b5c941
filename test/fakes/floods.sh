#!/bin/sh
# Writes for ever, to "stdout" or "stderr".
if [ "$1" = stderr ]; then exec 1>&2; fi
exec yes "there is no end to this"
