/** Examples for the OpenAPI document: what a member may look like, made from its schema and its name. */

type Json = { readonly [key: string]: unknown }

const id = '0199c0de-7a10-7c3e-9f00-5b1e6a2d4c01'
const time = '2026-09-20T10:15:00Z'

/** By the name of the member, where a plausible word says more than the schema. */
const byName: Readonly<Record<string, unknown>> = {
  name: 'Web front',
  address: 'app.example.ch',
  email: 'anna@example.ch',
  webhookUrl: 'https://hooks.example.ch/glacis',
  url: 'https://www.example.ch/advisory',
  query: 'apache',
  filename: 'report.pdf',
  cve: 'CVE-2021-41773',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  priority: 96,
  quality: 95,
  port: 443,
  color: 4,
  version: '2.4.49',
  vendor: 'apache',
  product: 'http_server',
  text: 'cpe:2.3:a:apache:http_server:2.4.49:*:*:*:*:*:*:*',
  title: 'Apache HTTP Server 2.4.49 path traversal',
  summary: 'Crafted paths leave the document root.',
  comment: 'Agreed with the owner',
  message: 'Completed: 6 hosts scanned',
  error: '',
  redirectUrl: '',
  nextPageToken: '',
  failureReason: '',
  startedBy: 'Anna Muster',
  timeZone: 'Europe/Zurich',
  currencyCode: 'CHF',
  start: '22:00',
  end: '06:00',
  ports: '80,443,8000-8100',
  exclusions: ['203.0.113.7'],
  page: '/risks/verified',
  paths: ['name'],
  addresses: ['app.example.ch', '203.0.113.0/28'],
  normalized: '203.0.113.0/28',
  input: '203.0.113.0/28',
  ip: '198.51.100.7',
  pageSize: 50,
}

/** A value that the schema accepts. Optional members are shown too, so that a reader sees all there is. */
export function exampleOf(schema: unknown, name = '', depth = 0): unknown {
  if (typeof schema !== 'object' || schema === null) return null
  const of = schema as Json // a JSON schema is an object of keywords
  if ('const' in of) return of['const']
  const choices = [of['enum'], of['anyOf'], of['oneOf']].find(Array.isArray)
  if (Array.isArray(of['enum'])) return of['enum'][0]
  if (choices) return exampleOf(choices.find((one) => !isNull(one)) ?? choices[0], name, depth)
  if (Array.isArray(of['allOf'])) return Object.assign({}, ...of['allOf'].map((one) => exampleOf(one, name, depth)))
  switch (of['type']) {
    case 'object':
      return objectOf(of, depth)
    case 'array':
      return listOf(of, name, depth)
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return numberOf(of, name)
    case 'string':
      return textOf(of, name)
    default:
      return null
  }
}

function isNull(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'null'
}

function objectOf(schema: Json, depth: number): Json {
  const members = typeof schema['properties'] === 'object' && schema['properties'] !== null ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  // What nests in itself ends with what it must have.
  const shown = Object.entries(members).filter(([member]) => depth < 6 || required.includes(member))
  return Object.fromEntries(shown.map(([member, inner]) => [member, exampleOf(inner, member, depth + 1)]))
}

function listOf(schema: Json, name: string, depth: number): unknown[] {
  const fitting = byName[name]
  const isChoice = typeof schema['items'] === 'object' && schema['items'] !== null && 'enum' in schema['items']
  if (Array.isArray(fitting) && !isChoice) return fitting
  return schema['items'] === undefined ? [] : [exampleOf(schema['items'], singular(name), depth + 1)]
}

const singular = (name: string) => name.replace(/s$/, '')

function numberOf(schema: Json, name: string): number {
  const fitting = byName[name]
  const least = Number(schema['minimum'] ?? schema['exclusiveMinimum'] ?? 0)
  const most = Number(schema['maximum'] ?? schema['exclusiveMaximum'] ?? 100)
  if (typeof fitting === 'number') return Math.min(Math.max(fitting, least), most)
  return Math.min(Math.max(least, 1), most)
}

function textOf(schema: Json, name: string): string {
  const { format, pattern } = schema
  if (format === 'uuid') return id
  if (format === 'date-time') return time
  if (format === 'date') return '2027-06-30'
  if (format === 'uri') return String(byName['url'])
  if (typeof pattern === 'string' && pattern.includes('s$')) return '0.042s'
  if (/^(id|.*Id)$/.test(name)) return id
  if (/Time$|^time$/.test(name)) return time
  const fitting = byName[name]
  const text = typeof fitting === 'string' ? fitting : name || 'text'
  return text.padEnd(Number(schema['minLength'] ?? 0), 'x').slice(0, Number(schema['maxLength'] ?? 300))
}
