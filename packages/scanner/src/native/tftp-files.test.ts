import { expect, it } from 'vitest'
import { runNativeChecks, udpPeer } from '#native/testing/examine.ts'

/** A server that sends the next block of a file after each acknowledgment. */
function server(files: Readonly<Record<string, string>>) {
  let file = ''
  return udpPeer((received) => {
    const code = received.readUInt16BE(0)
    if (code === 1) {
      const name = received.toString('latin1', 2, received.indexOf(0, 2))
      if (files[name] === undefined) return Buffer.from('0005000100', 'hex')
      file = files[name]
    }
    const block = code === 1 ? 0 : received.readUInt16BE(2)
    if (code === 5 || block * 512 > file.length) return null
    const content = Buffer.from(file.slice(block * 512, (block + 1) * 512), 'latin1')
    return Buffer.concat([Buffer.from([0, 3, 0, block + 1]), content])
  })
}

async function observe(files: Readonly<Record<string, string>>) {
  await using peer = await server(files)
  return await runNativeChecks(peer, { protocol: 'tftp', transport: 'udp' })
}
const findIn = async (files: Readonly<Record<string, string>>) => (await observe(files)).found

const menu = (argument: string) => ({
  'pxelinux.0': '\0loader',
  'pxelinux.cfg/default': `LABEL linux\n APPEND initrd=initrd.img auto=true ${argument}\n`,
})
const comments = '# comment\n'.repeat(120)
const hash = '$6$salt$'.padEnd(60, 'a')

it.each<[string, Readonly<Record<string, string>>, boolean]>([
  [
    'a password of root',
    {
      ...menu('url=tftp://192.0.2.1/ks/a.cfg'),
      'ks/a.cfg': `${comments}d-i passwd/root-password password correct-horse\n`,
    },
    true,
  ],
  [
    'a hash',
    { ...menu('inst.ks=tftp://boot/ks/a.ks quiet'), 'ks/a.ks': `lang en_US\nrootpw --iscrypted ${hash}\n` },
    true,
  ],
  [
    'a user with a hash',
    { ...menu('preseed/file=/a.yaml'), 'a.yaml': `users:\n- name: admin\n  passwd: ${hash}\n` },
    true,
  ],
  ['a password in the menu', menu('ks=http://192.0.2.1/ks.cfg password=correct-horse-7'), true],
  ['a password of a network device', { 'startup-config': 'hostname edge\nenable secret 5 correct-horse\n' }, true],
  [
    'a commented password',
    { ...menu('url=a.cfg'), 'a.cfg': '#d-i passwd/root-password password correct-horse\n' },
    false,
  ],
  ['a locked account', { ...menu('ks=a.ks'), 'a.ks': 'rootpw --lock\nuser --name=admin --lock\n' }, false],
  [
    'an empty password',
    { ...menu('url=a.cfg'), 'a.cfg': 'd-i passwd/root-password password \npassword:\npassword=required\n' },
    false,
  ],
  ['a file that is missing', menu('url=tftp://192.0.2.1/ks/a.cfg'), false],
])('evaluates boot files with %s', async (_, files, expected) => {
  const found = await findIn(files)
  expect(found).toContain('tftp-readable')
  expect(found.includes('tftp-secrets-readable')).toBe(expected)
})

it('ends the transfer of a large file', async () => {
  expect(await findIn({ 'startup-config': `${'!\n'.repeat(100_000)}enable secret 5 correct-horse\n` })).toEqual([
    'tftp-readable',
  ])
})

it('masks the passwords in its evidence', async () => {
  const file = 'enable secret 5 correct-horse\nusername admin password 7 battery-staple\n'
  const { seen } = await observe({ 'startup-config': file })
  const finding = seen.find((observation) => observation.kind === 'finding' && observation.check.includes('secrets'))
  expect(finding).toMatchObject({ highlights: ['enable secret 5 ******'] })
  expect(JSON.stringify(finding)).not.toMatch(/horse|staple/)
})
