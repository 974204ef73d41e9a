import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { matchProduct, parseCpe, productKeys, readDistributionFixes, readNvd, scoreOf, toWfn } from '@glacis/intelligence'

const folder = import.meta.dirname
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => readFileSync(join(folder, name), 'utf8'))
const items = await Promise.all(files.map((file) => Array.fromAsync(readNvd([file]))))
const threats = items.flat().flatMap((item) => (item.kind === 'threat' ? [item.threat] : []))
const skipped = items.flat().filter((item) => item.kind === 'skipped')
const byId = new Map(threats.map((threat) => [threat.id, threat]))

it('reads every record, each once', () => {
  expect(skipped).toEqual([])
  expect(threats.length).toBeGreaterThanOrEqual(300)
  expect(byId.size).toBe(threats.length)
})

it('reads every rating', () => {
  const ratings = files.join('').match(/"vectorString":/g)
  expect(threats.flatMap(({ metrics }) => metrics)).toHaveLength(ratings?.length ?? 0)
})

describe.each(threats)('$id', (threat) => {
  it('has criteria, descriptions, and a solution', () => {
    expect(productKeys(threat).length).toBeGreaterThan(0)
    for (const text of [threat.name, threat.summary, threat.impact, threat.affected, threat.solution?.description]) {
      expect(text).toMatch(/\S/)
    }
    expect(threat.publishTime).toMatch(/^\d{4}-/)
  })
  it('has scores that match their vectors', () => {
    expect(threat.metrics.length).toBeGreaterThan(0)
    for (const { vector, score } of threat.metrics) expect(scoreOf(vector)).toBe(score)
  })
})

