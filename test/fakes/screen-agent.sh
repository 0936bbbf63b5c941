#!/bin/sh
# A coding agent that has only a screen: it prompts with "you> ", says what it does, and asks before it deletes.
if [ "$1" = "-p" ]; then
  echo "You gave me on the command line: $2"
  exit "${3:-0}"
fi
echo "Screen agent 1.0"
while printf 'you> ' && IFS= read -r line; do
  echo "thinking…"
  sleep 0.3
  case $line in
    delete*)
      printf 'Run rm %s? [y/n] ' "${line#delete }"
      read -r answer
      [ "$answer" = y ] && echo "Deleted ${line#delete }." || echo "Left ${line#delete } alone."
      ;;
    crash) exit 9 ;;
    long*) i=0; while [ $i -lt 100 ]; do echo "line $i"; i=$((i+1)); done ;;
    wait*) sleep 60 ;;
    *) echo "You said: $line" ;;
  esac
done
