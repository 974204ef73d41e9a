/** Consoles that send unauthenticated clients a prompt on connect: debuggers, language shells, and command shells. */
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'

const open = checkInfo({
  id: 'interactive-console-open',
  name: 'Interactive console, shell, or debugger exposed without authentication',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary:
    "The service sends the prompt of a debugger, language shell, or command shell on connect, or identifies itself as a debug adapter. The check read the first output and, if it did not recognize the prompt, sent a multiplication or, on debugpy's port, the request that initializes a debug adapter.",
  impact: 'An attacker can run arbitrary code with the permissions of the service.',
  remediation:
    'Stop the service if it was left over from debugging. Otherwise, bind it to localhost and connect through SSH.',
  reference: 'https://cwe.mitre.org/data/definitions/306.html',
  tags: 'misconfig console debug rce unauth network',
  verifiedOn: 'socat-shell vertx-shell',
})

/** The last line of a greeting. A bare `>` is too common to prove anything. */
const prompts: readonly RegExp[] = [
  // Python, its debuggers, and monitors of its event loop
  /(?:^|\n)(?:\(?i?pdb(?:\+\+)?[)>]|\(Pdb(?:\+\+)?\)|In \[\d{1,4}\]:|(?:\w{1,20} )?>>>) ?$/,
  // Ruby, Erlang, Elixir, and the JVM
  /(?:^|\n)(?:\[\d{1,4}\] pry\([^)\n]{1,40}\)|irb\([^)\n]{1,40}\)[\d:]{0,12}|iex(?:\([^)\n]{1,60}\))?|\(byebug\)|\(rdbg\)|scala|jshell|groovy(?::\d{1,5})?)[>*]? ?$/,
  /(?:^|\n)Eshell V\d[\s\S]{0,200}\n(?:\([^)\n]{1,80}\))?\d> ?$/,
  /(?:^|\n)Welcome to Node\.js v\d[\s\S]{0,200}\n> ?$/,
  // Scheme, BeanShell, Clojure, and the consoles of OSGi
  /(?:^|\n)(?:scheme@\([^)\n]{1,60}\)(?: \[\d{1,3}\])?>|bsh %|[a-z][\w.-]{1,60}=>|g!|osgi>|karaf@[\w()-]{1,40}>) ?$/,
  // A heading that names a remote shell, such as that of Apache Felix
  /\bRemote Shell\b[^\n]{0,40}(?:\n[=*-]{0,80}){0,4}\n-> ?$/i,
  // Vert.x Shell, below its banner
  /\|_\| o {1,4}\/_\/ \\_\\\s{1,9}% ?$/,
  // Prosody, which evaluates Lua
  /(?:^|\n)\| Welcome to the Prosody administration console\b/,
  // Unix and Windows
  /(?:^|\n)(?:[\w.-]{1,40}@[\w.-]{1,60}:[~/][^\n]{0,100}|\[[\w.-]{1,40}@[\w.-]{1,60} [^\]\n]{1,100}\]|(?:ba|da|k|z)?sh-\d[\d.]{0,5}|[~/][\w/.-]{0,60} )[#$] ?$/,
  // Debug Adapter Protocol, as implemented by debugpy: an event as a greeting, or the answer to the initialization
  /^Content-Length: \d{1,6}\n\n\{"seq": ?\d{1,4}, ?"type": ?"event", ?"event": ?"\w{1,30}"/,
  /^Content-Length: \d{1,6}\n\n\{[^{]{0,200}"command": ?"initialize"[^{]{0,100}"body": ?\{"supports\w{1,60}": ?true/,
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

/** A prompt that many kinds of services could send. */
const unknownPrompt = /(?:^|\n)[\w.() -]{0,30}[>%] ?$/

/** Whether a greeting is a prompt that doesn't tell what kind of service it is. */
export function isUnknownPrompt(greeting: string): boolean {
  return promptIn(greeting) === undefined && unknownPrompt.test(greeting.slice(-200))
}
const product = '829348951'
const multiplications = ['7919*104729\n', '(* 7919 104729)\n']

export const interactiveConsole: NativeCheck = {
  checks: [open],
  appliesTo: ({ transport, protocol, banner }) =>
    transport === 'tcp' &&
    /^(?:telnet|console|command-console|debug-adapter|osgi-shell)?$/.test(protocol) &&
    (promptIn(banner) !== undefined ||
      (/^(?:command-console)?$/.test(protocol) && unknownPrompt.test(banner.slice(-200)))),
  // A second connection could disturb a debugger, so the banner of the identification is the proof.
  async run(context) {
    const { banner } = context.service
    const prompt = promptIn(banner)
    if (prompt !== undefined) return { [open.id]: { request: '', answer: banner, highlights: [prompt] } }
    return { [open.id]: await evaluated(context) }
  },
}

/** Shells of languages evaluate a multiplication; anything else rejects or ignores it. */
async function evaluated(context: NativeContext): Promise<Proof | null> {
  for (const question of multiplications) {
    const reply = await context.withConnection(async (connection) => {
      await connection.read({ firstByteMs: 2500, idleMs: 300 })
      connection.write(question)
      return connection.read({ firstByteMs: 1500, idleMs: 300, bytesMax: 4096, enough: (all) => all.includes(product) })
    })
    const answer = reply?.toString('latin1') ?? ''
    if (answer.includes(product)) return { request: question.trim(), answer, highlights: [product] }
  }
  return null
}
