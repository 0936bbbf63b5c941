#!/bin/sh
# Exits with the code, or dies of the signal, given as its argument.
echo "on stderr" >&2
case $1 in
  [0-9]*) exit "$1" ;;
  *) kill -s "$1" $$ ;;
esac
