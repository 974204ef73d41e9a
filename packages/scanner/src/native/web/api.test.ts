import { describe, expect, it } from 'vitest'
import { documentsIn } from '#native/web/api-description.ts'
import { openLists, openSearches } from '#native/web/api.ts'

const paths = { '/users': { get: {}, post: {} }, '/users/{id}': { get: {}, delete: {} }, '/health': { get: {} } }

describe('openLists', () => {
  it('lists records of an API that declares no authentication', () => {
    expect(openLists({ openapi: '3.0.0', paths })).toEqual(['/users'])
    expect(openLists({ swagger: '2.0', paths })).toEqual(['/users'])
  })

  it.each([
    ['declares authentication', { components: { securitySchemes: { bearer: {} } } }],
    ['declares authentication (Swagger 2)', { securityDefinitions: { basic: {} } }],
    ['requires authentication', { security: [{ bearer: [] }] }],
    ['only reads', { paths: { '/users': { get: {} } } }],
    ['needs a parameter', { paths: { ...paths, '/users': { get: { parameters: [{ required: true }] } } } }],
    ['protects the operation', { paths: { ...paths, '/users': { get: { security: [{ bearer: [] }] } } } }],
    ['has public records', { paths: { '/articles': { get: {} }, '/articles/{id}': { delete: {} } } }],
  ])('is empty if the API %s', (_, part) => {
    expect(openLists({ openapi: '3.1.0', paths, ...part })).toEqual([])
  })
})

it('lists records of an API that deploys with POST', () => {
  const described = { '/models': { get: {} }, '/deploy_files': { post: {} } }
  expect(openLists({ openapi: '3.1.0', paths: described })).toEqual(['/models'])
  expect(openLists({ openapi: '3.1.0', paths: { '/models': { get: {} }, '/search': { post: {} } } })).toEqual([])
})

it('searches the records of an API that declares no authentication', () => {
  const described = { ...paths, '/threads/search': { post: {} }, '/articles/search': { post: {} } }
  expect(openSearches({ openapi: '3.1.0', paths: described })).toEqual(['/threads/search'])
  const components = { securitySchemes: { bearer: {} } }
  expect(openSearches({ openapi: '3.1.0', paths: described, components })).toEqual([])
})

it('finds the description that a documentation page shows', () => {
  expect(documentsIn('<redoc spec-url="/static/openapi.json">', '/')).toEqual(['/static/openapi.json'])
  expect(documentsIn('SwaggerUIBundle({ url: "docs/swagger.json" })', '/app/')).toEqual(['/app/docs/swagger.json'])
  expect(documentsIn('{ url: "https://other.example/openapi.json" }', '/')).toEqual([])
  expect(documentsIn('{ url: "/images/logo.png" }', '/')).toEqual([])
})
