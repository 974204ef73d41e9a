import { expect, it } from 'vitest'
import { graphqlPathsIn } from '#native/web/graphql.ts'

const paths = (body: string, scripts: readonly string[] = []) =>
  graphqlPathsIn({ front: { path: '/', body, status: 200, headers: [], request: '', received: '' }, scripts })

it('finds endpoints that a page or its scripts name', () => {
  expect(paths('<script>const graphqlEndpoint = "/shop/query"</script>')).toEqual(['/shop/query'])
  expect(paths('', ['new GraphQLClient("/internal/gql")'])).toEqual(['/internal/gql'])
  expect(paths('', ['query{users{name __typename}}'])).toEqual(['/'])
})

it.each([
  ['common paths, which have a check of their own', 'fetch("/graphql")'],
  ['queries of other APIs', 'fetch("/api/v1/query")'],
  ['other servers', 'graphql("https://other.example/query")'],
])('ignores %s', (_, body) => {
  expect(paths(body)).toEqual([])
})
