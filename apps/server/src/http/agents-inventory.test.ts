import { getAgentInventory, listAgentPackages } from '@glacis/contract/agent'
import { getHost } from '@glacis/contract/host'
import { listIssues, getIssue } from '@glacis/contract/issue'
import type { InventoryItem } from '@glacis/contract/machine'
import type { Observation } from '@glacis/contract/runner'
import { parseFormattedString, toWfn } from '@glacis/intelligence'
import { beforeAll, describe, expect, it } from 'vitest'
import { host, openAgents, service } from '#testing/agents.ts'
import { matchChangedThreats } from '#scans/index.ts'

const { server, scanning, asMe, asAgent, newAgent, connectWith, waitingScan, planned, leaseJob, report } = openAgents()

const address = '127.61.7.1'
const machine = {
  systemId: 'debian',
  systemVersion: '12',
  systemName: 'Debian GNU/Linux 12 (bookworm)',
  kernel: '6.1.0-40-amd64',
  addresses: [address, '::1'],
}
const packageItem = (name: string, version: string, source = name, sourceVersion = version): InventoryItem => ({
  kind: 'package',
  manager: 'dpkg',
  name,
  version,
  architecture: 'amd64',
  source,
  sourceVersion,
})
const [old, fixed] = ['3.0.17-1~deb12u2', '3.0.17-1~deb12u3']
const openssl = packageItem('openssl', old)
const libssl = packageItem('libssl3', old, 'openssl')
const opensshVersion = '1:9.2p1-2+deb12u7'
const openssh = packageItem('openssh-server', opensshVersion, 'openssh')
const socket: InventoryItem = { kind: 'socket', transport: 'tcp', address: '0.0.0.0', port: 22, process: 'sshd' }
const container: InventoryItem = {
  kind: 'container',
  id: 'c0ffee',
  name: 'web',
  image: 'nginx:1.27',
  imageId: 'sha256:1234',
  ports: [8080],
}
const ofOpenssl = 'CVE-2025-15467'
const ofOpenssh = 'CVE-2023-38408'
const wfn = toWfn(parseFormattedString('cpe:2.3:a:openbsd:openssh:9.2:p1:*:*:*:*:*:*') ?? raise())
const ssh: Observation = {
  kind: 'technology',
  address,
  port: 22,
  transport: 'tcp',
  name: 'OpenSSH',
  wfn,
  evidence: 'SSH-2.0-OpenSSH_9.2p1',
  quality: 80,
}
function raise(): never {
  throw new Error('not a name')
}

beforeAll(async () => {
  const cpeMatch = [
    { vulnerable: true, criteria: 'cpe:2.3:a:openbsd:openssh:*:*:*:*:*:*:*:*', versionEndExcluding: '9.3' },
  ]
  const nodes = [{ operator: 'OR', negate: false, cpeMatch }]
  const record = { id: ofOpenssh, isRejected: false, configurations: [{ operator: 'OR', negate: false, nodes }] }
  const products = [{ vendor: 'openbsd', product: 'openssh' }]
  await server().addThreats(
    { key: ofOpenssl, kind: 'cve', name: 'Out-of-bounds write in CMS' },
    { key: ofOpenssh, kind: 'cve', name: 'Remote code execution in ssh-agent', record, hasCriteria: true, products },
  )
  await addFix(ofOpenssl, 'openssl', fixed)
  await addFix(ofOpenssh, 'openssh', '1:9.2p1-2+deb12u1')
})

async function addFix(key: string, name: string, fixedVersion: string): Promise<void> {
  const product = name === 'openssh' ? 'openbsd:openssh' : 'openssl:openssl'
  const row = { key, package: name, product, release: 'debian:12', fixed_version: fixedVersion, origin: name }
  await server().database.owner.insertInto('distribution_fix').values(row).execute()
}

async function agentWithInventory() {
  const { id, token } = await newAgent()
  await turn(id, true)
  const { key } = (await connectWith(token)).body
  return { id, key }
}
const turn = (id: string, inventory: boolean) =>
  asMe('PATCH', `/v1/agents/${id}`, { agent: { inventory }, updateMask: { paths: ['inventory'] } })
const send = (key: string, digest: string, part: object) =>
  asAgent<{ isFullNeeded: boolean }>(key, 'POST', '/v1/agent/inventory', {
    digest,
    isLast: true,
    machine,
    removed: [],
    added: [],
    ...part,
  })
const isFullNeeded = async (...part: Parameters<typeof send>) => (await send(...part)).body.isFullNeeded
async function scan(key: string, targetId: string, observations: Observation[]): Promise<void> {
  await planned(targetId)
  const job = await leaseJob(key)
  expect((await report(key, job.id, [host(address), service(address), ...observations])).status).toBe(200)
}
async function issues() {
  const { body } = await asMe('GET', '/v1/issues?orderBy=ORDER_BY_OLDEST')
  return listIssues.result.parse(body).issues.map(({ id, threat, status, verification, quality }) => ({
    id,
    name: threat?.name,
    status,
    verification,
    quality,
  }))
}
const one = async (id: string) => getIssue.result.parse((await asMe('GET', `/v1/issues/${id}`)).body).issue
const packagesOf = async (id: string, query = '') =>
  listAgentPackages.result.parse((await asMe('GET', `/v1/agents/${id}/packages${query}`)).body).packages
