/** Lists that a GraphQL API with introspection returns to anyone. */
import { z } from 'zod'
import { jsonIn } from '#native/json.ts'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { kindOf } from '#native/web/record-kinds.ts'
import { graphqlPathsIn } from '#native/web/graphql.ts'
import { requestWeb, webProof, type WebResponse } from '#native/web/request.ts'
import { readSite } from '#native/web/site.ts'
import { identifiedNames } from '#template/relevance.ts'
import { keepsDocuments } from '#template/selection.ts'

export const graphqlRecords = checkInfo({
  id: 'graphql-records-exposed',
  name: 'GraphQL API returns internal records without authentication',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'A list in the GraphQL schema, or a record with a low number, returns email addresses, passwords, or tokens to unauthenticated requests. The check sent queries only, no mutations.',
  impact: 'An attacker can read the records, and use any passwords and tokens in them.',
  remediation: 'Check authentication in the resolvers or in front of the API, not only in the user interface.',
  reference: 'https://graphql.org/learn/authorization/',
  tags: 'exposure graphql api unauth',
  verifiedOn: 'graphql-yoga',
})

const commonPaths = ['graphql', 'api/graphql', 'v1/graphql']
const listsMax = 4
const membersMax = 6
const secret =
  /(?:^|_)(?:(?:api_?|access_?|auth_?)?(?:key|token)|secret|pass|passwd|password|pass(?:word)?_?hash|pin|iban)$/
const address = /^e_?mail(?:_?address)?$/

const typeOf = '{kind name ofType{kind name ofType{kind name ofType{kind name}}}}'
const fieldsOf = `fields{name args{name defaultValue type{kind name ofType{kind name}}} type${typeOf}}`
const schemaQuery = `{__schema{queryType{${fieldsOf}} types{name ${fieldsOf}}}}`

interface Type {
  readonly kind: string
  readonly name?: string | null | undefined
  readonly ofType?: Type | null | undefined
}
const Type: z.ZodType<Type> = z.lazy(() =>
  z.object({ kind: z.string(), name: z.string().nullish(), ofType: Type.nullish() }),
)
const Field = z.object({
  name: z.string().regex(/^\w{1,100}$/),
  args: z.array(z.object({ name: z.string().regex(/^\w{1,100}$/), defaultValue: z.unknown(), type: Type })),
  type: Type,
})
type Field = z.infer<typeof Field>
const Schema = z.object({
  data: z.object({
    __schema: z.object({
      queryType: z.object({ fields: z.array(Field) }),
      types: z.array(z.object({ name: z.string().nullable(), fields: z.array(Field).nullable() })),
    }),
  }),
})

export const webGraphqlRecords: NativeCheck = {
  checks: [graphqlRecords],
  isPerFolder: true,
  // Document stores would keep the query.
  appliesTo: ({ protocol, technologies }) => protocol === 'http' && !keepsDocuments(identifiedNames(technologies)),
  async run(context) {
    const site = await readSite(context)
    if (!site) return {}
    const paths = [...graphqlPathsIn(site), ...commonPaths.map((path) => `${site.base}${path}`)]
    for (const path of paths) {
      const response = await query(context, path, schemaQuery)
      const lists = response?.status === 200 ? listsIn(response.body) : undefined
      for (const list of lists ?? []) {
        const proof = await recordsOf(context, path, list)
        if (proof) return { [graphqlRecords.id]: proof }
      }
      if (lists) break
    }
    return { [graphqlRecords.id]: null }
  },
}

interface List {
  readonly name: string
  /** Of a single record, such as `(id:1)`; empty for a list. */
  readonly calls: readonly string[]
  readonly members: readonly string[]
  /** Those of the members that must not be public. */
  readonly internal: readonly string[]
}

const recordNumbers = [1, 2]

/** Lists of the schema that need no arguments, and records that need only a number, with internal members. */
function listsIn(body: string): readonly List[] | undefined {
  const schema = Schema.safeParse(jsonIn(body)).data?.data.__schema
  if (!schema) return undefined
  const members = new Map(schema.types.map(({ name, fields }) => [name, fields ?? []]))
  const lists = schema.queryType.fields.flatMap((field) => {
    const { name, isList } = innerOf(field.type)
    const calls = isList ? [''] : callsByNumber(field)
    if (calls.length === 0 || (isList && needsArguments(field))) return []
    const plain = (members.get(name) ?? []).filter((member) => !needsArguments(member) && isPlain(member.type))
    const names = plain.map((member) => member.name)
    const internal = names.filter((member) => isInternal(member, field.name))
    return internal.length > 0 ? [{ name: field.name, calls, members: names, internal }] : []
  })
  return lists.toSorted((left, right) => left.calls.length - right.calls.length).slice(0, listsMax)
}

/** Arguments for a field such as `user(id: Int!)`. */
function callsByNumber({ args }: Field): readonly string[] {
  const [only, ...others] = args
  const type = only?.type.ofType?.name ?? only?.type.name ?? ''
  if (!only || others.length > 0 || !/^(?:ID|Int)$/.test(type)) return []
  return recordNumbers.map((number) => `(${only.name}:${number})`)
}

function isInternal(member: string, list: string): boolean {
  const name = snakeCase(member)
  const kind = snakeCase(list).replace(/^all_/, '')
  return secret.test(name) || (address.test(name) && (kindOf(kind) ?? kindOf(`${kind}s`)) !== undefined)
}

function snakeCase(name: string): string {
  return name.replaceAll(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase()
}

function needsArguments({ args }: Field): boolean {
  return args.some(({ type, defaultValue }) => type.kind === 'NON_NULL' && (defaultValue ?? null) === null)
}

function innerOf(type: Type, isList = false): { readonly name: string; readonly isList: boolean } {
  if (type.ofType) return innerOf(type.ofType, isList || type.kind === 'LIST')
  return { name: type.name ?? '', isList }
}

function isPlain(type: Type): boolean {
  return type.kind === 'NON_NULL' && type.ofType ? isPlain(type.ofType) : type.kind === 'SCALAR' || type.kind === 'ENUM'
}

async function recordsOf(
  context: NativeContext,
  path: string,
  { name, calls, members, internal }: List,
): Promise<Proof | null> {
  const chosen = [...new Set([...internal, ...members])].slice(0, membersMax)
  for (const call of calls) {
    const response = await query(context, path, `{${name}${call}{${chosen.join(' ')}}}`)
    if (response?.status !== 200) continue
    for (const member of internal) {
      const [found] = new RegExp(`"${member}"\\s{0,9}:\\s{0,9}"[^"*]{3,200}"`).exec(response.body) ?? []
      if (found !== undefined) return { ...webProof(response, [found]), path }
    }
  }
  return null
}

function query(context: NativeContext, target: string, text: string): Promise<WebResponse | undefined> {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' }
  return requestWeb(context, { method: 'POST', target, headers, body: JSON.stringify({ query: text }) })
}
