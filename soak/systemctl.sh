#!/bin/sh
# Stand-in for systemctl: runs ExecStart of the agent's unit as its user, and starts it again as the unit says.
# The terminal of the installation closes before the agent has a session of its own.
trap '' HUP
unit=/etc/systemd/system/glacis-agent.service
[ "$1" = restart ] || exit 0
setting() { sed -n "s/^$1=//p" "$unit"; }
[ ! -f /run/glacis-agent.pid ] || kill "-$(cat /run/glacis-agent.pid)" 2>/dev/null
[ "$(setting Restart)" = on-failure ] || { echo "the unit does not restart the agent" >&2; exit 1; }
export UNIT_COMMAND="$(setting ExecStart)" UNIT_USER="$(setting User)" NEVER="$(setting RestartPreventExitStatus)"
export PAUSE="$(setting RestartSec)" HOME=/var/lib/glacis-agent
setsid sh -c 'echo $$ >/run/glacis-agent.pid
  while :; do
    setpriv --reuid="$UNIT_USER" --regid="$UNIT_USER" --clear-groups $UNIT_COMMAND && exit
    [ $? != "$NEVER" ] || exit
    sleep "$PAUSE"
  done' >>/var/log/glacis-agent.log 2>&1 </dev/null &