const inventoryOf = async (id: string) =>
  getAgentInventory.result.parse((await asMe('GET', `/v1/agents/${id}/inventory`)).body).inventory

describe('the inventory of an agent', () => {
  it('SEC-F4 is off by default, and is deleted when it is turned off', async () => {
    const { id, token } = await newAgent()
    const { key } = (await connectWith(token)).body
    const beat = () => asAgent<{ inventory: boolean }>(key, 'POST', '/v1/agent/heartbeat', { time: new Date() })
    expect((await beat()).body.inventory).toBe(false)
    expect((await send(key, 'a', { added: [openssl] })).status).toBe(409)
    await turn(id, true)
    expect((await beat()).body.inventory).toBe(true)
    expect(await inventoryOf(id)).toBeUndefined()
    expect((await send(key, 'a', { added: [openssl] })).status).toBe(200)
    expect(await inventoryOf(id)).toMatchObject({ packageCount: 1 })
    await turn(id, false)
    expect(await inventoryOf(id)).toBeUndefined()
    expect(await packagesOf(id)).toEqual([])
  })

  it('is replaced in parts, then changed by differences; repeated parts have no effect', async () => {
    const { id, key } = await agentWithInventory()
    expect(await isFullNeeded(key, 'a', { isLast: false, added: [openssl, libssl] })).toBe(false)
    expect(await inventoryOf(id)).toBeUndefined()
    expect(await isFullNeeded(key, 'b', { base: 'a', added: [openssh, socket, container] })).toBe(false)
    const { kind: _, ...listening } = socket
    const { kind: __, ...running } = container
    expect(await inventoryOf(id)).toMatchObject({
      system: 'Debian GNU/Linux 12 (bookworm)',
      isMatched: true,
      packageCount: 3,
      sockets: [listening],
      containers: [running],
      hosts: [],
    })
    const change = { base: 'b', removed: [openssl, socket], added: [packageItem('openssl', fixed)] }
    expect(await isFullNeeded(key, 'c', change)).toBe(false)
    expect(await isFullNeeded(key, 'c', change)).toBe(false)
    expect((await packagesOf(id)).map(({ name, version }) => `${name} ${version}`)).toEqual([
      `libssl3 ${old}`,
      `openssh-server ${opensshVersion}`,
      `openssl ${fixed}`,
    ])
    expect(await inventoryOf(id)).toMatchObject({ sockets: [] })
    expect(await isFullNeeded(key, 'e', { base: 'd', removed: [libssl] })).toBe(true)
    expect(await inventoryOf(id)).toMatchObject({ packageCount: 3 })
    expect(await isFullNeeded(key, 'f', { added: [openssl] })).toBe(false)
    expect(await inventoryOf(id)).toMatchObject({ packageCount: 1, containers: [] })
  })

  it('lists vulnerable packages first and finds packages by name', async () => {
    const { id, key } = await agentWithInventory()
    await send(key, 'a', { added: [packageItem('adduser', '3.134'), libssl, openssl, openssh] })
    expect((await packagesOf(id)).map(({ name, vulnerabilities }) => [name, vulnerabilities.length])).toEqual([
      ['libssl3', 1],
      ['openssl', 1],
      ['adduser', 0],
      ['openssh-server', 0],
    ])
    expect(await packagesOf(id, '?filter.query=ADD')).toMatchObject([{ name: 'adduser' }])
    expect(await packagesOf(id, '?filter.query=openssl')).toMatchObject([
      { vulnerabilities: [{ key: ofOpenssl, fixedVersion: fixed, category: 'CATEGORY_HIGH' }] },
    ])
    const first = listAgentPackages.result.parse((await asMe('GET', `/v1/agents/${id}/packages?pageSize=3`)).body)
    expect(first.totalSize).toBe(4)
    const rest = await packagesOf(id, `?pageSize=3&pageToken=${first.nextPageToken}`)
    expect(rest.map(({ name }) => name)).toEqual(['openssh-server'])
  })

  it('rejects more packages than the limit', async () => {
    const { key } = await agentWithInventory()
    const added = Array.from({ length: 2001 }, (_, index) => packageItem(`p${index}`, '1'))
    expect((await send(key, 'a', { added })).status).toBe(400)
  })
})

