import { expect, it } from 'vitest'
import { maskSecrets, printable, rawEvidence } from '#template/evidence.ts'

const M = '••••••'
it.each([
  ['DB_PASSWORD=hunter2', `DB_PASSWORD=${M}`],
  ['export API_KEY="a b c"', `export API_KEY=${M}`],
  ['password: s3cr3t', `password: ${M}`],
  ['"client_secret": "abc", "id": 7', `"client_secret": ${M}, "id": 7`],
  ["'passwd' => 'x y',", `'passwd' => ${M},`],
  ['APP_ENV=production', 'APP_ENV=production'],
  ['search dc=example (userPassword=*)', 'search dc=example (userPassword=*)'],
  ['(userPassword=*x)', `(userPassword=${M}`],
  ['url = https://bob:pw@git.test/x', `url = https://bob:${M}@git.test/x`],
  ['Authorization: Bearer abc.def', `Authorization: Bearer ${M}`],
  ['Set-Cookie: sid=abc123; HttpOnly', `Set-Cookie: sid=${M}; HttpOnly`],
  [
    '<td class="e">DB_PASSWORD </td><td class="v">hunter2 </td>',
    `<td class="e">DB_PASSWORD </td><td class="v">${M}</td>`,
  ],
  ['id AKIAABCDEFGHIJKLMNOP', `id AKIA${M}`],
  ['ghp_abcdefghij0123456789', `ghp_${M}`],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlMTIz', `eyJ${M}`],
  [
    '-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc=\n-----END RSA PRIVATE KEY-----',
    `-----BEGIN RSA PRIVATE KEY----- ${M} -----END RSA PRIVATE KEY-----`,
  ],
  ['-----BEGIN PRIVATE KEY-----\nMIIcut off', `-----BEGIN PRIVATE KEY----- ${M} `],
])('SEC-D4 masks %j', (text, masked) => {
  expect(maskSecrets(text)).toBe(masked)
})

it('SEC-D3 removes NUL, terminal escapes, and bidirectional controls', () => {
  expect(printable('a\u0000b\u001b[31mc\u202ed\r\ne\tf\u200fg')).toBe('a·b·[31mc·d\ne\tf·g')
})

it('excerpts a long response around the proof', () => {
  const long = `${'x'.repeat(60_000)}NEEDLE${'y'.repeat(60_000)}`
  const { evidence, highlights } = rawEvidence('', long, {
    name: '',
    proofs: [],
    spans: ['NEEDLE'],
    extracted: [],
    isProof: true,
    isTimed: false,
    isSilent: false,
  })
  expect(evidence).toContain('NEEDLE')
  expect(evidence.length).toBeLessThanOrEqual(16_384)
  expect(highlights).toEqual(['NEEDLE'])
})

it.each([
  'pass.',
  'password',
  'pass-',
  'a.',
  'https://a:',
  'eyJaaaaaaaa.',
  '"',
  "token='",
  '-----BEGIN PRIVATE KEY-----',
  'cookie: ',
])('is fast on 16,000 characters of %j', (part) => {
  // A backtracking pattern would take minutes and exceed the test's time limit.
  expect(maskSecrets(part.repeat(16_000 / part.length)).length).toBeGreaterThan(0)
})
