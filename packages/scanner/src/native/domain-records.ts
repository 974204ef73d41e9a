/** DNS records that protect a domain: SPF, DMARC, MTA-STS, CAA, DNSSEC. Queries go to the resolver, not to the target. */
import { isIP } from 'node:net'
import type { Observation } from '@glacis/contract/runner'
import { checkInfo, type Proof } from '#native/native-check.ts'
import type { CheckInfo } from '#native/types.ts'
import { queryResolver, type DnsResponse } from '#net/resolver.ts'
import type { CheckTarget } from '#template/service-run.ts'

const low = { cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:N/I:L/A:N', score: 3.1, severity: 'low' } as const

const none = { cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N', score: null, severity: 'info' } as const

const noSpf = checkInfo({
  ...low,
  id: 'mail-spf-missing',
  name: 'SPF record missing',
  summary: 'The domain receives mail but has no SPF record, so receivers cannot tell which servers may send its mail.',
  impact:
    'An attacker can send mail with an envelope sender in this domain, and receivers have no reason to reject it.',
  remediation:
    'Publish a TXT record that lists your mail servers and ends with `-all`, for example `v=spf1 mx -all`, and combine it with DMARC.',
  reference: 'https://www.rfc-editor.org/rfc/rfc7208',
  tags: 'misconfig dns mail spoofing',
  verifiedOn: 'mail-domain',
})
const openSpf = checkInfo({
  ...low,
  id: 'mail-spf-permissive',
  name: 'SPF record allows any sender',
  summary: 'The SPF record ends with `+all` or `?all`, which lets any server send mail for the domain.',
  impact: 'An attacker can send mail that appears to come from the domain and passes, or at least does not fail, SPF.',
  remediation: 'List the servers that send your mail, and end the record with `-all` or `~all`.',
  reference: 'https://www.rfc-editor.org/rfc/rfc7208#section-5.1',
  tags: 'misconfig dns mail spoofing',
  verifiedOn: 'mail-domain-permissive',
})
const noDmarc = checkInfo({
  ...low,
  id: 'mail-dmarc-missing',
  name: 'DMARC record missing',
  summary: 'The domain receives mail, but neither it nor a parent domain has a DMARC record.',
  impact: 'An attacker can send mail with this domain in the From header, even if SPF and DKIM are configured.',
  remediation:
    'Publish a TXT record at `_dmarc`. Start with `v=DMARC1; p=none; rua=mailto:…` to collect reports, and then set `p=quarantine` or `p=reject`.',
  reference: 'https://www.rfc-editor.org/rfc/rfc7489',
  tags: 'misconfig dns mail spoofing',
  verifiedOn: 'mail-domain',
})
const weakDmarc = checkInfo({
  ...low,
  id: 'mail-dmarc-not-enforced',
  name: 'DMARC policy not enforced (p=none)',
  summary: 'The DMARC policy is `none`, so receivers deliver mail that fails authentication.',
  impact: 'An attacker can send mail with this domain in the From header: receivers report it to you but deliver it.',
  remediation: 'Check the reports for legitimate senders, and then set `p=quarantine` or `p=reject`.',
  reference: 'https://www.rfc-editor.org/rfc/rfc7489#section-6.3',
  tags: 'misconfig dns mail spoofing',
  verifiedOn: 'mail-domain-permissive',
})
const noMtaSts = checkInfo({
  id: 'mail-transport-security-missing',
  name: 'MTA-STS and DANE missing',
  severity: 'info',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N',
  score: null,
  summary:
    'The domain has neither an MTA-STS policy nor TLSA records for its mail servers, so TLS for incoming mail is opportunistic.',
  impact: 'An attacker on the network path can strip STARTTLS, and read or change incoming mail.',
  remediation:
    'Publish an MTA-STS policy (`_mta-sts` TXT record and `https://mta-sts.DOMAIN/.well-known/mta-sts.txt`), or sign the zone with DNSSEC and publish TLSA records.',
  reference: 'https://www.rfc-editor.org/rfc/rfc8461',
  tags: 'misconfig dns mail tls',
  verifiedOn: 'mail-domain',
})

const noCaa = checkInfo({
  ...none,
  id: 'dns-caa-missing',
  name: 'CAA record missing',
  summary:
    'Neither the domain nor a parent domain has a CAA record, so any certificate authority is permitted to issue certificates for it.',
  impact: 'An attacker who deceives any of the public certificate authorities can obtain a certificate for the domain.',
  remediation: 'Publish a CAA record for your certificate authority, for example `0 issue "letsencrypt.org"`.',
  reference: 'https://www.rfc-editor.org/rfc/rfc8659',
  tags: 'misconfig dns tls',
  verifiedOn: 'mail-domain mail-domain-permissive',
})
const noDnssec = checkInfo({
  ...none,
  id: 'dns-dnssec-missing',
  name: 'Domain not signed with DNSSEC',
  summary:
    'Neither the domain nor a parent below the top-level domain publishes DNSSEC keys, so resolvers cannot verify its records.',
  impact: 'An attacker who can forge DNS responses can redirect users and mail to other servers.',
  remediation: 'Sign the zone, and publish the DS record at your registrar.',
  reference: 'https://www.rfc-editor.org/rfc/rfc9364',
  tags: 'misconfig dns',
  verifiedOn: 'mail-domain mail-domain-permissive',
})

export const domainChecks: readonly CheckInfo[] = [noSpf, openSpf, noDmarc, weakDmarc, noMtaSts, noCaa, noDnssec]

interface DomainTools {
  readonly signal: AbortSignal
  readonly resolvers?: readonly string[]
  readonly onlyChecks?: ReadonlySet<string>
}
type Results = Readonly<Record<string, Proof | null>>
type Query = (name: string, type: string) => Promise<DnsResponse | undefined>

const serversMax = 3

/**
 * Only names with MX records are mail domains.
 *
 * @throws only when the signal aborts, with its reason
 */
export async function* runDomainRecords(target: CheckTarget, tools: DomainTools): AsyncIterable<Observation> {
  const { address, hostname } = target
  const { signal, resolvers, onlyChecks } = tools
  const wanted = domainChecks.filter(({ id }) => !onlyChecks || onlyChecks.has(id))
  if (wanted.length === 0 || isIP(hostname) !== 0 || !hostname.includes('.')) return
  const query: Query = (name, type) => queryResolver(name, type, { signal, ...(resolvers && { servers: resolvers }) })
  const mx = await query(hostname, 'MX')
  if (mx?.code !== 'NOERROR') return
  const servers = recordsOf(mx, 'MX').flatMap((value) => /^\d+ (\S*[^.\s])\.?$/.exec(value)?.[1] ?? [])
  const results = {
    ...(await checkRecord(hostname, 'CAA', noCaa.id, query)),
    ...(await checkRecord(hostname, 'DNSKEY', noDnssec.id, query)),
    ...(servers.length > 0 ? await checkMail(hostname, servers, query) : {}),
  }
  const covered = wanted.filter(({ id }) => results[id] !== undefined)
  for (const { id, threat } of covered) {
    const proof = results[id]
    if (proof) yield findingOf(address, id, threat, proof)
  }
  if (covered.length > 0) yield { kind: 'coverage', address, checks: covered.map(({ id }) => id) }
}

async function checkMail(hostname: string, servers: readonly string[], query: Query): Promise<Results> {
  return {
    ...(await checkSpf(hostname, query)),
    ...(await checkDmarc(hostname, query)),
    ...(await checkTransport(hostname, servers, query)),
  }
}

/** Looks for a record of the domain or its parents, except top-level domains. */
async function checkRecord(domain: string, type: string, check: string, query: Query): Promise<Results> {
  const labels = domain.split('.')
  for (let from = 0; from <= labels.length - 2; from++) {
    const response = await query(labels.slice(from).join('.'), type)
    if (!response || !['NOERROR', 'NXDOMAIN'].includes(response.code)) return {}
    if (recordsOf(response, type).length > 0) return { [check]: null }
  }
  return { [check]: { request: `${type} ${domain}`, answer: `no ${type} record`, highlights: [] } }
}

function findingOf(address: string, check: string, threat: string, proof: Proof): Observation {
  const { request, answer: response, highlights } = proof
  return {
    kind: 'finding',
    address,
    check,
    threat,
    location: 'dns',
    quality: 99,
    request,
    evidence: response,
    highlights: [...highlights],
  }
}

async function checkSpf(domain: string, query: Query): Promise<Results> {
  const response = await query(domain, 'TXT')
  if (response?.code !== 'NOERROR') return {}
  const texts = textsOf(response)
  const record = texts.find((text) => /^v=spf1(?: |$)/i.test(text))
  const request = `TXT ${domain}`
  if (record === undefined) {
    const response = texts.join('\n') || 'no TXT record'
    return { [noSpf.id]: { request, answer: response, highlights: [] }, [openSpf.id]: null }
  }
  const [mechanism] = /(?:^|\s)[+?]?all(?=\s|$)/i.exec(record) ?? []
  const isOpen = mechanism !== undefined && !/\sredirect=/i.test(record)
  return { [noSpf.id]: null, [openSpf.id]: isOpen ? { request, answer: record, highlights: [mechanism.trim()] } : null }
}

/** Looks at the domain and its parents, whose policy applies to subdomains. */
async function checkDmarc(domain: string, query: Query): Promise<Results> {
  const labels = domain.split('.')
  for (let from = 0; from <= labels.length - 2; from++) {
    const name = `_dmarc.${labels.slice(from).join('.')}`
    const response = await query(name, 'TXT')
    if (!response || !['NOERROR', 'NXDOMAIN'].includes(response.code)) return {}
    const record = textsOf(response).find((text) => /^v=DMARC1\b/i.test(text))
    if (record === undefined) continue
    const policy = dmarcPolicy(record, from > 0)
    const proof = { request: `TXT ${name}`, answer: record, highlights: [`p=${policy}`] }
    return { [noDmarc.id]: null, [weakDmarc.id]: policy === 'none' ? proof : null }
  }
  return {
    [noDmarc.id]: { request: `TXT _dmarc.${domain}`, answer: 'no DMARC record', highlights: [] },
    [weakDmarc.id]: null,
  }
}

function dmarcPolicy(record: string, isParent: boolean): string {
  const tag = (name: string) => new RegExp(`;\\s*${name}\\s*=\\s*(\\w{1,20})`, 'i').exec(record)?.[1]?.toLowerCase()
  return (isParent ? tag('sp') : undefined) ?? tag('p') ?? ''
}

async function checkTransport(domain: string, servers: readonly string[], query: Query): Promise<Results> {
  const sts = await query(`_mta-sts.${domain}`, 'TXT')
  if (!sts || !['NOERROR', 'NXDOMAIN'].includes(sts.code)) return {}
  if (textsOf(sts).some((text) => /^v=STSv1\b/i.test(text))) return { [noMtaSts.id]: null }
  for (const server of servers.slice(0, serversMax)) {
    const tlsa = await query(`_25._tcp.${server}`, 'TLSA')
    if (!tlsa) return {}
    if (recordsOf(tlsa, 'TLSA').length > 0) return { [noMtaSts.id]: null }
  }
  const request = `TXT _mta-sts.${domain}, TLSA _25._tcp.${servers[0] ?? domain}`
  return { [noMtaSts.id]: { request, answer: 'no MTA-STS and no TLSA record', highlights: [] } }
}

function recordsOf({ answer }: DnsResponse, type: string): string[] {
  return answer.filter((record) => record.type === type).map(({ value }) => value)
}

/** The strings of a TXT record, each of at most 255 bytes, form one text. */
function textsOf(response: DnsResponse): string[] {
  return recordsOf(response, 'TXT').map((value) =>
    [...value.matchAll(/"((?:[^"\\]|\\.){0,1020})"/g)].map(([, text = '']) => text.replaceAll(/\\(.)/g, '$1')).join(''),
  )
}
