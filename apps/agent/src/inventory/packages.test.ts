import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { packageStamp, parseApkInstalled, parseDpkgStatus, parseRpmQuery, readPackages } from './packages.ts'

const has = (tool: string) => spawnSync(tool, ['--version']).status === 0

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'glacis-packages-'))
})
// Retries, because other package managers may still be writing to the folder when one fails.
afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 5 }))

async function write(file: string, text: string): Promise<void> {
  await mkdir(join(root, file, '..'), { recursive: true })
  await writeFile(join(root, file), text)
}

describe('packages of dpkg', () => {
  it.skipIf(!has('dpkg-query'))('are the same as those that dpkg-query lists on this machine', async () => {
    const format =
      '${db:Status-Status}\t${Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}\n'
    const expected = execFileSync('dpkg-query', ['-W', '-f', format], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line.startsWith('installed\t'))
      .map((line) => line.slice('installed\t'.length))
    const packages = (await readPackages()).filter(({ manager }) => manager === 'dpkg')
    const lines = packages.map((item) =>
      [item.name, item.version, item.architecture, item.source, item.sourceVersion].join('\t'),
    )
    expect(lines.toSorted()).toEqual(expected.toSorted())
    expect(lines.length).toBeGreaterThan(50)
  })

  it('include held packages, but not removed ones whose configuration is left', () => {
    const paragraph = (name: string, status: string) =>
      `Package: ${name}\nStatus: ${status}\nArchitecture: amd64\nVersion: 1.0-1\nDescription: short\n Version: 2\n`
    const text = [
      paragraph('held', 'hold ok installed'),
      paragraph('removed', 'deinstall ok config-files'),
      paragraph('broken', 'install ok half-installed'),
    ].join('\n')
    expect(parseDpkgStatus(text)).toMatchObject([{ name: 'held', version: '1.0-1', source: 'held' }])
  })

  it('are read from single files in images without dpkg', async () => {
    const text = 'Package: libssl3\nSource: openssl (3.0.17-1)\nArchitecture: arm64\nVersion: 3.0.17-1+b1\n'
    await write('var/lib/dpkg/status.d/libssl3', text)
    await write('var/lib/dpkg/status.d/libssl3.md5sums', 'd41d8cd98f00b204e9800998ecf8427e usr/lib/libssl.so.3\n')
    expect(await readPackages(root)).toEqual([
      {
        kind: 'package',
        manager: 'dpkg',
        name: 'libssl3',
        version: '3.0.17-1+b1',
        architecture: 'arm64',
        source: 'openssl',
        sourceVersion: '3.0.17-1',
      },
    ])
  })

  it('change the stamp', async () => {
    const before = await packageStamp(root)
    await write('var/lib/dpkg/status', '')
    expect(await packageStamp(root)).not.toBe(before)
  })
})

describe('packages of apk', () => {
  const text = `C:Q1abc=
P:libcrypto3
V:3.3.2-r1
A:x86_64
T:Crypto library from openssl
o:openssl
D:so:libc.musl-x86_64.so.1
F:usr/lib
R:libcrypto.so.3

C:Q1def=
P:musl
V:1.2.5-r0
A:x86_64

`
  it('have the origin as source', () => {
    expect(parseApkInstalled(text)).toMatchObject([
      { name: 'libcrypto3', version: '3.3.2-r1', source: 'openssl', sourceVersion: '3.3.2-r1', architecture: 'x86_64' },
      { name: 'musl', version: '1.2.5-r0', source: 'musl' },
    ])
  })
  it('are listed once if their database has two paths', async () => {
    await write('lib/apk/db/installed', text)
    await write('usr/lib/apk/db/installed', text)
    expect(await readPackages(root)).toHaveLength(2)
  })
})

describe('packages of rpm', () => {
  it('are read from the output of the query', () => {
    const lines = [
      'openssl-libs\t1:3.0.7-27.el9\tx86_64\topenssl-3.0.7-27.el9.src.rpm',
      'bash\t0:5.1.8-9.el9\tx86_64\tbash-5.1.8-9.el9.src.rpm',
      'gpg-pubkey\t0:8d8b756f-6388f5b4\t(none)\t(none)',
      'local\t0:1-1\tnoarch\t(none)',
      '',
    ]
    expect(parseRpmQuery(lines.join('\n'))).toMatchObject([
      { name: 'openssl-libs', version: '1:3.0.7-27.el9', source: 'openssl', sourceVersion: '1:3.0.7-27.el9' },
      { name: 'bash', version: '5.1.8-9.el9', source: 'bash', sourceVersion: '5.1.8-9.el9' },
      { name: 'local', version: '1-1', source: 'local', sourceVersion: '1-1' },
    ])
  })

  it.skipIf(!has('rpmbuild'))('are read from the database of the rpm tool', async () => {
    const spec = `Name: glacis-sample
Epoch: 2
Version: 1.4
Release: 3.el9
Summary: Sample
License: MIT
BuildArch: noarch
%description
Sample
%package libs
Summary: Sample
%description libs
Sample
%files
%files libs
`
    await write('sample.spec', spec)
    execFileSync('rpmbuild', ['-ba', '--define', `_topdir ${root}/build`, join(root, 'sample.spec')], { stdio: 'pipe' })
    const files = ['', '-libs'].map((name) => join(root, `build/RPMS/noarch/glacis-sample${name}-1.4-3.el9.noarch.rpm`))
    execFileSync('rpm', ['--root', join(root, 'system'), '--nodeps', '-i', ...files], { stdio: 'pipe' })
    const names = ['glacis-sample', 'glacis-sample-libs']
    const found = await readPackages(join(root, 'system'))
    expect(found.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(
      names.map((name) => ({
        kind: 'package',
        manager: 'rpm',
        name,
        version: '2:1.4-3.el9',
        architecture: 'noarch',
        source: 'glacis-sample',
        sourceVersion: '2:1.4-3.el9',
      })),
    )
  })
})

it('reports no packages as removed because a database is unreadable', async () => {
  await mkdir(join(root, 'var/lib/dpkg/status'), { recursive: true })
  await expect(readPackages(root)).rejects.toThrow('EISDIR')
})
