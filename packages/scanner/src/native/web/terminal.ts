/** Terminals in the browser, recognized by the emulator that their page loads. */
import { hasPasswordField, withoutElements } from '#html.ts'
import { checkInfo, type NativeCheck } from '#native/native-check.ts'
import { hasLogin } from '#native/web/script-calls.ts'
import { webProof } from '#native/web/request.ts'
import { readSite } from '#native/web/site.ts'

export const webTerminalOpen = checkInfo({
  id: 'web-terminal-open',
  name: 'Web terminal exposed without authentication',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 8.1,
  summary:
    'The home page is a web terminal that connects over a WebSocket and has no login of its own. The check did not open a session.',
  impact:
    'An attacker can run commands if the terminal starts a shell directly. Otherwise, the attacker can guess the passwords of system accounts.',
  remediation: 'Put the terminal behind a reverse proxy that requires authentication, or use SSH instead.',
  reference: 'https://cwe.mitre.org/data/definitions/306.html',
  tags: 'exposure terminal panel',
  verifiedOn: 'gotty gritty',
})
const emulator = /\bxterm-(?:helper-textarea|screen|viewport)\b/
const connection = /\bnew WebSocket\(|\bsocket\.io\b/
const textLengthMax = 200

export const webTerminal: NativeCheck = {
  checks: [webTerminalOpen],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const site = await readSite(context)
    if (!site) return {}
    const { front, scripts } = site
    const [found] = scripts.flatMap((script) => emulator.exec(script)?.[0] ?? [])
    const isOpen = front.status === 200 && isOnlyTerminal(front.body) && !hasLogin([front.body, ...scripts])
    const isConnected = [front.body, ...scripts].some((text) => connection.test(text))
    const isTerminal = found !== undefined && isOpen && isConnected
    return { [webTerminalOpen.id]: isTerminal ? { ...webProof(front, []), path: front.path, quality: 80 } : null }
  },
}

/** A documentation page or an application with other functions has more text. */
export function isOnlyTerminal(html: string): boolean {
  const text = ['script', 'style', 'title']
    .reduce(withoutElements, html.slice(0, 100_000))
    .replaceAll(/<[^<>]{0,500}>/g, ' ')
    .replaceAll(/\s{1,200}/g, ' ')
  return !hasPasswordField(html) && text.length <= textLengthMax
}
