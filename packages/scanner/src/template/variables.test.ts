import { describe, expect, it } from 'vitest'
import { fillBytes, variablesOf } from '#template/variables.ts'
import { place } from '#template/testing/target.ts'

describe('variables', () => {
  it.each([
    ['{{BaseURL}}', 'https://shop.example.co:8443/app/index.html'],
    ['{{RootURL}}', 'https://shop.example.co:8443'],
    ['{{Hostname}}', 'shop.example.co:8443'],
    ['{{Host}}', 'shop.example.co'],
    ['{{Port}}', '8443'],
    ['{{Scheme}}', 'https'],
    ['{{Path}}', '/app'],
    ['{{File}}', 'index.html'],
    ['{{FQDN}}', 'shop.example.co'],
    ['{{DN}}', 'example'],
    ['{{TLD}}', 'co'],
    ['{{SD}}', 'shop'],
    ['{{md5("a")}}', '0cc175b9c0f1b6a831c399e269772661'],
    ['{{to_upper(Scheme)}}-{{Port}}', 'HTTPS-8443'],
  ])('%s is %s', (text, expected) => {
    const variables = variablesOf(place)
    expect(fillBytes(text, (name) => variables.get(name))).toBe(expected)
  })

  it('have no domain for an address', () => {
    const variables = variablesOf({ ...place, hostname: '127.42.0.1' })
    expect(fillBytes('/{{DN}}.zip', (name) => variables.get(name))).toBeNull()
  })
})
