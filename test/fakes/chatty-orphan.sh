#!/bin/sh
# Exits while a child goes on writing to the same stdout as fast as it can.
yes "orphan speaking" &
echo "last words"
exit 0
