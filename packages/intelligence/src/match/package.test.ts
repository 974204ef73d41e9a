import { describe, expect, it } from 'vitest'
import { toWfn, parseFormattedString } from '#wfn.ts'
import { evaluatePackage, packageOfProduct, releaseOfSystem } from '#match/package.ts'

const openssh = {
  name: 'openssh-server',
  version: '1:9.2p1-2+deb12u3',
  source: 'openssh',
  sourceVersion: '1:9.2p1-2+deb12u3',
  release: 'debian:12',
}
const fix = (fixedVersion: string, more: object = {}) => ({
  product: 'openbsd:openssh',
  package: 'openssh',
  release: 'debian:12',
  fixedVersion,
  ...more,
})
const rpm = (version: string, more: object = {}) => ({
  name: 'php-cli',
  version,
  source: 'php',
  sourceVersion: version,
  release: 'el:8',
  ...more,
})

describe('evaluatePackage', () => {
  it.each([
    ['a newer revision of the fix', [fix('1:9.2p1-2+deb12u2')], 'fixed'],
    ['the fixed revision', [fix('1:9.2p1-2+deb12u3')], 'fixed'],
    ['an older revision', [fix('1:9.2p1-2+deb12u7')], 'not_fixed'],
    ['no fix yet', [fix('')], 'not_fixed'],
    ['a fix that only one source knows', [fix(''), fix('1:9.2p1-2+deb12u3')], 'fixed'],
    ['two fixes, of which one is missing', [fix('1:9.2p1-2+deb12u3'), fix('1:9.2p1-2+deb12u5')], 'not_fixed'],
    ['never affected', [fix('0')], 'fixed'],
    ['statements about another release', [fix('1:9.2p1-2', { release: 'debian:11' })], 'unknown'],
    ['statements about another package', [fix('1:9.2p1-2', { package: 'dropbear' })], 'unknown'],
    ['no statement', [], 'unknown'],
  ])('%s', (_, fixes, verdict) => {
    expect(evaluatePackage(openssh, fixes)).toBe(verdict)
  })

  it('compares the version of the source package, which can differ from that of the binary package', () => {
    const binary = { ...openssh, name: 'libc-client', version: '7:1.0-1+b2', sourceVersion: '1:9.2p1-2+deb12u3' }
    expect(evaluatePackage(binary, [fix('1:9.2p1-2+deb12u7')])).toBe('not_fixed')
  })

  it('accepts the binary package in advisories of RPM distributions only', () => {
    const named = fix('8.0-1.el8', { package: 'php-cli', release: 'el:8' })
    expect(evaluatePackage(rpm('7.2-1.el8'), [named])).toBe('not_fixed')
    expect(evaluatePackage(openssh, [fix('2:1', { package: 'openssh-server' })])).toBe('unknown')
  })

  it('compares a module only with fixes of the same stream', () => {
    const streams = ['7.4.33-2.module+el8', '8.0.30-1.module+el8'].map((version) =>
      fix(version, { package: 'php', release: 'el:8' }),
    )
    expect(evaluatePackage(rpm('7.4.33-2.module+el8'), streams)).toBe('fixed')
    expect(evaluatePackage(rpm('8.0.27-1.module+el8'), streams)).toBe('not_fixed')
    expect(evaluatePackage(rpm('7.2.24-1.module+el8'), streams)).toBe('unknown')
    expect(evaluatePackage(rpm('7.2.24-1.el8'), streams)).toBe('unknown')
  })
})

describe('releaseOfSystem', () => {
  it.each([
    ['debian', '12', 'debian:12'],
    ['ubuntu', '22.04', 'ubuntu:22.04'],
    ['rocky', '9.4', 'el:9'],
    ['rhel', '8.10', 'el:8'],
    ['alpine', '3.20.3', 'alpine:3.20'],
    ['fedora', '40', ''],
    ['debian', '', ''],
    ['constructor', '1', ''],
  ])('%s %s is "%s"', (id, version, release) => {
    expect(releaseOfSystem(id, version)).toBe(release)
  })
})

describe('packageOfProduct', () => {
  const found = (cpe: string, ...packages: (typeof openssh)[]) => {
    const name = parseFormattedString(`cpe:2.3:a:${cpe}:*:*:*:*:*:*`)
    return name && packageOfProduct(toWfn(name), packages)?.name
  }
  const packaged = (name: string, version: string, release = 'debian:12') => ({
    ...openssh,
    name,
    source: name,
    sourceVersion: version,
    release,
  })
  it.each([
    ['openbsd:openssh:9.2:p1', openssh, true],
    ['openbsd:openssh:9.6:p1', openssh, false],
    ['openbsd:openssh:*:*', openssh, false],
    ['haxx:curl:9.2:p1', openssh, false],
    ['apache:http_server:2.4.62:*', packaged('apache2', '2.4.62-1~deb12u2'), true],
    ['samba:samba:4.17.12:*', packaged('samba', '2:4.17.12+dfsg-0+deb12u1'), true],
    ['openbsd:openssh:9.6:p1', packaged('openssh', '9.6_p1-r0', 'alpine:3.20'), true],
    ['f5:nginx:1.20.1:*', packaged('nginx', '2:1.20.1-14.el9', 'el:9'), true],
  ])('%s', (cpe, installed, isFound) => {
    expect(found(cpe, packaged('zlib', '9.2p1-1'), installed)).toBe(isFound ? installed.name : undefined)
  })
})
