/** Consoles that greet unauthenticated clients with a prompt: debuggers, language shells, and command shells. */
import { checkInfo } from '#native/native-check.ts'
import type { NativeCheck } from '#native/native-check.ts'

const open = checkInfo({
  id: 'interactive-console-open',
  name: 'Interactive console, shell, or debugger exposed without authentication',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary:
    'The service greets clients with the prompt of a debugger, a language shell, or a command shell, or as a debug adapter. The check only read the greeting.',
  impact: 'An attacker can run any code with the permissions of the service.',
  remediation:
    'Stop the service if it was left over from debugging. Otherwise, bind it to localhost and connect through SSH.',
  reference: 'https://cwe.mitre.org/data/definitions/306.html',
  tags: 'misconfig console debug rce unauth network',
})

/** The last line of a greeting. A bare `>` is too common to prove anything. */
const prompts: readonly RegExp[] = [
  // Python, its debuggers, and monitors of its event loop
  /(?:^|\n)(?:\(?i?pdb(?:\+\+)?[)>]|\(Pdb(?:\+\+)?\)|In \[\d{1,4}\]:|(?:\w{1,20} )?>>>) ?$/,
  // Ruby, Erlang, Elixir, and the JVM
  /(?:^|\n)(?:\[\d{1,4}\] pry\([^)\n]{1,40}\)|irb\([^)\n]{1,40}\)[\d:]{0,12}|iex(?:\([^)\n]{1,60}\))?|\(byebug\)|\(rdbg\)|scala|jshell|groovy(?::\d{1,5})?)[>*]? ?$/,
  /(?:^|\n)Eshell V\d[\s\S]{0,200}\n(?:\([^)\n]{1,80}\))?\d> ?$/,
  /(?:^|\n)Welcome to Node\.js v\d[\s\S]{0,200}\n> ?$/,
  // Unix and Windows
  /(?:^|\n)(?:[\w.-]{1,40}@[\w.-]{1,60}:[~/][^\n]{0,100}|\[[\w.-]{1,40}@[\w.-]{1,60} [^\]\n]{1,100}\]|(?:ba|da|k|z)?sh-\d[\d.]{0,5}|[~/][\w/.-]{0,60} )[#$] ?$/,
  // Debug Adapter Protocol, as debugpy speaks it
  /^Content-Length: \d{1,6}\n\n\{"seq": ?\d{1,4}, ?"type": ?"event", ?"event": ?"\w{1,30}"/,
  /^Microsoft Windows \[[^\]\n]{1,60}\][\s\S]{0,300}\n[A-Z]:\\[^\n]{0,100}>$/,
]
const ansiCode = /\\x1b(?:\[[\d;?]{0,20}[a-zA-Z]|\][^\\]{0,200}(?:\\x07|\\x1b\\))/g

/** The prompt at the end of a banner, if it belongs to a console. */
export function promptIn(banner: string): string | undefined {
  const text = banner.replaceAll(ansiCode, '').replaceAll('\r', '')
  for (const pattern of prompts) {
    const [found] = pattern.exec(text) ?? []
    if (found !== undefined) return found.trim().split('\n').at(-1)
  }
  return undefined
}

export const interactiveConsole: NativeCheck = {
  checks: [open],
  appliesTo: ({ transport, protocol, banner }) =>
    transport === 'tcp' && (protocol === '' || protocol === 'telnet') && promptIn(banner) !== undefined,
  // A second connection could disturb a debugger, so the banner of the identification is the proof.
  async run({ service: { banner } }) {
    const prompt = promptIn(banner)
    return { [open.id]: prompt === undefined ? null : { request: '', answer: banner, highlights: [prompt] } }
  },
}
