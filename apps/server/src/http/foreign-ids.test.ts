/** Every parameter of the contract that names an object, with an object of another workspace. */
import { type Endpoint, hasQuery, pathParameters } from '@glacis/contract/endpoint'
import { toQueryString } from '@glacis/contract/query-string'
import { sql } from 'kysely'
import { sample } from 'openapi-sampler'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod/mini'
import { newId } from '#database/index.ts'
import { fileCalls } from '#http/openapi-files.ts'
import type { Schema } from '#http/openapi-schemas.ts'
import { seedIssues } from '#testing/issues.ts'
import { statementsOf } from '#testing/statements.ts'
import { type Team, openTeam } from '#testing/team.ts'
import { openTestUsers } from '#testing/test-users.ts'

const users = await openTestUsers()
afterAll(() => users.close())
const { owner } = users.server.database

const nouns = [
  'target',
  'tag',
  'agent',
  'host',
  'product',
  'scan',
  'issue',
  'view',
  'channel',
  'delivery',
  'comment',
  'workspace',
  'invitation',
  'domain',
  'member',
  'token',
  'provisioning',
  /** A type and ID in the audit log. */
  'resource',
  /** Text that occurs in names only. */
  'query',
] as const
type Noun = (typeof nouns)[number]
type Objects = Readonly<Record<Noun, string>>
const otherNames: Readonly<Record<string, Noun>> = {
  replacementId: 'agent',
  owner: 'member',
  ownerIds: 'member',
  assigneeId: 'member',
  actorId: 'member',
  mentionIds: 'member',
}
/** Names that end like an ID, but don't name an object of a workspace. */
const notObjects: ReadonlySet<string> = new Set(['planId', 'clientId'])
/** The sign-in page finds a workspace's provider before anyone has signed in. */
const isPublic = ({ path }: Pick<Endpoint, 'path'>) => path === '/v1/sign-in-provider/find'
/** These calls count objects instead of naming them in an error. */
const counts: ReadonlySet<string> = new Set([
  '/v1/notification-channels/preview',
  '/v1/issues/batch/status',
  '/v1/issues/batch/update',
])

/** Additions that make the sample bodies valid: a change for each call with an update mask, and lists with items. */
const bodies: Readonly<Record<string, object>> = {
  'PATCH /v1/targets/:id': { name: 'x' },
  'PATCH /v1/tags/:id': { tag: { color: 1 } },
  'PATCH /v1/agents/:id': { agent: { name: 'x' } },
  'PATCH /v1/hosts/:id': { host: { owner: 'x' } },
  'PATCH /v1/products/:id': { product: { minNotificationSeverity: 5 } },
  'PATCH /v1/issues/:id': { issue: { dueTime: null } },
  'POST /v1/issues/batch/update': { issue: { dueTime: null } },
  'PATCH /v1/views/:id': { view: { name: 'x' } },
  'PATCH /v1/notification-channels/:id': { channel: { rule: { events: ['EVENT_ISSUE_OPENED'], minSeverity: 0 } } },
  'POST /v1/notification-channels': {
    channel: { kind: 'KIND_EMAIL', rule: { events: ['EVENT_ISSUE_OPENED'], minSeverity: 0 } },
  },
}

interface Parameter {
  readonly method: Endpoint['method']
  readonly path: string
  readonly schema: Schema
  /** Dotted path; `*` is an item of a list. */
  readonly name: string
}
const parameters: readonly Parameter[] = [...users.endpoints, ...fileCalls.values()]
  // Calls about the installation are forbidden to both, see installation.test.ts.
  .filter((call) => !call.path.startsWith('/v1/installation') && !isPublic(call))
  .flatMap(({ method, path, input }) => {
    const schema: Schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
    const names = [...idsIn(schema), ...(method === 'GET' && !path.includes(':') ? textsIn(path, schema) : [])]
    return names.map((name) => ({ method, path, schema, name }))
  })

let bert: Team
let foreign: Objects
let own: Objects
let before: object
beforeAll(async () => {
  const anna = await openTeam(users, 'anna')
  bert = await openTeam(users, 'bert')
  foreign = await createObjects(anna)
  own = await createObjects(bert)
  before = await rowsOf(foreign.workspace)
})

