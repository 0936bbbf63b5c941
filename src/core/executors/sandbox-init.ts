/**
 * A sandbox ends with the first process in it and takes all others along at once. So this shell is that process: it stays until
 * the rest have left, and then exits as the agent did.
 *
 * When everybody is asked to end, it only waits for those who still put things in order (git removes its lock), as long as
 * they are given, and asks whoever had cleared its environment and so wasn't found. When the agent leaves by itself it gives
 * such a request a moment to arrive, then asks the others, and waits a second at most. What a shell has to say of a signal isn't
 * the agent's: its own stderr is closed. The arguments are the marker's name and the agent's command.
 */
export const SANDBOX_INIT = `
marker=$1; shift
exec 3>&2 2>/dev/null
trap asked=1 TERM
"$@" 2>&3 3>&-
code=$?
others() { set -- /proc/[0-9]*; [ $# -gt 2 ]; }
unmarked() { for p in /proc/[0-9]*; do grep -qz "^$marker=" $p/environ || echo "$p"; done; }
round=0
while others; do
  round=$((round + 1))
  if [ "$asked" ]; then
    [ "$told" ] || for p in $(unmarked); do kill "\${p#/proc/}"; done
    told=1
  elif [ $round -eq 10 ]; then kill -s TERM -- -1; told=1
  elif [ $round -gt 60 ]; then break
  fi
  sleep 0.02
done
exit $code`;
