import { describe, expect, it } from 'vitest'
import { canonicalVersion, nameFromCpe, nameSoftware } from '#fingerprint/wfn.ts'

describe('canonicalVersion', () => {
  it.each([
    ['openssh', '9.2p1', '9.2', 'p1', undefined],
    ['openssh', '9.9', '9.9', '*', undefined],
    ['ntp', '4.2.8p15', '4.2.8', 'p15', undefined],
    ['sudo', '1.9.5p2', '1.9.5', 'patch2', undefined],
    ['mariadb', '5.5.5-10.11.19-MariaDB-0+deb12u1', '10.11.19', '*', '0+deb12u1'],
    ['mariadb', '10.11.19', '10.11.19', '*', undefined],
    ['mariadb', '11.4.2-MariaDB-ubu2404', '11.4.2', '*', undefined],
    ['mysql', '8.0.36-0ubuntu0.22.04.1', '8.0.36', '*', '0ubuntu0.22.04.1'],
    ['bind', '9.18.49-1~deb12u3-Debian', '9.18.49', '*', '1~deb12u3'],
    ['bind', '9.11.4-P2', '9.11.4', 'p2', undefined],
    ['postgresql', '15.18 (Debian 15.18-0+deb12u1)', '15.18', '*', undefined],
    ['openssl', '1.0.2k', '1.0.2k', '*', undefined],
    ['gearmand', '1.1.20+ds', '1.1.20', '*', undefined],
    ['snmpd', '5.9.3+dfsg-2+deb12u1', '5.9.3', '*', '2+deb12u1'],
    ['git', 'v2.39.5', '2.39.5', '*', undefined],
    ['tomcat', '10.1.0-M5', '10.1.0', 'm5', undefined],
    ['total.js', '3.0.0~rc0', '3.0.0', 'rc0', undefined],
    ['node.js', '20.0.0-beta.2', '20.0.0', 'beta2', undefined],
    ['transmission', '3.00 (bb6b5a062e)', '3.00', '*', undefined],
    ['verdaccio', '5.1.0-${mvngit.commit.id}', '5.1.0', '*', undefined],
    ['jre', '1.8.0_202', '1.8.0', 'update202', undefined],
    ['ios', '12.2(33)SXJ', '12.2(33)sxj', '*', undefined],
    ['nx-os', '9.3(8)', '9.3(8)', '*', undefined],
    ['thing', '9.3(beta)', '9.3', '*', undefined],
    ['eos', '4.22.4M', '4.22.4m', '*', undefined],
    ['bind', '9.8.2rc1', '9.8.2', 'rc1', undefined],
    ['bind', '9.5.0b1', '9.5.0', 'b1', undefined],
    ['junos', '19.4r3-s2', '19.4r3-s2', '*', undefined],
    ['dropbear_ssh', '2022.83', '2022.83', '*', undefined],
    ['samba', '3.X - 4.X', '*', '*', undefined],
    ['anything', 'unknown', '*', '*', undefined],
    ['anything', '1.0\0\u202e', '1.0', '*', undefined],
    ['anything', '', '*', '*', undefined],
  ])('%s %s is %s, update %s, revision %s', (product, read, version, update, revision) => {
    expect(canonicalVersion(product, read)).toEqual({ version, update, ...(revision ? { revision } : {}) })
  })

  it('is idempotent', () => {
    for (const read of ['9.2', '1.0.2k', '10.11.19', '2022.83', '3.00', '19.4r3-s2', '1.14.2']) {
      expect(canonicalVersion('x', canonicalVersion('x', read).version).version).toBe(read)
    }
  })
})

describe('nameFromCpe', () => {
  it.each([
    ['cpe:/a:openbsd:openssh:9.2p1', 'cpe:2.3:a:openbsd:openssh:9.2:p1:*:*:*:*:*:*'],
    ['cpe:/a:igor_sysoev:nginx:1.22.1', 'cpe:2.3:a:f5:nginx:1.22.1:*:*:*:*:*:*:*'],
    ['cpe:/a:postfix:postfix:-', 'cpe:2.3:a:postfix:postfix:*:*:*:*:*:*:*:*'],
    ['cpe:/o:debian:debian_linux:12', 'cpe:2.3:o:debian:debian_linux:12:*:*:*:*:*:*:*'],
    [
      'cpe:2.3:a:verdaccio:verdaccio:4.13.2:*:*:*:*:node.js:*:*',
      'cpe:2.3:a:verdaccio:verdaccio:4.13.2:*:*:*:*:node.js:*:*',
    ],
    ['cpe:2.3:a:etcd:etcd:3.5.0:rc1:*:*:*:*:*:*', 'cpe:2.3:a:etcd:etcd:3.5.0:rc1:*:*:*:*:*:*'],
    ['cpe:2.3:a:a\\:b:c\\+d:1.0:*:*:*:*:*:*:*', 'cpe:2.3:a:a\\:b:c\\+d:1.0:*:*:*:*:*:*:*'],
  ])('%s becomes %s', (cpe, text) => {
    expect(nameFromCpe(cpe)?.wfn.text).toBe(text)
  })

  it.each(['', 'cpe:/a:x', 'cpe:/z:a:b:1', 'cpe:2.3:a:*:b:1:*', 'openssh'])('returns null for %j', (cpe) => {
    expect(nameFromCpe(cpe)).toBeNull()
  })
})

it('formats names that parse to the same name', () => {
  for (const version of ['1.0', '9.2p1', '1.0.2k', '19.4r3-s2', '2.0.0-rc1', '']) {
    const { wfn } = nameSoftware({ vendor: 'OpenBSD', product: 'OpenSSH' }, version)
    expect(nameFromCpe(wfn.text)?.wfn).toEqual(wfn)
  }
})
