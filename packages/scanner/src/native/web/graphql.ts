/** GraphQL endpoints at paths that only the start page or its scripts name. */
import { checkInfo, type NativeCheck } from '#native/native-check.ts'
import { pathHere, requestWeb, webProof } from '#native/web/request.ts'
import { readSite, type WebSite } from '#native/web/site.ts'

const introspection = checkInfo({
  id: 'graphql-introspection-named-path',
  name: 'GraphQL introspection enabled (path found in the application)',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary:
    'A GraphQL endpoint that the application uses supports introspection and discloses its full schema to any client. The check found its path in the home page or a script.',
  impact:
    'An attacker can discover all types, queries, and mutations, including those not used by the public application.',
  remediation:
    'If the API is not public, disable introspection in production, for example `introspection: false` in Apollo Server.',
  reference: 'https://graphql.org/learn/introspection/',
  tags: 'exposure graphql api',
  verifiedOn: 'graphql-named-path',
})
const pathsMax = 4
/** Paths that the check of common paths covers. */
const commonPaths: ReadonlySet<string> = new Set(['/graphql', '/api/graphql', '/v1/graphql'])
const namedPath = /["'`](\/?(?:[\w.-]{1,40}\/){0,4}(?:graphql|gql|query)\/?)["'`?]/gi
const schema = /"__schema"\s{0,9}:\s{0,9}\{\s{0,9}"queryType"\s{0,9}:\s{0,9}\{\s{0,9}"name"/

export const webGraphql: NativeCheck = {
  checks: [introspection],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const site = await readSite(context)
    if (!site) return {}
    for (const target of graphqlPathsIn(site)) {
      const page = await requestWeb(context, {
        method: 'POST',
        target,
        headers: { 'Content-Type': 'application/json' },
        body: '{"query":"{__schema{queryType{name}}}"}',
      })
      const [found] = page?.status === 200 ? (schema.exec(page.body) ?? []) : []
      if (page && found !== undefined) return { [introspection.id]: { ...webProof(page, [found]), path: target } }
    }
    return { [introspection.id]: null }
  },
}

/** Only of pages and scripts about GraphQL, because `/query` is also the path of other APIs. */
export function graphqlPathsIn({ front, scripts }: Pick<WebSite, 'front' | 'scripts'>): readonly string[] {
  const texts = [front.body, ...scripts].filter((text) => /graphql|graphiql/i.test(text))
  const paths = texts.flatMap((text) =>
    [...text.matchAll(namedPath).take(20)].flatMap(([, path = '']) => pathHere(path, front.path) ?? []),
  )
  // Some single-page applications have their API at the root.
  const isAtRoot = paths.length === 0 && scripts.some((script) => script.includes('__typename'))
  const named = isAtRoot ? [front.path] : paths
  return [...new Set(named)].filter((path) => !commonPaths.has(path)).slice(0, pathsMax)
}
