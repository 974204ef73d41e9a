/** Labels for products. */
import type { Product, Wfn } from '@glacis/contract/product'
import { formatDay } from '#lib/swiss-date.ts'
import type { BadgeVariant } from '#ui/badge.tsx'

const partLabels: Readonly<Record<string, string>> = { a: 'Application', o: 'Operating system', h: 'Hardware' }

export function partLabel({ part }: Pick<Wfn, 'part'>): string {
  return partLabels[part] ?? 'Unknown'
}

/** The label of a WFN attribute: `*` and empty mean any, `-` means not applicable. */
export function attributeLabel(value: string): string {
  if (value === '' || value === '*') return 'any'
  return value === '-' ? 'not applicable' : value
}

const vendorNames: Readonly<Record<string, string>> = {
  f5: 'F5',
  hp: 'HP',
  ibm: 'IBM',
  isc: 'ISC',
  vmware: 'VMware',
  php: 'PHP',
  gnu: 'GNU',
  nodejs: 'Node.js',
  'node.js': 'Node.js',
  jquery: 'jQuery',
  openbsd: 'OpenBSD',
  freebsd: 'FreeBSD',
  netbsd: 'NetBSD',
  openssl: 'OpenSSL',
  openvpn: 'OpenVPN',
  openjsf: 'OpenJS Foundation',
  mysql: 'MySQL',
  mariadb: 'MariaDB',
  mongodb: 'MongoDB',
  postgresql: 'PostgreSQL',
  sqlite: 'SQLite',
  proftpd: 'ProFTPD',
  rabbitmq: 'RabbitMQ',
  gitlab: 'GitLab',
  github: 'GitHub',
  wordpress: 'WordPress',
  d_link: 'D-Link',
  dlink: 'D-Link',
  tp_link: 'TP-Link',
  'tp-link': 'TP-Link',
  qnap: 'QNAP',
  sap: 'SAP',
}

/** The display name of a WFN vendor: `apache_software` → "Apache Software". */
export function vendorName(vendor: string): string {
  const name = vendor.replaceAll('\\', '')
  if (name === '' || name === '*' || name === '-') return ''
  return (
    vendorNames[name] ??
    name
      .split('_')
      .map((word) => vendorNames[word] ?? word.charAt(0).toUpperCase() + word.slice(1))
      .join(' ')
  )
}

const supportStates = {
  STATE_UNKNOWN: { word: 'Unknown', variant: 'gray' },
  STATE_SUPPORTED: { word: 'Supported', variant: 'green' },
  STATE_SOON: { word: 'Ends', variant: 'yellow' },
  STATE_PAST: { word: 'Ended', variant: 'red' },
} as const satisfies Record<string, { readonly word: string; readonly variant: BadgeVariant }>

/** The support status in words, with the date if it's known, and its color. */
export function supportStatus({ endOfLife }: Pick<Product, 'endOfLife'>) {
  if (!endOfLife) return undefined
  const { word, variant } = supportStates[endOfLife.state]
  const until = endOfLife.state === 'STATE_SUPPORTED' ? ' until' : ''
  return { word, text: endOfLife.date ? `${word}${until} ${formatDay(endOfLife.date)}` : word, variant }
}
