#!/bin/sh
# Installs the agent in this directory as a systemd service. Checks everything it needs before it changes anything.
# Usage: sudo sh install.sh URL [OPTION…]. Run it again to replace the token; an empty token keeps the existing key.
# GLACIS_AGENT_TOKEN is used instead of the prompt.
# The agent follows HTTPS_PROXY, HTTP_PROXY, and NO_PROXY; sudo passes variables on with --preserve-env.
set -eu
fail() { echo "$1" >&2; exit 1; }
[ $# -ge 1 ] || { echo "Usage: sudo sh install.sh URL [OPTION…]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
state=/var/lib/glacis-agent
[ "$(id -u)" = 0 ] || fail "Root privileges are required: run this script with sudo."
required="Node.js 26 or later is required: install it from https://nodejs.org, then run this script again."
node=$(command -v node) || fail "$required"
version=$("$node" -p process.versions.node)
[ "${version%%.*}" -ge 26 ] || fail "$required Found version $version in $node."
"$node" "$here/agent.js" --server "$@" --check >&2
url=$1
shift
options= ca=
while [ $# -gt 0 ]; do
  case $1 in
  --ca) ca=$2; shift ;;
  --ca=*) ca=${1#--ca=} ;;
  *[!A-Za-z0-9_.,:/=@+-]*) fail "\"$1\" contains a character that the service can't pass to the agent. Move or rename the file." ;;
  *) options="$options $1" ;;
  esac
  shift
done
if id glacis-agent >/dev/null 2>&1; then add_user=:
elif command -v useradd >/dev/null; then add_user="useradd --system --home-dir $state --shell /usr/sbin/nologin glacis-agent"
elif command -v adduser >/dev/null; then add_user="adduser -S -D -H -h $state -s /sbin/nologin glacis-agent"
else fail "useradd or adduser is required to create the user glacis-agent."
fi
if [ -n "${GLACIS_AGENT_TOKEN-}" ]; then token=$GLACIS_AGENT_TOKEN
elif (: </dev/tty) 2>/dev/null; then
  printf 'Token: ' >&2
  stty -echo </dev/tty 2>/dev/null || true
  read -r token </dev/tty || token=
  stty echo </dev/tty 2>/dev/null || true
  echo >&2
else token=
fi
[ -n "$token" ] || [ -f "$state/agent.json" ] || fail "No token given. Enter it when prompted, or set GLACIS_AGENT_TOKEN."

$add_user
install -d -m 700 -o glacis-agent "$state"
umask 077
printf %s "$token" >"$state/token"
for name in HTTPS_PROXY HTTP_PROXY NO_PROXY; do
  value=$(printenv "$name" || true)
  [ -z "$value" ] || printf '%s="%s"\n' "$name" "$value"
done >"$state/environment"
chown glacis-agent "$state/token" "$state/environment"
umask 022
# The agent's user can't read every file that root can, and the service has neither home folders nor this working directory.
if [ -n "$ca" ]; then
  install -m 644 -o glacis-agent "$ca" "$state/ca.pem"
  options="$options --ca $state/ca.pem"
fi
command="$node $here/agent.js --server $url$options --token-file $state/token --state $state"
if [ ! -d /run/systemd/system ]; then
  cat >&2 <<END
This machine doesn't run systemd, so no service was installed. To start the agent, run this command now and after each restart of the machine:
  su -s /bin/sh glacis-agent -c 'set -a; . $state/environment; exec $command'
END
  exit
fi
cat >/etc/systemd/system/glacis-agent.service <<END
[Unit]
Description=Glacis agent
Wants=network-online.target
After=network-online.target

[Service]
User=glacis-agent
EnvironmentFile=-$state/environment
ExecStart=$command
Restart=on-failure
RestartPreventExitStatus=78
RestartSec=10
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
ReadWritePaths=$state

[Install]
WantedBy=multi-user.target
END
systemctl daemon-reload
systemctl enable glacis-agent
started=$(date +%s)
systemctl restart glacis-agent
log() { journalctl --unit glacis-agent --since "@$started" --output cat --quiet; }
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  sleep 1
  if log | grep '^Connected to' >&2; then
    echo "To follow the agent's log: journalctl -fu glacis-agent" >&2
    exit
  fi
  systemctl is-active --quiet glacis-agent || break
done
log | tail -n 5 >&2
fail "The agent is installed, but not connected. Fix the problem above and run this script again, or follow the agent's log: journalctl -fu glacis-agent"
