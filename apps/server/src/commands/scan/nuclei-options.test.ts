import type { CheckInfo } from '@glacis/scanner'
import { expect, it } from 'vitest'
import { filterOf, scanOptionsOf, selectedChecks } from '#commands/scan/nuclei-options.ts'

const none = { var: [], header: [], resolver: [], tags: [], severity: [], id: [], 'as-nuclei': false }
const check = (id: string, severity: string, ...tags: string[]): CheckInfo => ({
  id,
  severity,
  tags,
  name: id,
  threat: id,
  cvss: '',
  score: null,
  summary: '',
  impact: '',
  remediation: '',
  references: [],
  cves: [],
  quality: 99,
})
const checks = [check('git-config', 'medium', 'exposure'), check('CVE-2024-1', 'high', 'cve', 'rce')]

it.each([
  [{}, undefined],
  [{ tags: ['exposure,rce'] }, ['git-config', 'CVE-2024-1']],
  [{ severity: ['HIGH'] }, ['CVE-2024-1']],
  [{ id: ['cve-2024-*'] }, ['CVE-2024-1']],
  [{ tags: ['exposure'], severity: ['high'] }, []],
])('selects checks by %j', (values, ids) => {
  expect(selectedChecks(checks, filterOf({ ...none, ...values }))).toEqual(ids)
})

it('reads variables, headers, resolvers, and the server name', () => {
  const values = { var: ['a=b=c'], header: ['X-Test: 1: 2'], resolver: ['127.0.0.1:5300'], sni: 'other.test' }
  expect(scanOptionsOf({ ...none, ...values })).toEqual({
    suppliedValues: new Map([['a', 'b=c']]),
    headers: { 'X-Test': '1: 2' },
    resolvers: ['127.0.0.1:5300'],
    serverName: 'other.test',
    acceptsEveryMatch: false,
  })
})

it.each([
  [{ header: ['no colon'] }, /--header expects "Name: value"/],
  [{ header: ['A: b\r\nC: d'] }, /--header/],
  [{ resolver: ['dns.test'] }, /--resolver expects ADDRESS/],
  [{ var: ['=x'] }, /--var expects KEY=VALUE/],
])('rejects %j', (values, message) => {
  expect(() => scanOptionsOf({ ...none, ...values })).toThrow(message)
})

it('rejects an unknown severity', () => {
  expect(() => filterOf({ ...none, severity: ['severe'] })).toThrow(/Unknown severity 'severe'.*critical/)
})
