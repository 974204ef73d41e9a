import { describe, expect, it } from 'vitest'
import { effectivePackage, ownAdvisories } from '#inventory/package-threats.ts'

const kernel = '6.1.0-40-amd64'
const debian = (name: string, version: string, source: string, more: object = {}) => ({
  manager: 'dpkg',
  name,
  version,
  architecture: 'amd64',
  source,
  sourceVersion: version,
  release: 'debian:12',
  ...more,
})

describe('effectivePackage', () => {
  it('maps a running kernel from a signed source package to the source package that advisories name', () => {
    const signed = { sourceVersion: '6.1.153+1' }
    expect(
      effectivePackage(debian(`linux-image-${kernel}`, '6.1.153-1', 'linux-signed-amd64', signed), kernel),
    ).toMatchObject({
      source: 'linux',
      sourceVersion: '6.1.153-1',
    })
    const cloud = debian('linux-image-6.8.0-45-generic', '6.8.0-45.45', 'linux-signed-aws')
    expect(effectivePackage(cloud, '6.8.0-45-generic')).toMatchObject({ source: 'linux-aws' })
  })

  it.each([
    ['another installed kernel', debian('linux-image-6.1.0-30-amd64', '6.1.124-1', 'linux-signed-amd64')],
    ['headers', debian('linux-libc-dev', '6.1.124-1', 'linux')],
    ['tools of a cloud kernel', debian('linux-aws-tools-6.8', '6.8.0-1', 'linux-aws')],
    ['a kernel of RPM', { ...debian('kernel-core', '5.14.0-1.el9', 'kernel'), manager: 'rpm', architecture: 'x86_64' }],
  ])('ignores %s', (_, installed) => {
    expect(effectivePackage(installed, kernel)).toBeNull()
  })

  it.each([
    ['firmware', debian('firmware-linux-free', '20200122-1', 'firmware-free')],
    ['a package with a similar name', debian('linux-base', '4.9', 'linux-base')],
    [
      'the running kernel of RPM',
      { ...debian('kernel-core', '5.14.0-427.13.1.el9_4', 'kernel'), manager: 'rpm', architecture: 'x86_64' },
    ],
  ])('keeps %s', (_, installed) => {
    const running = installed.manager === 'rpm' ? '5.14.0-427.13.1.el9_4.x86_64' : kernel
    expect(effectivePackage(installed, running)).toBe(installed)
  })
})

it("prefers the vendor's own advisories, because revisions differ", () => {
  const fix = (key: string, origin: string, fixedVersion: string) => ({
    id: key,
    key,
    score: 7,
    category: 'CATEGORY_HIGH',
    package: 'openssl',
    product: '',
    release: 'el:9',
    origin,
    fixedVersion,
  })
  const red = fix('CVE-1', 'RHSA-2024:1', '3.0.7-27.el9')
  const rocky = fix('CVE-1', 'RLSA-2024:1', '3.0.7-27.el9.0.2')
  const only = fix('CVE-2', 'RHSA-2024:2', '3.0.7-28.el9')
  expect(ownAdvisories('Rocky Linux 9.4 (Blue Onyx)', [red, rocky, only])).toEqual([rocky, only])
  expect(ownAdvisories('Red Hat Enterprise Linux 9.4 (Plow)', [red, rocky, only])).toEqual([red, only])
  expect(ownAdvisories('Oracle Linux Server 9.4', [red, rocky])).toEqual([red, rocky])
})
