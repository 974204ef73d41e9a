#!/bin/sh
# Installs the agent that lies beside this file as a service of systemd.
# Usage: sudo sh install.sh URL [OPTION…]. Run again, it takes a new token; without one it keeps what it has.
set -eu
[ $# -ge 1 ] || { echo "Usage: sudo sh install.sh URL [OPTION…]" >&2; exit 2; }
options=$*
here=$(cd "$(dirname "$0")" && pwd)
state=/var/lib/glacis-agent
node=$(command -v node) || { echo "Install Node 26 or newer first: https://nodejs.org" >&2; exit 1; }
major=$("$node" -p 'process.versions.node.split(".")[0]')
[ "$major" -ge 26 ] || { echo "This is Node $major; the agent needs 26 or newer: https://nodejs.org" >&2; exit 1; }
id glacis-agent >/dev/null 2>&1 || useradd --system --home-dir "$state" --shell /usr/sbin/nologin glacis-agent
install -d -m 700 -o glacis-agent "$state"
printf 'Token: ' >&2
stty -echo 2>/dev/null || true
read -r token </dev/tty || token=
stty echo 2>/dev/null || true
echo >&2
umask 077
printf %s "$token" >"$state/token"
chown glacis-agent "$state/token"
umask 022
cat >/etc/systemd/system/glacis-agent.service <<END
[Unit]
Description=Glacis agent
Wants=network-online.target
After=network-online.target

[Service]
User=glacis-agent
ExecStart=$node $here/agent.js --server $options --token-file $state/token --state $state
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
systemctl enable --now glacis-agent
systemctl restart glacis-agent
echo "The agent is started; journalctl -u glacis-agent shows what it does." >&2
