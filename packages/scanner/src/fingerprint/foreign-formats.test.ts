import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compileFingerprints } from '#fingerprint/match.ts'
import { parseNmapProbes } from '#fingerprint/nmap-probes.ts'
import { loadRecog } from '#fingerprint/recog.ts'
import { parseTechnologies } from '#fingerprint/technologies.ts'

const cpeOf = (files: Parameters<typeof compileFingerprints>[0], field: string, text: string) =>
  compileFingerprints(files).match(field, text)[0]?.values['service.cpe23']

describe('parseNmapProbes', () => {
  const file = [
    'Probe TCP NULL q||',
    'match ssh m|^SSH-2\\.0-shopd_([\\d.]+)|i p/Shop daemon/ v/$1/ cpe:/a:lab:shopd:$1/a cpe:/o:lab:os/',
    'match ftp m=^220 \\0 ready (\\d+_\\d+)= p/x/ v/$SUBST(1,"_",".")/ cpe:/a:lab:ftpd:$SUBST(1,"_",".")/',
    'match pop3 m|^(?!x)| p/x/ cpe:/a:lab:popd/',
    'match imap m|^no name| p/x/',
    'Probe TCP GetRequest q|GET / HTTP/1.0\\r\\n\\r\\n|',
    'match http m|^HTTP/1\\.[01] 200 .*Server: shop/([\\d.]+)|s p/Shop/ v/$1/ cpe:/a:lab:shop:$1/',
    'Probe TCP Help q|HELP|',
    'match other m|^x| p/x/ cpe:/a:lab:other/',
  ].join('\n')

  it('reads matches with the CPE name of an application', () => {
    expect(cpeOf(parseNmapProbes(file), 'nmap.null', 'SSH-2.0-SHOPD_1.2\r\n')).toBe('cpe:/a:lab:shopd:1.2')
    const page = 'HTTP/1.1 200 OK\r\nServer: shop/3.4\r\n\r\n'
    expect(cpeOf(parseNmapProbes(file), 'nmap.getrequest', page)).toBe('cpe:/a:lab:shop:3.4')
  })
  it('omits versions that need a helper function', () => {
    expect(cpeOf(parseNmapProbes(file), 'nmap.null', '220 \0 ready 1_2')).toBe('cpe:/a:lab:ftpd')
  })
  it('lists expressions that RE2 does not support', () => {
    expect(parseNmapProbes(file).flatMap(({ problems }) => problems)).toEqual([expect.stringMatching(/^line 4: /)])
  })

  const installed = '/usr/share/nmap/nmap-service-probes'
  it.skipIf(!existsSync(installed))("reads nmap's own file", async () => {
    const { files } = await loadRecog([installed])
    expect(files.reduce((sum, { fingerprints }) => sum + fingerprints.length, 0)).toBeGreaterThan(2000)
    expect(cpeOf(files, 'nmap.null', '220 (vsFTPd 3.0.3)\r\n')).toBe('cpe:/a:vsftpd:vsftpd:3.0.3')
  })
})

describe('parseTechnologies', () => {
  const cpe = 'cpe:2.3:a:lab:shop:*:*:*:*:*:*:*:*'
  const file = JSON.stringify({
    Shop: {
      cats: [6],
      cpe,
      headers: { 'X-Shop': String.raw`^v([\d.]+)\;version:\1` },
      cookies: { shop_session: '' },
      meta: { generator: String.raw`^Shop(?: ([\d.]+))?\;version:\1` },
      scriptSrc: [String.raw`/shop-([\d.]+)\.js\;version:\1`, String.raw`cart\.js\;confidence:50`],
    },
    Unnamed: { cats: [1], headers: { Server: 'unnamed' } },
  })
  const files = parseTechnologies(file, 'lab')

  it.each([
    ['http_header.x-shop', 'v2.1', '2.1'],
    ['http_header.cookie', 'shop_session=1; path=/', '*'],
    ['html.generator', 'Shop 3.0', '3.0'],
    ['http.body', '<script defer src="/static/shop-4.2.js"></script>', '4.2'],
  ])('reads %s', (field, text, version) => {
    expect(cpeOf(files, field, text)).toBe(cpe.replace(':shop:*', `:shop:${version}`))
  })
  it('skips weak evidence and technologies without a CPE name', () => {
    expect(cpeOf(files, 'http.body', '<script src="/cart.js"></script>')).toBeUndefined()
    expect(cpeOf(files, 'http_header.server', 'unnamed')).toBeUndefined()
  })
  it('rejects other JSON files', () => {
    expect(() => parseTechnologies('{"a":1}', 'a')).toThrow('not a file of technologies')
  })
})
