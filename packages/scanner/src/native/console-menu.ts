/** Menus of devices and applications that Telnet clients can use without a login. */
import { negotiateTelnet } from '#fingerprint/telnet.ts'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { isChanging } from '#native/web/verbs.ts'

const openMenu = checkInfo({
  id: 'console-menu-open',
  name: 'Console menu exposed without authentication',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:L/A:N',
  score: 6.5,
  summary:
    'The service shows the menu of a device or application to any client and waits for a choice. The check chose nothing.',
  impact: 'An attacker can use all functions of the menu, which often display data and change the configuration.',
  remediation: 'Require a login, or disable the service. Use SSH instead of Telnet.',
  reference: 'https://cwe.mitre.org/data/definitions/306.html',
  tags: 'misconfig console telnet unauth network',
  verifiedOn: 'telnetd-menu',
})
const menuSecrets = checkInfo({
  id: 'console-menu-secrets',
  name: 'Passwords exposed in a console menu',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'A console menu that requires no login shows a password. The check chose an entry that displays the status or configuration, and changed nothing.',
  impact: 'An attacker can use the password to sign in to the device or to other systems.',
  remediation:
    'Require a login for the console, hide passwords in its output, and change the passwords that were shown.',
  reference: 'https://cwe.mitre.org/data/definitions/522.html',
  tags: 'exposure console telnet secrets unauth network',
  verifiedOn: 'telnetd-menu',
})

/** An entry such as `2 Configuration`, `2) Configuration`, or `[2] Configuration`. */
const entry =
  /(?:^|[\n\t]| {2})[ \t]{0,9}[[(]?(\d{1,2})(?:[\])] ?| ?[.:=-] ?| )([a-z\u00c0-\u024f][^\r\n\t\d]{2,40}?)(?= {2}|[\r\n\t]|$)/gi
const prompt = /[>:#?\])] ?$/
const login = /log[io]n|user|password|passwort|passcode|\bpin\b|\bcode\b/i
/** The whole label, so that no verb in another language turns it into a change. */
const shows =
  /^(?:(?:show|view|list|display) [\w ]{1,40}|(?:(?:system|network|device) )?(?:status|info|information|config|configuration|konfiguration|settings|einstellungen))$/i
const chosenMax = 2
const secrets: readonly RegExp[] = [
  /\b[a-z][a-z\d+.-]{1,20}:\/\/[^\s:@/]{1,60}:(?!\*)[^\s:@/]{3,100}@[\w.-]{1,200}/i,
  /(?:password|passwort|passwd|passphrase|secret)["']?[ \t]{0,9}[:=][ \t]{0,9}(?![*<[(]|x{3}|no(?:t|ne)?\b|yes\b)[^\s]{4,100}/i,
]

export const consoleMenu: NativeCheck = {
  checks: [openMenu, menuSecrets],
  appliesTo: ({ transport, protocol, banner }) =>
    transport === 'tcp' && /^(?:telnet|console)?$/.test(protocol) && menuIn(banner).length > 0,
  // The banner of the identification is the proof.
  async run(context) {
    const { banner } = context.service
    const entries = menuIn(banner)
    const highlights = entries.slice(0, 3).map(({ text }) => text)
    return {
      [openMenu.id]: { request: '', answer: banner, highlights, quality: 90 },
      [menuSecrets.id]: await shownSecret(context, entries),
    }
  },
}

interface Entry {
  readonly number: string
  readonly label: string
  readonly text: string
}

/** The entries of a menu that waits for a choice. */
export function menuIn(banner: string): readonly Entry[] {
  const text = banner.replaceAll('\r', '').slice(0, 4000)
  if (!prompt.test(text) || login.test(text)) return []
  const entries = [...text.matchAll(entry)].map(([found, number = '', label = '']) => ({
    number,
    label: label.trim(),
    text: found.trim(),
  }))
  const hasNumber = (number: string) => entries.some((other) => other.number === number)
  return hasNumber('1') && hasNumber('2') ? entries : []
}

async function shownSecret(context: NativeContext, entries: readonly Entry[]): Promise<Proof | null> {
  const chosen = entries.filter(({ label }) => shows.test(label) && !isChanging(label)).slice(0, chosenMax)
  for (const { number, text } of chosen) {
    const shown = await context.withConnection(async (connection) => {
      await negotiateTelnet(connection)
      connection.write(`${number}\r\n`)
      return connection.read({ firstByteMs: 2000, idleMs: 400, totalMs: 4000, bytesMax: 16_384 })
    })
    const answer = shown?.toString('latin1') ?? ''
    for (const pattern of secrets) {
      const [found] = pattern.exec(answer) ?? []
      if (found !== undefined) return { request: text, answer, highlights: [found] }
    }
  }
  return null
}
