import { describe, expect, it } from 'vitest'
import { promptIn } from '#native/console.ts'
import { answering, runNativeChecks, tcpPeer } from '#native/testing/examine.ts'

describe('promptIn', () => {
  it.each([
    ['> /srv/app.py(4)<module>()\n-> print(1)\n(Pdb) ', '(Pdb)'],
    ['> /srv/app.py(4)<module>()\nipdb> ', 'ipdb>'],
    ['Asyncio Monitor: 2 tasks running\nType help for available commands\n\\x1b[?2004hmonitor >>> ', 'monitor >>>'],
    ['Python 3.11.7 (main) on linux\n>>> ', '>>>'],
    ['\nIn [1]: ', 'In [1]:'],
    ['irb(main):001:0> ', 'irb(main):001:0>'],
    ['Eshell V13.1.5  (abort with ^G)\n1> ', '1>'],
    ['Welcome to Node.js v20.1.0.\nType ".help" for more information.\n> ', '>'],
    ['root@web:~# ', 'root@web:~#'],
    ['[root@web ~]# ', '[root@web ~]#'],
    ['sh-5.2$ ', 'sh-5.2$'],
    ["GNU Guile 3.0.8\nEnter `,help'\nscheme@(guile-user)> ", 'scheme@(guile-user)>'],
    ['BeanShell 2.0b4 - by Pat Niemeyer\nbsh % ', 'bsh %'],
    ['user=> ', 'user=>'],
    ['Welcome to Apache Felix Gogo\n\ng! ', 'g!'],
    ['osgi> ', 'osgi>'],
    ['\nFelix Remote Shell Console:\r\n============================\r\n\r\n-> ', '->'],
    [
      '  A study in simplicity |___/\n\n\n| Welcome to the Prosody administration console. For a list of commands, type: help\n',
      '| Welcome to the Prosody administration console',
    ],
    ['BusyBox v1.35.0 built-in shell (ash)\n\n/ # ', '/ #'],
    ['Microsoft Windows [Version 10.0.19045]\r\n(c) Microsoft\r\n\r\nC:\\Users\\ann>', 'C:\\Users\\ann>'],
    [
      'Content-Length: 128\r\n\r\n{"seq": 1, "type": "event", "event": "output", "body": {"category": "telemetry"}}',
      '{"seq": 1, "type": "event", "event": "output"',
    ],
  ])('recognizes %j', (banner, prompt) => {
    expect(promptIn(banner)).toBe(prompt)
  })

  it.each([
    '',
    '> ',
    '$',
    'web login: ',
    'Password: ',
    '220 mx.example.com ESMTP',
    'Welcome to ACME\n> ',
    'Price: 5 $ ',
    'Ticket # ',
  ])('ignores %j', (banner) => {
    expect(promptIn(banner)).toBeUndefined()
  })

  it('takes linear time', () => {
    const start = performance.now()
    promptIn('\n[a@b /'.repeat(600) + 'Microsoft Windows ['.repeat(100))
    expect(performance.now() - start).toBeLessThan(100)
  })
})

it('reports a debugger by its banner, without another connection', async () => {
  let connections = 0
  const talk = answering('> /srv/app.py(4)<module>()\n(Pdb) ', () => '')
  await using peer = await tcpPeer((socket) => {
    connections++
    talk(socket)
  })
  const banner = '> /srv/app.py(4)<module>()\n(Pdb) '
  const { found } = await runNativeChecks(peer, { protocol: '', banner })
  expect(found).toContain('interactive-console-open')
  expect(connections).toBe(0)
})

it.each([
  ['app> ', (asked: string) => (asked.startsWith('7919*104729') ? '829348951\napp> ' : 'app> '), true],
  ['> ', (asked: string) => (asked.startsWith('(* 7919') ? '829348951\n> ' : '; error\n> '), true],
  ['menu> ', (asked: string) => `unknown command: ${asked}menu> `, false],
] as const)('evaluates a multiplication at the prompt %j', async (banner, answer, isShell) => {
  await using peer = await tcpPeer(answering(banner, answer))
  const { found, covered } = await runNativeChecks(peer, { protocol: '', banner })
  expect(found.includes('interactive-console-open')).toBe(isShell)
  expect(covered).toContain('interactive-console-open')
})
