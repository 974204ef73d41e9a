import { createDecipheriv, createHmac } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { parseExpression } from '#template/dsl.ts'

function value(source: string): string {
  const parsed = parseExpression(source)
  return typeof parsed === 'string' ? `refused: ${parsed}` : String(parsed.evaluate(() => undefined))
}
const bytes = (text: string) => Buffer.from(text, 'latin1')

it('creates an archive with a valid central directory', () => {
  const archive = bytes(value(`zip('a/b.txt', 'hello')`))
  const end = archive.indexOf(Buffer.from('504b0506', 'hex'))
  const directory = archive.readUInt32LE(end + 16)
  expect(archive.readUInt16LE(end + 10)).toBe(1)
  expect(archive.toString('latin1', directory + 46, directory + 46 + 7)).toBe('a/b.txt')
  const local = archive.readUInt32LE(directory + 42)
  const stored = archive.subarray(local + 30 + 7, local + 30 + 7 + archive.readUInt32LE(local + 22))
  expect(stored.toString()).toBe('hello')
  expect(() => inflateRawSync(stored)).toThrow()
})

it('signs a token with the secret, or leaves it unsigned without an algorithm', () => {
  const [head = '', payload = '', signature] = value(`generate_jwt('{"a":1}', 'HS256', 'secret')`).split('.')
  expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({ alg: 'HS256', typ: 'JWT' })
  expect(signature).toBe(createHmac('sha256', 'secret').update(`${head}.${payload}`).digest('base64url'))
  expect(value(`generate_jwt('{}', 'none')`)).toMatch(/^[\w-]+\.[\w-]+\.$/)
  expect(value(`generate_jwt('{}', 'RS256')`)).toBe('undefined')
})

it('encrypts decryptable text', () => {
  const key = Buffer.alloc(16, 1)
  const made = bytes(value(`aes_cbc('hello', '${'\x01'.repeat(16)}', '${'\x02'.repeat(16)}')`))
  const decipher = createDecipheriv('aes-128-cbc', key, Buffer.alloc(16, 2))
  expect(decipher.update(made, undefined, 'utf8') + decipher.final('utf8')).toBe('hello')
  expect(value(`aes_cbc('hello', 'short', 'short')`)).toBe('undefined')
})

it('serializes the DNS lookup gadget and rejects others', () => {
  const made = Buffer.from(value(`generate_java_gadget('dns', 'http://abc.example.test', 'hex')`), 'hex')
  expect(made.subarray(0, 5)).toEqual(Buffer.from('aced000573', 'hex'))
  expect(made.toString('latin1')).toContain('abc.example.test')
  expect(value(`generate_java_gadget('commons-collections3.1', 'id', 'hex')`)).toBe('undefined')
})

it.each([
  [`unpack('>I', hex_decode('00000102'))`, '258'],
  [`unpack('<h', hex_decode('ffff'))`, '-1'],
  [`unpack('>Q', 'abc')`, 'undefined'],
])('%j is %s', (source, expected) => {
  expect(value(source)).toBe(expected)
})

it('picks an address within a network', () => {
  expect(value(`rand_ip('10.1.2.0/24')`)).toMatch(/^10\.1\.2\.\d{1,3}$/)
  expect(value(`rand_ip('nonsense')`)).toBe('undefined')
})