it.each(parameters)(
  'SEC-B1 SEC-B3 $method $path treats an object of another workspace in $name as unknown',
  async (parameter) => {
    const noun = nounOf(parameter)
    const unknown = await send(parameter, unknownOf(noun))
    const response = await send(parameter, foreign[noun])
    expect(response).toEqual(unknown)
    if (parameter.method === 'GET') expect(await send(parameter, own[noun])).not.toEqual(unknown)
    // Otherwise, the request was rejected before the object was looked up.
    else if (response.status !== 404 && !counts.has(parameter.path))
      expect(response.body).toMatch(/OBJECT|This user is not a member/)
  },
)

it('SEC-B1 changes nothing in the other workspace', async () => {
  expect(await rowsOf(foreign.workspace)).toEqual(before)
})

function unknownOf(noun: Noun): string {
  if (noun === 'resource') return `agent/${newId()}`
  return noun === 'member' || noun === 'query' ? 'xyzzy' : newId()
}

/** Sends a request as bert with this value; all other parameters name objects of bert's workspace. */
async function send({ method, path, schema, name }: Parameter, value: string) {
  const values: Record<string, unknown> = hasQuery(method)
    ? {}
    : Object(sample(Object(schema), { skipNonRequired: true, quiet: true }))
  const isMasked = 'updateMask' in values
  delete values['updateMask']
  Object.assign(values, structuredClone(bodies[`${method} ${path}`]))
  const inPath = pathParameters(path)
  for (const other of idsIn(schema)) {
    if (inPath.includes(other) || isAt(values, other.split('.')))
      assign(values, other.split('.'), own[nounOf({ path, name: other })])
  }
  assign(values, name.split('.'), value)
  const url = path.replaceAll(/:(\w+)/g, (_, key: string) => String(values[key]))
  for (const key of inPath) delete values[key]
  if (isMasked) values['updateMask'] = { paths: Object.keys(path === '/v1/targets/:id' ? values : firstOf(values)) }
  const request = {
    method,
    url: hasQuery(method) ? `${url}?${toQueryString(values as Parameters<typeof toQueryString>[0])}` : url,
    ...(!hasQuery(method) && { payload: values }),
  }
  let [status, text] = [0, '']
  const statements = await statementsOf(async () => {
    ;({ statusCode: status, body: text } = await bert.as('bert', request))
  })
  const body = text.replaceAll(value, 'OBJECT').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
  // Different statements would take a different time. `notify` is sent by a timer of the live events.
  const work = statements.flatMap((statement) => (statement.text.startsWith('notify ') ? [] : [statement.text]))
  return { status, body, work }
}

const firstOf = (values: object) => Object(Object.values(values)[0])

function isAt(value: unknown, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true
  if (typeof value !== 'object' || value === null) return false
  const key = first === '*' ? '0' : first
  return key in value && isAt(Reflect.get(value, key), rest)
}

function assign(values: object, [first = '', ...rest]: readonly string[], value: string): void {
  const key = first === '*' ? '0' : first
  if (rest.length === 0) {
    Reflect.set(values, key, value)
    return
  }
  if (!isAt(values, [key])) Reflect.set(values, key, rest[0] === '*' ? [] : {})
  assign(Object(Reflect.get(values, key)), rest, value)
}

/** @throws Error for a new kind of object: create one in `createObjects` */
function nounOf({ path, name }: Pick<Parameter, 'path' | 'name'>): Noun {
  const named = name.split('.').findLast((part) => part !== '*' && !/^ids?$/.test(part))
  const word = named ?? path.split('/')[2] ?? ''
  const other = otherNames[word]
  if (other) return other
  const [noun, ...more] = nouns.filter((candidate) => word.toLowerCase().includes(candidate))
  if (!noun || more.length > 0) throw new Error(`Which object does ${name} of ${path} name?`)
  return noun
}

function idsIn(schema: Schema): string[] {
  return stringsIn(schema).flatMap(({ name, last, format }) =>
    (format === 'uuid' || /^id$|Ids?$|^resource$/.test(last)) && !notObjects.has(last) ? [name] : [],
  )
}

/** Searches of the workspace's objects. */
function textsIn(path: string, schema: Schema): string[] {
  const isGlobal = path === '/v1/software'
  return stringsIn(schema).flatMap(({ name, last }) => (last === 'query' && !isGlobal ? [name] : []))
}

