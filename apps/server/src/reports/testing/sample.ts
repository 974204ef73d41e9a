/** A sample report of a small network, with text that hostile hosts might send. */
import { Issue } from '@glacis/contract/issue'
import { Scan } from '@glacis/contract/scan'
import { Target } from '@glacis/contract/target'
import type { ReportHost, ReportIssue, ReportModel } from '../model.ts'

const time = '2026-09-19T01:00:00.000Z'
const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

const target = Target.parse({
  id: id(1),
  name: 'Web front Lausanne',
  address: '203.0.113.0/28',
  tags: [],
  schedule: { period: 'PERIOD_WEEKLY' },
  issueCount: {},
  createTime: '2026-07-01T09:00:00.000Z',
  updateTime: time,
})

const scan = Scan.parse({
  id: id(2),
  type: 'TYPE_MANUAL',
  status: 'STATUS_COMPLETED',
  issueCount: { critical: 2, high: 3, medium: 3, low: 2 },
  hostCount: { scannedHosts: 6, affectedHosts: 4 },
  createTime: '2026-09-19T00:30:00.000Z',
  updateTime: time,
  startTime: '2026-09-19T00:48:00.000Z',
  completeTime: time,
  changes: { new: 3, resolved: 4, regressive: 1 },
  startedBy: 'Anna Muster',
})

interface Sketch {
  readonly name: string
  readonly cve?: string
  readonly category: string
  readonly score: number
  readonly cvss?: string
  readonly summary: string
  readonly impact?: string
  readonly solution?: string
  readonly isVerified?: boolean
  readonly status?: string
  readonly hosts: readonly number[]
  readonly location?: string
  readonly request?: string
  readonly evidence: string
  readonly epss?: number
  readonly knownExploited?: string
  readonly priority: number
}

const sketches: readonly Sketch[] = [
  {
    name: 'Apache HTTP Server 2.4.49: path traversal',
    cve: 'CVE-2021-41773',
    category: 'CATEGORY_CRITICAL',
    score: 9.8,
    cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    summary:
      'A change to path normalization allows encoded dots to reach files outside the directories mapped to URLs, unless those files are protected by "Require all denied".',
    impact:
      'An unauthenticated attacker can read arbitrary files and, if CGI is enabled, execute commands. Exploited in the wild.',
    solution: 'Update to Apache HTTP Server 2.4.51 or later. The fix in 2.4.50 is incomplete.',
    isVerified: true,
    hosts: [10, 11],
    location: '80/cgi-bin/',
    request: 'GET /cgi-bin/.%2e/.%2e/.%2e/.%2e/etc/passwd HTTP/1.1',
    evidence:
      'HTTP/1.1 200 OK\nServer: Apache/2.4.49 (Unix)\n\nroot:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1::/usr/sbin:/usr/sbin/nologin',
    epss: 0.9439,
    knownExploited: '2021-11-03T00:00:00.000Z',
    priority: 96,
  },
  {
    name: 'Redis exposed without authentication',
    category: 'CATEGORY_CRITICAL',
    score: 9.8,
    summary: 'Redis accepts commands over the network without authentication.',
    impact:
      'An attacker can read and change all data. Redis can also be made to write files, which leads to remote code execution on the host.',
    solution:
      'Set `requirepass` or ACL users in redis.conf, and bind Redis to localhost (`bind 127.0.0.1 -::1`) or an internal interface.',
    isVerified: true,
    status: 'STATUS_REGRESSION',
    hosts: [12],
    location: '6379',
    request: 'INFO server',
    evidence: 'redis_version:6.0.9\r\nredis_mode:standalone\r\nos:Linux 5.10 x86_64\r\ntcp_port:6379',
    priority: 91,
  },
  {
    name: 'Environment file exposed (.env)',
    category: 'CATEGORY_HIGH',
    score: 7.5,
    summary: 'A .env file with application settings can be downloaded.',
    impact: 'An attacker can read database passwords, API keys, and signing secrets.',
    solution: 'Move the file out of the web root, then rotate every secret it contains.',
    isVerified: true,
    hosts: [10],
    location: '80/.env',
    request: 'GET /.env HTTP/1.1',
    evidence: `APP_KEY=base64:••••••••\nDB_PASSWORD=••••••••\nTOKEN=${'a1b2c3d4'.repeat(24)}`,
    priority: 64,
  },
  {
    name: 'OpenSSH: race condition in sshd signal handler ("regreSSHion")',
    cve: 'CVE-2024-6387',
    category: 'CATEGORY_HIGH',
    score: 8.1,
    cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:H',
    summary:
      'If a client does not authenticate within LoginGraceTime, sshd calls functions that are not async-signal-safe from its SIGALRM handler.',
    impact: 'An unauthenticated attacker can execute arbitrary code as root on glibc-based Linux systems.',
    solution: 'Update to OpenSSH 9.8p1 or later, or to a distribution package that contains the fix.',
    hosts: [10, 11, 13],
    location: '22',
    evidence: 'OpenSSH 8.9p1 is in the affected range ≥ 8.6, < 9.8.',
    epss: 0.42,
    priority: 40,
  },
  {
    name: 'nginx: off-by-one error in the DNS resolver',
    cve: 'CVE-2021-23017',
    category: 'CATEGORY_HIGH',
    score: 7.7,
    summary: 'The resolver writes one byte past the end of a buffer when it processes a crafted DNS response.',
    solution: 'Update to nginx 1.20.1, 1.21.0, or later.',
    hosts: [13],
    location: '443',
    evidence: 'nginx 1.18.0 is in the affected range ≥ 0.6.18, < 1.20.1.',
    epss: 0.71,
    priority: 43,
  },
  {
    name: 'Deprecated TLS version supported (TLS 1.0 or 1.1)',
    category: 'CATEGORY_MEDIUM',
    score: 4.8,
    summary: 'The server accepts connections with TLS 1.0 or TLS 1.1, which were deprecated in 2021.',
    solution: 'Allow only TLS 1.2 and 1.3.',
    isVerified: true,
    hosts: [13],
    location: '443',
    evidence: 'TLSv1 handshake completed with ECDHE-RSA-AES128-SHA',
    priority: 24,
  },
  {
    name: 'Directory listing enabled',
    category: 'CATEGORY_LOW',
    score: 3.1,
    summary: 'The web server lists the contents of a directory that has no index page.',
    hosts: [10],
    isVerified: true,
    location: '80/backup/',
    evidence: '<title>Index of /backup/</title>\u001b[31m\u0000\u202e <a href="dump.sql">',
    priority: 15,
  },
  {
    name: 'FTP without TLS encryption',
    category: 'CATEGORY_LOW',
    score: 3.7,
    summary: 'The FTP server transfers credentials and files in plaintext.',
    hosts: [11],
    status: 'STATUS_IGNORED',
    isVerified: true,
    evidence: '220 ProFTPD 1.3.5 Server',
    priority: 18,
  },
]

