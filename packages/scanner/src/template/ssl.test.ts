import { X509Certificate } from 'node:crypto'
import { expect, it } from 'vitest'
import { tlsFacts } from '#template/ssl.ts'
import { certificateFor } from '#template/testing/certificate.ts'

it('reads a certificate without a subject, as programs generate it for themselves', () => {
  const certificate = new X509Certificate(certificateFor({ name: '' }).cert)
  expect(certificate.subject).toBeUndefined()
  const reading = {
    kind: 'accepted',
    isTrusted: false,
    version: 'TLSv1.3',
    cipher: 'TLS_AES_128_GCM_SHA256',
    certificate,
  } as const
  const origin = { tls: true, hostname: '127.0.0.1', address: '127.0.0.1', port: 7000 }
  expect(tlsFacts(reading, origin, new Date())).toMatchObject({
    subject_cn: '',
    subject_dn: '',
    issuer_cn: '',
    issuer_org: '',
  })
})
