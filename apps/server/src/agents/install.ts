/** Installation commands for agents. Every command downloads the agent from this server. */
import type { InstallSystem } from '@glacis/contract/agent'
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/agent'
import { getAgent } from '#agents/list.ts'
import type { Ctx } from '#ctx.ts'

/** The path of the agent archive on this server. */
export const archivePath = '/downloads/glacis-agent.tgz'
type Install = ResultOf<typeof contract.getAgentInstall>

/** @throws ApiError `not_found` */
export async function agentInstall(
  ctx: Ctx,
  { id, system }: ParsedInputOf<typeof contract.getAgentInstall>,
  url: string,
): Promise<Install> {
  await getAgent(ctx, { id })
  return installs[system](url, url.startsWith('http:') && !isLocalUrl(url) ? ' --plain-http' : '')
}

const node = 'Requires Node.js 26 or later.'
const token = 'Prompts for the token to keep it out of the shell history and process list.'
const image = 'Runs the agent downloaded from this server in the public node:26 image.'
const reach = (url: string) => `Connects to ${url} and opens no ports.`

/** By platform: a function of the server's URL and a flag for plain HTTP. */
export const installs: Readonly<Record<InstallSystem, (url: string, flag: string) => Install>> = {
  systemd: (url, flag) => ({
    command: lines(
      'sudo mkdir -p /opt/glacis-agent &&',
      `curl -fsSL ${url}${archivePath} | sudo tar xz -C /opt/glacis-agent &&`,
      `sudo sh /opt/glacis-agent/install.sh ${url}${flag}`,
    ),
    notes: [`${node} Installs a systemd service that runs as its own user.`, token, reach(url)],
  }),
  docker: (url, flag) => ({
    command: lines(
      "read -rsp 'Token: ' GLACIS_AGENT_TOKEN && export GLACIS_AGENT_TOKEN",
      'docker run -d --name glacis-agent --restart unless-stopped --user node \\',
      '  -e GLACIS_AGENT_TOKEN -v glacis-agent:/home/node node:26 \\',
      `  sh -c '${downloadAndRun(url, flag)}'`,
    ),
    notes: [image, token, reach(url)],
  }),
  kubernetes: (url, flag) => ({
    command: lines(
      'read -rsp \'Token: \' T && printf %s "$T" |',
      '  kubectl create secret generic glacis-agent --from-file=token=/dev/stdin',
      "kubectl apply -f - <<'END'",
      'apiVersion: v1',
      'kind: PersistentVolumeClaim',
      'metadata: { name: glacis-agent }',
      'spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }',
      '---',
      'apiVersion: apps/v1',
      'kind: Deployment',
      'metadata: { name: glacis-agent }',
      'spec:',
      '  strategy: { type: Recreate }',
      '  selector: { matchLabels: { app: glacis-agent } }',
      '  template:',
      '    metadata: { labels: { app: glacis-agent } }',
      '    spec:',
      '      securityContext: { runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000 }',
      '      containers:',
      '        - name: agent',
      '          image: node:26',
      '          env: [{ name: GLACIS_AGENT_STATE, value: /state/agent }]',
      `          command: [sh, -c, '${downloadAndRun(url, `${flag} --token-file /token/token`)}']`,
      '          volumeMounts: [{ name: token, mountPath: /token }, { name: state, mountPath: /state }]',
      '      volumes:',
      '        - { name: token, secret: { secretName: glacis-agent } }',
      '        - { name: state, persistentVolumeClaim: { claimName: glacis-agent } }',
      'END',
    ),
    notes: [image, "The volume preserves the agent's key when the pod is rescheduled.", reach(url)],
  }),
  windows: (url, flag) => ({
    command: lines(
      '$agent = "$env:LOCALAPPDATA\\glacis-agent"; New-Item -ItemType Directory -Force $agent | Out-Null',
      `Invoke-WebRequest ${url}${archivePath} -OutFile "$agent\\agent.tgz"; tar -xzf "$agent\\agent.tgz" -C $agent`,
      "$token = Read-Host 'Token' -AsSecureString",
      '$env:GLACIS_AGENT_TOKEN = [Net.NetworkCredential]::new("", $token).Password',
      `node "$agent\\agent.js" --server ${url}${flag} --state "$agent\\state"`,
    ),
    notes: [
      `${node} The agent runs until you close the window. Restarting it doesn't require a token.`,
      token,
      reach(url),
    ],
  }),
}

/** Downloads the agent on every start, so its version always matches the server's. */
function downloadAndRun(url: string, flags: string): string {
  const load = `mkdir -p /tmp/agent && curl -fsSL ${url}${archivePath} | tar xz -C /tmp/agent`
  return `${load} && exec node /tmp/agent/agent.js --server ${url}${flags}`
}

function isLocalUrl(url: string): boolean {
  return /^http:\/\/(localhost|127(\.\d+){3}|\[::1\])(:|$)/.test(url)
}

function lines(...all: string[]): string {
  return all.join('\n')
}
