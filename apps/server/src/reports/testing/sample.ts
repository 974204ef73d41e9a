/** A report as a scan of a small network would give it, with text that hostile hosts might send. */
import { Issue } from '@glacis/contract/issue'
import { Scan } from '@glacis/contract/scan'
import { Target } from '@glacis/contract/target'
import type { ReportHost, ReportModel } from '../model.ts'

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
      'A change to path normalisation lets encoded dots leave the directories that are mapped to addresses, where these are not protected by "Require all denied".',
    impact: 'Files of the server can be read; where CGI is enabled, commands can be run. It is used in the wild.',
    solution: 'Update to 2.4.51 or later; 2.4.50 is not enough.',
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
    name: 'Redis without authentication',
    category: 'CATEGORY_CRITICAL',
    score: 9.8,
    summary: 'The database answers commands of anybody who reaches its port.',
    impact: 'All data can be read and changed, and through the configuration code be run on the host.',
    solution: 'Set a password or access lists, bind the server to inner addresses and close port 6379 to strangers.',
    isVerified: true,
    status: 'STATUS_REGRESSION',
    hosts: [12],
    location: '6379',
    request: 'INFO server',
    evidence: 'redis_version:6.0.9\r\nredis_mode:standalone\r\nos:Linux 5.10 x86_64\r\ntcp_port:6379',
    priority: 91,
  },
  {
    name: 'Exposed environment file with credentials',
    category: 'CATEGORY_HIGH',
    score: 7.5,
    summary: 'The settings of an application are served as a file.',
    impact: 'Passwords and keys in it can be read by everybody.',
    solution: 'Remove the file from the published directory, and change every password and key in it.',
    isVerified: true,
    hosts: [10],
    location: '80/.env',
    request: 'GET /.env HTTP/1.1',
    evidence: `APP_KEY=base64:••••••••\nDB_PASSWORD=••••••••\nTOKEN=${'a1b2c3d4'.repeat(24)}`,
    priority: 64,
  },
  {
    name: 'OpenSSH: race in the signal handler of sshd ("regreSSHion")',
    cve: 'CVE-2024-6387',
    category: 'CATEGORY_HIGH',
    score: 8.1,
    cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:H',
    summary: 'When a client does not log in in time, sshd runs code in a signal handler that is not safe there.',
    impact: 'A patient attacker without an account may run code as root.',
    solution: 'Update to OpenSSH 9.8p1, or to the package in which the distribution has fixed it.',
    hosts: [10, 11, 13],
    location: '22',
    evidence: 'openbsd openssh 8.9p1 is in ≥ 8.6, < 9.8.',
    epss: 0.42,
    priority: 40,
  },
  {
    name: 'nginx: one byte overwritten by a DNS answer',
    cve: 'CVE-2021-23017',
    category: 'CATEGORY_HIGH',
    score: 7.7,
    summary: 'The resolver writes one byte past its buffer when a crafted answer arrives.',
    solution: 'Update to nginx 1.20.1, 1.21.0 or later.',
    hosts: [13],
    location: '443',
    evidence: 'f5 nginx 1.18.0 is in ≥ 0.6.18, < 1.20.1.',
    epss: 0.71,
    priority: 43,
  },
  {
    name: 'TLS 1.0 and 1.1 accepted',
    category: 'CATEGORY_MEDIUM',
    score: 4.8,
    summary: 'The server still speaks versions of TLS that are no longer considered safe.',
    solution: 'Accept TLS 1.2 and 1.3 only.',
    isVerified: true,
    hosts: [13],
    location: '443',
    evidence: 'TLSv1 handshake completed with ECDHE-RSA-AES128-SHA',
    priority: 24,
  },
  {
    name: 'Directory listing',
    category: 'CATEGORY_LOW',
    score: 3.1,
    summary: 'The web server lists the files of a directory.',
    hosts: [10],
    isVerified: true,
    location: '80/backup/',
    evidence: '<title>Index of /backup/</title>\u001b[31m\u0000\u202e <a href="dump.sql">',
    priority: 15,
  },
  {
    name: 'Cleartext FTP',
    category: 'CATEGORY_LOW',
    score: 3.7,
    summary: 'Passwords and files travel unencrypted.',
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

/** Six hosts, seven open issues and an ignored one. */
export const sample: ReportModel = {
  account: { name: 'Muster Gemüse AG' },
  generatedAt: '2026-09-19T06:00:00.000Z',
  scan,
  target: { name: target.name, address: target.address },
  previous: { completeTime: '2026-09-12T01:00:00.000Z', issueCount: { critical: 1, high: 4, medium: 6, low: 3 } },
  hosts,
  issues: sketches.map(toIssue),
}

function toIssue(sketch: Sketch, index: number): Issue {
  const status = sketch.status ?? 'STATUS_OPEN'
  const firstSeenTime = '2026-07-02T01:00:00.000Z'
  return Issue.parse({
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
      evidence: [
        {
          location: sketch.location ?? '21',
          method: sketch.isVerified ? sketch.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-') : 'version',
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
  })
}