/** The hosts of the sample by the last number of their address. */
const hosts: readonly ReportHost[] = [10, 11, 12, 13, 14].map((last) => ({
  address: `203.0.113.${last}`,
  ...(last < 12 && { name: `www${last - 9}.example.ch` }),
  services: [
    { port: 22, transport: 'tcp' as const, protocol: 'ssh', product: 'OpenSSH 8.9p1' },
    { port: last === 12 ? 6379 : 80, transport: 'tcp' as const, protocol: last === 12 ? 'redis' : 'http' },
  ],
  technologies: [
    { name: 'OpenSSH', version: '8.9p1' },
    { name: last === 12 ? 'Redis' : 'Apache HTTP Server', version: last === 12 ? '6.0.9' : '2.4.49' },
  ],
}))

/** Six hosts, seven open issues, and an ignored one. */
export const sample: ReportModel = {
  account: { name: 'Muster Gemüse AG' },
  generatedAt: '2026-09-19T06:00:00.000Z',
  scan,
  target: { name: target.name, address: target.address },
  previous: { completeTime: '2026-09-12T01:00:00.000Z', issueCount: { critical: 1, high: 4, medium: 6, low: 3 } },
  hosts,
  issues: sketches.map(toIssue),
}

function toIssue(sketch: Sketch, index: number): ReportIssue {
  const status = sketch.status ?? 'STATUS_OPEN'
  const firstSeenTime = '2026-07-02T01:00:00.000Z'
  const checkId = sketch.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  const issue = Issue.parse({
    id: id(100 + index),
    name: sketch.name,
    status,
    verification: sketch.isVerified ? 'VERIFICATION_VERIFIED' : 'VERIFICATION_UNVERIFIED',
    priority: sketch.priority,
    quality: sketch.isVerified ? 99 : 50,
    threat: {
      id: id(200 + index),
      name: sketch.name,
      summary: sketch.summary,
      impact: sketch.impact ?? '',
      affected: '',
      insight: '',
      severity: { cvss: sketch.cvss ?? '', score: sketch.score, category: sketch.category },
      ...(sketch.solution && { solution: { kind: 'KIND_VENDOR_FIX', description: sketch.solution } }),
      references: sketch.cve
        ? [
            { cve: sketch.cve },
            { url: `https://nvd.nist.gov/vuln/detail/${sketch.cve}` },
            { url: 'javascript:alert(1)' },
          ]
        : [],
      ...(sketch.epss && { epss: { score: sketch.epss, percentile: 0.99 } }),
      ...(sketch.knownExploited && { knownExploited: { addTime: sketch.knownExploited } }),
    },
    affectedHosts: sketch.hosts.map((last) => ({
      target,
      host: {
        ...target,
        address: `203.0.113.${last}`,
        inventory: [],
        name: last < 12 ? `www${last - 9}.example.ch` : undefined,
      },
      status,
      history: [],
      firstSeenTime,
      lastSeenTime: time,
      ...(status === 'STATUS_IGNORED' && { ignored: { reason: 'REASON_ACCEPTED_RISK' } }),
      evidence: [
        {
          location: sketch.location ?? '21',
          method: sketch.isVerified ? checkId : 'version',
          quality: sketch.isVerified ? 99 : 50,
          request: sketch.request,
          text: sketch.evidence,
          time,
        },
      ],
    })),
    history: [],
    firstSeenTime,
    lastSeenTime: time,
    ...(status === 'STATUS_IGNORED' && {
      ignoreTime: '2026-08-12T09:30:00.000Z',
      ignored: {
        reason: 'REASON_ACCEPTED_RISK',
        comment: 'Replaced in winter.',
        actor: 'Nora Ammann',
        untilTime: '2026-12-31T00:00:00.000Z',
      },
    }),
  })
  return { ...issue, threatKey: sketch.cve ?? checkId }
}