describe('issues of packages', () => {
  it('are potential, name the fixed version, and are resolved by an upgrade', async () => {
    const { id, key } = await agentWithInventory()
    const { targetId } = await waitingScan(id, address)
    const job = await leaseJob(key)
    await report(key, job.id, [host(address), service(address)])
    await send(key, 'a', { added: [openssl, libssl] })
    const [issue] = await issues()
    expect(issue).toMatchObject({
      name: 'Out-of-bounds write in CMS',
      status: 'STATUS_OPEN',
      verification: 'VERIFICATION_UNVERIFIED',
      quality: 97,
    })
    const { affectedHosts } = await one(issue?.id ?? '')
    expect(affectedHosts).toMatchObject([
      { evidence: [{ method: 'package', text: `Packages libssl3, openssl ${old}, fixed in ${fixed}` }] },
    ])
    const hostId = affectedHosts[0]?.host.id ?? ''
    expect(getHost.result.parse((await asMe('GET', `/v1/hosts/${hostId}`)).body).host.inventoryAgentId).toBe(id)
    expect(await inventoryOf(id)).toMatchObject({ hosts: [{ id: hostId, address }], vulnerablePackageCount: 2 })
    // A scan doesn't report packages, so it changes nothing.
    await scan(key, targetId, [])
    expect(await issues()).toMatchObject([{ status: 'STATUS_OPEN' }])
    const upgraded = [packageItem('openssl', fixed), packageItem('libssl3', fixed, 'openssl')]
    await send(key, 'b', { base: 'a', removed: [openssl, libssl], added: upgraded })
    const resolved = await one(issue?.id ?? '')
    expect(resolved.status).toBe('STATUS_RESOLVED')
    expect(resolved.history?.at(-1)).toMatchObject({ reason: `Package openssl was upgraded to ${fixed}` })
    // A downgrade is a regression.
    await send(key, 'c', { base: 'b', removed: upgraded, added: [openssl] })
    expect(await issues()).toMatchObject([{ status: 'STATUS_REGRESSION' }])
    await turn(id, false)
    expect(await one(issue?.id ?? '')).toMatchObject({ status: 'STATUS_RESOLVED' })
  })

  it('are raised when a scan finds the host after the inventory, and when an advisory changes', async () => {
    const { id, key } = await agentWithInventory()
    await send(key, 'a', { added: [openssl, packageItem('zlib1g', '1:1.2.13.dfsg-1', 'zlib')] })
    expect(await issues()).toEqual([])
    const { targetId } = await waitingScan(id, address)
    const job = await leaseJob(key)
    await report(key, job.id, [host(address), service(address)])
    expect(await issues()).toMatchObject([{ name: 'Out-of-bounds write in CMS' }])
    await server().addThreats({ key: 'CVE-2023-45853', kind: 'cve', name: 'Overflow in MiniZip' })
    await addFix('CVE-2023-45853', 'zlib', '1:1.2.13.dfsg-1+deb12u1')
    await matchChangedThreats(scanning(), new AbortController().signal)
    expect((await issues()).map(({ name, status }) => [name, status])).toEqual([
      ['Out-of-bounds write in CMS', 'STATUS_OPEN'],
      ['Overflow in MiniZip', 'STATUS_OPEN'],
    ])
    await asMe('DELETE', `/v1/targets/${targetId}`)
  })

  it('decide about software that was recognized by its banner', async () => {
    const { id, key } = await agentWithInventory()
    const { targetId } = await waitingScan(id, address)
    const job = await leaseJob(key)
    await report(key, job.id, [host(address), service(address), ssh])
    const [guess] = await issues()
    expect(guess).toMatchObject({ name: 'Remote code execution in ssh-agent', status: 'STATUS_OPEN', quality: 80 })
    await send(key, 'a', { added: [openssh] })
    const resolved = await one(guess?.id ?? '')
    expect(resolved.status).toBe('STATUS_RESOLVED')
    expect(resolved.history?.at(-1)).toMatchObject({
      reason: `Package openssh-server ${opensshVersion} includes the distribution's fix`,
    })
    await scan(key, targetId, [ssh])
    expect(await one(guess?.id ?? '')).toMatchObject({ status: 'STATUS_RESOLVED' })
  })

  it.each([
    ['in another version', [packageItem('openssh-server', '1:9.6p1-1+deb12u7', 'openssh')]],
    ['in a container', [openssh, { ...container, ports: [22] }]],
  ])("don't decide about software %s", async (_, added) => {
    const { id, key } = await agentWithInventory()
    await waitingScan(id, address)
    const job = await leaseJob(key)
    await report(key, job.id, [host(address), service(address), ssh])
    await send(key, 'a', { added })
    expect(await issues()).toMatchObject([{ name: 'Remote code execution in ssh-agent', status: 'STATUS_OPEN' }])
  })

  it('are not raised on the same address in a target of another agent', async () => {
    const first = await agentWithInventory()
    await waitingScan(first.id, address)
    const job = await leaseJob(first.key)
    await report(first.key, job.id, [host(address), service(address)])
    const second = await agentWithInventory()
    await send(second.key, 'a', { added: [openssl] })
    expect(await issues()).toEqual([])
  })
})
