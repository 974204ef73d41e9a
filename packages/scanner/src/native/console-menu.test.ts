import { expect, it } from 'vitest'
import { menuIn } from '#native/console-menu.ts'
import { answering, runNativeChecks, tcpPeer } from '#native/testing/examine.ts'

it.each<[string, string, number]>([
  ['a menu in one line', 'Scale 2\r\n1 Weights  2 Configuration  3 End\r\n> ', 3],
  ['a menu in lines', 'Main menu\r\n 1) Status\r\n 2) Network settings\r\n 0) Exit\r\nChoice: ', 3],
  ['a menu in brackets', '[1] Show counters\n[2] Show configuration\nSelect> ', 2],
  ['a menu with a login', '1 Status  2 Configuration\r\nLogin: ', 0],
  ['a greeting', 'Welcome to unit 2\r\n> ', 0],
  ['a list without a prompt', '1 Status\r\n2 Configuration\r\n', 0],
])('evaluates %s', (_, banner, expected) => {
  expect(menuIn(banner)).toHaveLength(expected)
})

const menu = 'Scale 2\r\n1 Weights  2 Configuration  3 Reset configuration  4 Konfiguration löschen\r\n> '

it.each<[string, string, readonly string[]]>([
  ['a password in a URL', 'ERP ftp://scale:correct-horse@192.0.2.1 every 300 s\r\n> ', ['console-menu-secrets']],
  ['a password', 'Server 192.0.2.1\r\nPassword: correct-horse\r\n> ', ['console-menu-secrets']],
  ['a masked password', 'Server 192.0.2.1\r\nPassword: ********\r\n> ', []],
  ['no password', 'Server 192.0.2.1, password: not set\r\n> ', []],
])('evaluates a menu that shows %s', async (_, configuration, expected) => {
  const said: string[] = []
  await using peer = await tcpPeer(
    answering(menu, (text) => {
      said.push(text)
      return text.startsWith('2') ? configuration : '?\r\n> '
    }),
  )
  const { found } = await runNativeChecks(peer, { protocol: 'telnet', banner: menu })
  expect(found.filter((check) => check.startsWith('console-menu'))).toEqual(['console-menu-open', ...expected])
  expect(said.filter((text) => text !== '2\r\n')).toEqual([])
})
