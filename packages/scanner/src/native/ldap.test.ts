import { expect, it } from 'vitest'
import { answering, runNativeChecks, tcpPeer } from '#native/testing/examine.ts'
import { bytes, hex, tlv } from '#wire.ts'

const base = 'dc=lab,dc=test'
const done = (code: number) => message(0x65, Buffer.from([0x0a, 1, code, 4, 0, 4, 0]))

function message(tag: number, content: Uint8Array): Buffer {
  return tlv(0x30, Buffer.concat([hex('020101'), tlv(tag, content)]))
}

function entry(name: string, type: string, value: string): Buffer {
  const attribute = Buffer.concat([tlv(0x04, bytes(type)), tlv(0x31, tlv(0x04, bytes(value)))])
  return message(0x64, Buffer.concat([tlv(0x04, bytes(name)), tlv(0x30, tlv(0x30, attribute))]))
}

/** A directory that returns these entries to searches for passwords and for people. */
async function directory(password: Buffer, person: Buffer) {
  return tcpPeer(
    answering('', (received) => {
      if (received.includes('namingContexts')) return Buffer.concat([entry('', 'namingContexts', base), done(0)])
      if (!received.includes(base)) return done(32)
      return Buffer.concat([received.includes('userPassword') ? password : person, done(0)])
    }),
  )
}
const nothing = Buffer.alloc(0)
const allChecks = [
  'ldap-password-hashes-readable',
  'ldap-accounts-readable',
  'ldap-configuration-readable',
  'ldap-monitor-readable',
]

it('reports readable accounts and password hashes without the hash', async () => {
  await using peer = await directory(
    entry(`cn=ann,${base}`, 'userPassword', '{SSHA}c2VjcmV0'),
    entry(`cn=ann,${base}`, 'cn', 'ann'),
  )
  const { found, seen } = await runNativeChecks(peer, { protocol: 'ldap' })
  expect(found).toEqual(['ldap-password-hashes-readable', 'ldap-accounts-readable'])
  expect(JSON.stringify(seen)).toContain('{SSHA}')
  expect(JSON.stringify(seen)).not.toContain('c2VjcmV0')
})

it('does not report entries without readable attributes', async () => {
  const bare = message(0x64, Buffer.concat([tlv(0x04, bytes(`cn=ann,${base}`)), tlv(0x30, nothing)]))
  await using peer = await directory(bare, bare)
  const { found, covered } = await runNativeChecks(peer, { protocol: 'ldap' })
  expect([found, covered]).toEqual([[], allChecks])
})

/** OpenLDAP whose own databases return these entries. */
async function ownDatabases(configuration: Buffer, monitor: Buffer) {
  return tcpPeer(
    answering('', (received) => {
      const ending = done(0)
      if (received.includes('namingContexts')) {
        const root = [entry('', 'configContext', 'cn=config'), entry('', 'monitorContext', 'cn=Monitor')]
        return Buffer.concat([...root, ending])
      }
      if (received.includes('olcRootPW')) return Buffer.concat([configuration, ending])
      return received.includes('monitoredInfo') ? Buffer.concat([monitor, ending]) : done(32)
    }),
  )
}

it('reports the readable configuration and monitor of OpenLDAP without the hash', async () => {
  await using peer = await ownDatabases(
    entry('olcDatabase={0}config,cn=config', 'olcRootPW', '{SSHA}c2VjcmV0'),
    entry('cn=Monitor', 'monitoredInfo', 'OpenLDAP: slapd 2.5.13'),
  )
  const { found, seen } = await runNativeChecks(peer, { protocol: 'ldap' })
  expect(found).toEqual(['ldap-configuration-readable', 'ldap-monitor-readable'])
  expect(JSON.stringify(seen)).toContain('olcRootPW, {SSHA}')
  expect(JSON.stringify(seen)).not.toContain('c2VjcmV0')
})

it('reports neither if the root DSE only names them', async () => {
  await using peer = await ownDatabases(nothing, nothing)
  const { found, covered } = await runNativeChecks(peer, { protocol: 'ldap' })
  expect([found, covered]).toEqual([[], allChecks])
})

it('decides nothing about a server that does not speak LDAP', async () => {
  await using peer = await tcpPeer(answering('', () => 'HTTP/1.1 400 Bad Request\r\n\r\n'))
  expect((await runNativeChecks(peer, { protocol: 'ldap' })).covered).toEqual([])
})
