import { expect, it } from 'vitest'
import { hashPassword, isOutdated, verifyPassword } from '#method/argon2.ts'

it('SEC-A1 verifies a password in any Unicode normalization form', async () => {
  const hash = await hashPassword('Zürich-Köln-Malmö')
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  expect(await verifyPassword('Zürich-Köln-Malmö'.normalize('NFD'), hash)).toBe(true)
  expect(await verifyPassword('Zurich-Koln-Malmo', hash)).toBe(false)
  expect(isOutdated(hash)).toBe(false)
})

it('salts hashes', async () => {
  expect(await hashPassword('same')).not.toBe(await hashPassword('same'))
})

it('SEC-A1 parses a hash of the reference implementation and reports it as outdated', async () => {
  // echo -n password | argon2 somesalt -id -t 2 -m 16 -p 4 -l 24
  const hash = '$argon2id$v=19$m=65536,t=2,p=4$c29tZXNhbHQ$GpZ3sK/oH9p7VIiV56G/64Zo/8GaUw434IimaPqxwCo'
  expect(isOutdated(hash)).toBe(true)
  expect(await verifyPassword('another', hash)).toBe(false)
})

it.each(['', 'plain', '$2a$12$abc', '$argon2i$v=19$m=1,t=1,p=1$a$b'])(
  'rejects the malformed hash %j',
  async (stored) => {
    expect(await verifyPassword('plain', stored)).toBe(false)
    expect(isOutdated(stored)).toBe(true)
  },
)