interface Text {
  readonly name: string
  /** The last member of the name. */
  readonly last: string
  readonly format: string | undefined
}
function stringsIn(schema: Schema, path: readonly string[] = []): Text[] {
  const { properties = {}, items, anyOf = [], type, format } = schema
  if (type === 'string') return [{ name: path.join('.'), last: path.findLast((part) => part !== '*') ?? '', format }]
  return [
    ...Object.entries(properties).flatMap(([name, member]) => stringsIn(Object(member), [...path, name])),
    ...(items ? stringsIn(Object(items), [...path, '*']) : []),
    ...anyOf.flatMap((option) => stringsIn(Object(option), path)),
  ]
}

async function createObjects(team: Team): Promise<Objects> {
  const at = new Date()
  const seeded = await seedIssues(users.server, team.workspace, { issues: 1, hosts: 1, at })
  const [target, host = '', issue = ''] = [seeded.targetId, seeded.hostIds[0], seeded.issueIds[0]]
  const query = `word${team.owner}`
  const post = async (path: string, payload: object) => {
    const response = await team.as(team.owner, { method: 'POST', url: `/v1/${path}`, payload })
    if (response.statusCode !== 200) throw new Error(`${path}: ${response.body}`)
    return z.object({ id: z.string() }).parse(firstOf(response.json<object>())).id
  }
  const agent = await post('agents', { agent: { name: query } })
  const ids: Objects = {
    target,
    host,
    issue,
    agent,
    query,
    workspace: team.workspace,
    member: team.owner,
    resource: `agent/${agent}`,
    tag: await post('tags', { tag: { name: query, color: 1 } }),
    product: await post('products', { name: query, wfn: { vendor: query, product: query } }),
    scan: await post('scans', { targetId: target }),
    view: await post('views', { view: { name: query, page: '/risks/verified', query: '' } }),
    channel: await post('notification-channels', { channel: { kind: 'KIND_EMAIL' } }),
    comment: await post(`issues/${issue}/comments`, { text: query }),
    invitation: await team.invite(`${team.owner}2@example.ch`),
    domain: await post('email-domains', { emailDomain: { domain: `${team.owner}.example`, role: 'viewer' } }),
    token: await post('api-tokens', { apiToken: { name: query, scopes: ['SCOPE_READ'] } }),
    provisioning: await post('provisioning/tokens', { token: { name: query } }),
    delivery: newId(),
  }
  await connect(ids, at)
  return ids
}

/** Connects the objects, so that each filter finds some of them. */
async function connect(ids: Objects, at: Date): Promise<void> {
  const statements = [
    sql`update target set name = ${ids.query}, agent_id = ${ids.agent}, owner_id = ${ids.member} where id = ${ids.target}`,
    sql`update host set name = ${ids.query} where id = ${ids.host}`,
    sql`update issue set title = ${ids.query}, assignee_id = ${ids.member} where id = ${ids.issue}`,
    sql`update scan set status = 'STATUS_COMPLETED', completed_at = ${at} where id = ${ids.scan}`,
    sql`update occurrence set product_id = ${ids.product} where issue_id = ${ids.issue}`,
    sql`insert into target_tag (account_id, target_id, tag_id) values (${ids.workspace}, ${ids.target}, ${ids.tag})`,
    sql`insert into issue_tag (account_id, issue_id, tag_id) values (${ids.workspace}, ${ids.issue}, ${ids.tag})`,
    sql`insert into scan_issue (account_id, scan_id, issue_id, host_id, change)
      values (${ids.workspace}, ${ids.scan}, ${ids.issue}, ${ids.host}, 'NEW')`,
    sql`insert into host_product (account_id, host_id, product_id, port, evidence, quality, first_seen_at, last_seen_at)
      values (${ids.workspace}, ${ids.host}, ${ids.product}, 80, '', 99, ${at}, ${at})`,
    sql`insert into delivery (account_id, id, channel_id, state, notices, event_count, created_at)
      values (${ids.workspace}, ${ids.delivery}, ${ids.channel}, 'STATE_FAILED', '[]', 1, ${at})`,
  ]
  for (const statement of statements) await statement.execute(owner)
}

/** All rows of a workspace, by table. */
async function rowsOf(workspace: string): Promise<object> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'account_id'`.execute(owner)
  const contents: Record<string, unknown> = {}
  for (const { name } of tables) {
    const { rows } = await sql`
      select to_jsonb(item) as row from ${sql.table(name)} as item where account_id = ${workspace} order by item::text`.execute(
      owner,
    )
    contents[name] = rows
  }
  return contents
}