it.each([
  ['apache:http_server:2.4.49:*', ['CVE-2021-41773', 'CVE-2021-42013'], ['CVE-2021-40438']],
  ['apache:http_server:2.4.66:*', [], ['CVE-2021-41773', 'CVE-2024-38475']],
  ['openbsd:openssh:8.9:p1', ['CVE-2024-6387', 'CVE-2023-38408'], ['CVE-2018-15473']],
  ['openbsd:openssh:9.9:p2', [], ['CVE-2024-6387', 'CVE-2023-38408', 'CVE-2025-26465']],
  ['nginx:nginx:1.18.0:*', ['CVE-2021-23017', 'CVE-2023-44487'], ['CVE-2017-7529', 'CVE-2013-2028']],
  ['redislabs:redis:6.0.9:*', ['CVE-2025-49844', 'CVE-2021-32762'], []],
  ['proftpd:proftpd:1.3.5:*', ['CVE-2015-3306', 'CVE-2019-12815'], ['CVE-2010-4221']],
  ['vsftpd_project:vsftpd:2.3.4:*', ['CVE-2011-2523'], []],
  ['vsftpd_project:vsftpd:3.0.3:*', ['CVE-2021-30047'], ['CVE-2011-2523']],
  ['grafana:grafana:8.2.0:*', ['CVE-2021-43798'], ['CVE-2024-9264']],
  ['openssl:openssl:1.0.1f:*', ['CVE-2014-0160', 'CVE-2014-0224'], ['CVE-2022-3602']],
  ['openssl:openssl:1.0.1g:*', ['CVE-2014-0224'], ['CVE-2014-0160']],
  ['vitejs:vite:6.2.2:*', ['CVE-2025-30208', 'CVE-2025-31125', 'CVE-2025-31486'], []],
  ['zkoss:zk_framework:9.6.0.1:*', ['CVE-2022-36537'], []],
  ['zkoss:zk_framework:9.6.0.2:*', [], ['CVE-2022-36537']],
  ['paramiko:paramiko:2.4.0:*', ['CVE-2018-7750'], []],
  ['paramiko:paramiko:2.4.1:*', [], ['CVE-2018-7750']],
  ['asyncssh_project:asyncssh:1.12.0:*', ['CVE-2018-7749'], []],
  ['asyncssh_project:asyncssh:2.14.2:*', [], ['CVE-2018-7749']],
  ['orientdb:orientdb:2.2.10:*', ['CVE-2017-11467'], []],
  ['dena:h2o:2.2.4:*', ['CVE-2018-0608'], []],
  ['dena:h2o:2.2.5:*', [], ['CVE-2018-0608']],
  ['djangoproject:django:3.2.4:*', ['CVE-2021-35042'], []],
  ['apache:log4j:2.14.1:*', ['CVE-2021-44228'], []],
  ['apache:log4j:2.17.1:*', [], ['CVE-2021-44228', 'CVE-2021-45046']],
  ['apache:log4j:2.3.2:*', [], ['CVE-2021-44228', 'CVE-2021-45046']],
  ['nginx:nginx:1.12.1:*', [], ['CVE-2017-7529']],
  ['wordpress:wordpress:4.7.2:*', [], ['CVE-2017-1001000']],
  ['mariadb:mariadb:5.3.6:*', [], ['CVE-2012-2122']],
  ['jenkins:jenkins:2.426.3:*', [], ['CVE-2024-23897']],
  ['jenkins:jenkins:2.46:*', ['CVE-2017-1000353', 'CVE-2018-1000861'], []],
  ['jenkins:jenkins:2.46.2:*', ['CVE-2018-1000861'], ['CVE-2017-1000353']],
  ['jenkins:jenkins:2.138.4:*', [], ['CVE-2017-1000353', 'CVE-2018-1000861']],
  ['jenkins:jenkins:2.150:*', ['CVE-2018-1000861'], []],
  ['jenkins:jenkins:2.150.1:*', [], ['CVE-2018-1000861']],
  ['atlassian:confluence_server:7.13.6:*', ['CVE-2022-26134'], ['CVE-2023-22515']],
  ['isc:bind:9.9.7-p1:*', ['CVE-2015-5477'], []],
  ['isc:bind:9.9.7-p2:*', [], ['CVE-2015-5477']],
  ['isc:bind:9.9.8:*', [], ['CVE-2015-5477']],
  ['isc:bind:9.10.2-p2:*', ['CVE-2015-5477'], []],
  ['isc:bind:9.10.2-p3:*', [], ['CVE-2015-5477']],
  ['o:mikrotik:routeros:6.40.7:*', ['CVE-2018-14847'], []],
  ['o:mikrotik:routeros:6.40.8:*', [], ['CVE-2018-14847']],
  ['o:mikrotik:routeros:6.42:*', ['CVE-2018-14847'], []],
  ['o:cisco:ios_xe:17.6.6:*', ['CVE-2023-20198'], []],
  ['o:cisco:ios_xe:17.6.6a:*', [], ['CVE-2023-20198']],
  ['o:cisco:ios_xe:17.6.7:*', [], ['CVE-2023-20198']],
])('%s matches %j and not %j', (text, yes, no) => {
  const name = parseCpe(`cpe:2.3:${text.startsWith('o:') ? '' : 'a:'}${text}:*:*:*:*:*:*`)
  const product = { wfn: name ? toWfn(name) : missing(text), quality: 80 }
  const kindOf = (id: string) => matchProduct(product, byId.get(id) ?? missing(id), []).kind
  expect(yes.filter((id) => kindOf(id) !== 'match')).toEqual([])
  expect(no.filter((id) => kindOf(id) !== 'no_match')).toEqual([])
})

it('recognizes fixes backported by Debian', () => {
  const document = JSON.parse(readFileSync(join(folder, '../distributions/debian-12.json'), 'utf8'))
  const distributionFixes = readDistributionFixes([document])
  const name = parseCpe('cpe:2.3:a:openbsd:openssh:9.2:p1:*:*:*:*:*:*') ?? missing('openssh')
  const product = { wfn: toWfn(name), quality: 80, revision: 'Debian-2+deb12u10' }
  const threat = byId.get('CVE-2024-6387') ?? missing('CVE-2024-6387')
  expect(matchProduct(product, threat, [], { distributionFixes })).toMatchObject({ reason: 'fixed_by_distribution' })
})

function missing(what: string): never {
  throw new Error(`missing: ${what}`)
}
