/** Parameters that the server passes to a shell, or uses as the target of a redirect. */
import { randomBytes, randomInt } from 'node:crypto'
import { checkInfo, type Proof } from '#native/native-check.ts'
import type { Parameter } from '#native/web/parameters.ts'
import type { SendValue } from '#native/web/server-evaluation.ts'
import { webProof } from '#native/web/request.ts'

export const commandInjection = checkInfo({
  id: 'command-injection',
  name: 'OS command injection',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary:
    'A parameter reaches a shell command unescaped. The check made the shell subtract two random numbers with `expr`, and the page contained the difference.',
  impact: 'An unauthenticated attacker can run any command with the permissions of the application.',
  remediation: 'Start programs without a shell, pass arguments as a list, and accept only values of the expected form.',
  reference: 'https://cwe.mitre.org/data/definitions/78.html',
  tags: 'rce injection',
  verifiedOn: 'php-diagnostics post-operations',
})
export const openRedirect = checkInfo({
  id: 'open-redirect-linked-parameter',
  name: 'Open redirect via a linked parameter',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N',
  score: 6.1,
  summary: 'The application redirects users to any website that a parameter of one of its links specifies.',
  impact: 'An attacker can use links to your domain to send users to phishing pages.',
  remediation: 'Redirect only to relative paths of your own site, or check the destination against an allowlist.',
  reference: 'https://cwe.mitre.org/data/definitions/601.html',
  tags: 'misconfig redirect',
  verifiedOn: 'fastapi-tokens',
})

const shells: readonly ((command: string) => string)[] = [
  (command) => `;${command};`,
  (command) => `$(${command})`,
  (command) => `|${command}`,
]

/** The first difference is confirmed by a second one, so a number that the page shows anyway isn't mistaken for it. */
export async function proveCommandInjection(send: SendValue, usedShells = shells): Promise<Proof | null> {
  for (const shell of usedShells) {
    const first = await differenceIn(send, shell)
    if (first && (await differenceIn(send, shell))) return first
  }
  return null
}

/** Perl's `open` with two arguments runs a file name that ends with a pipe. */
export function provePerlOpen(send: SendValue): Promise<Proof | null> {
  return proveCommandInjection(send, [(command) => `${command} |`])
}

async function differenceIn(send: SendValue, shell: (command: string) => string): Promise<Proof | null> {
  const [left, right] = [randomInt(5e8, 9e8), randomInt(1e8, 4e8)]
  // Programs that decode requests themselves turn a plus sign into a space.
  const response = await send(shell(`expr ${left} - ${right}`))
  const difference = String(left - right)
  return response?.body.includes(difference) ? webProof(response, [difference]) : null
}

const redirectName =
  /^(?:to|next|back|go|goto|out|continue|forward|dest|destination|target|u|url|uri|link|r|ret)$|redir|return|(?:success|callback)[_-]?ur[il]/i

export function isRedirect({ name, value, isInPath }: Parameter): boolean {
  return isInPath !== true && (redirectName.test(name) || /^(?:\/|https?:\/\/)/i.test(value))
}

/** Redirects to another website, also if it is written without a scheme. */
export async function redirectsAway(send: SendValue): Promise<Proof | null> {
  const host = `${randomBytes(6).toString('hex')}.example`
  for (const value of [`https://${host}/`, `//${host}/`]) {
    const response = await send(value)
    const location = response?.headers.find(([name]) => name.toLowerCase() === 'location')?.[1] ?? ''
    const isAway = new RegExp(`^(?:https?:)?//${host}(?:/|$)`, 'i').test(location)
    if (response && response.status >= 300 && response.status < 400 && isAway) return webProof(response, [location])
  }
  return null
}
