#!/bin/sh
# Stand-in for systemctl: runs ExecStart of the agent's unit as its user, and starts it again as the unit says.
# Under the name journalctl, it prints the log.
# The terminal of the installation closes before the agent has a session of its own.
trap '' HUP
unit=/etc/systemd/system/glacis-agent.service
log=/var/log/glacis-agent.log
case ${0##*/} in journalctl) exec cat "$log" ;; esac
case $1 in
is-active) [ "$(cat /run/glacis-agent.state)" = active ]; exit ;;
restart) ;;
*) exit 0 ;;
esac
setting() { sed -n "s/^$1=//p" "$unit"; }
[ ! -f /run/glacis-agent.pid ] || kill "-$(cat /run/glacis-agent.pid)" 2>/dev/null
[ "$(setting Restart)" = on-failure ] || { echo "the unit does not restart the agent" >&2; exit 1; }
export UNIT_COMMAND="$(setting ExecStart)" UNIT_USER="$(setting User)" NEVER="$(setting RestartPreventExitStatus)"
export PAUSE="$(setting RestartSec)" HOME=/var/lib/glacis-agent
echo active >/run/glacis-agent.state
cd /
setsid sh -c 'echo $$ >/run/glacis-agent.pid
  while :; do
    echo active >/run/glacis-agent.state
    setpriv --reuid="$UNIT_USER" --regid="$UNIT_USER" --clear-groups $UNIT_COMMAND && exit
    status=$?
    echo inactive >/run/glacis-agent.state
    [ $status != "$NEVER" ] || exit
    sleep "$PAUSE"
  done' >>"$log" 2>&1 </dev/null &
