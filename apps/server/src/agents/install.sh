#!/bin/sh
# Installs the agent in this directory as a systemd service.
# Usage: sudo sh install.sh URL [OPTION…]. Run it again to replace the token; an empty token keeps the existing key.
# The agent uses the proxy of HTTPS_PROXY, HTTP_PROXY and NO_PROXY; sudo passes them on with --preserve-env.
set -eu
[ $# -ge 1 ] || { echo "Usage: sudo sh install.sh URL [OPTION…]" >&2; exit 2; }
options=$*
here=$(cd "$(dirname "$0")" && pwd)
state=/var/lib/glacis-agent
node=$(command -v node) || { echo "Node.js 26 or newer is required: https://nodejs.org" >&2; exit 1; }
major=$("$node" -p 'process.versions.node.split(".")[0]')
[ "$major" -ge 26 ] || { echo "Node.js 26 or newer is required, found $major: https://nodejs.org" >&2; exit 1; }
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
for name in HTTPS_PROXY HTTP_PROXY NO_PROXY; do
  value=$(printenv "$name" || true)
  [ -z "$value" ] || printf '%s="%s"\n' "$name" "$value"
done >"$state/environment"
umask 022
cat >/etc/systemd/system/glacis-agent.service <<END
[Unit]
Description=Glacis agent
Wants=network-online.target
After=network-online.target

[Service]
User=glacis-agent
EnvironmentFile=-$state/environment
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
systemctl enable glacis-agent
systemctl restart glacis-agent
echo "The agent is running. To follow its log: journalctl -fu glacis-agent" >&2
