import { describe, expect, it } from 'vitest'
import { z } from 'zod/mini'
import { RiskSearch } from '#issues/search.ts'
import { CodeFlowSearch, CreateSearch, ErrorSearch, FlowSearch, LoginSearch, strictSearch } from '#routes/search.ts'

describe('strict search parameters', () => {
  it.each([
    [LoginSearch, { aal: 'aal1' }],
    [LoginSearch, { aal: 'aal2', flow: 'f', return_to: 'https://portal.example.ch/scope?x=1#y' }],
    [LoginSearch, {}],
    [FlowSearch, { flow: 'f', return_to: 'http://127.0.0.1:3000/' }],
    [CodeFlowSearch, { flow: 'f', code: '012345' }],
    [ErrorSearch, { id: 'x' }],
  ])('%# are accepted', (schema: z.ZodMiniObject, search) => {
    expect(strictSearch(schema).parse(search)).toEqual(search)
  })

  it.each([
    [LoginSearch, { aal: 'aal3' }, 'aal'],
    [LoginSearch, { return_to: '/overview' }, 'return_to'],
    [FlowSearch, { return_to: 'not an address' }, 'return_to'],
    [FlowSearch, { return_to: 'javascript:alert(1)' }, 'return_to'],
    [ErrorSearch, {}, 'id'],
    [ErrorSearch, { id: '' }, 'id'],
  ])('%# are rejected with the invalid name', (schema: z.ZodMiniObject, search, name) => {
    expect(() => strictSearch(schema).parse(search)).toThrow(new RegExp(`^This URL is invalid\\.\\n${name}: `))
  })
})

it.each([
  [{ create: 'true' }, { create: true }],
  [{ create: 'false' }, { create: false }],
  [{ create: true }, { create: true }],
  [{}, {}],
])('reads create from %o', (search, read) => {
  expect(CreateSearch.parse(search)).toEqual(read)
})

it('drops invalid list parameters and keeps the rest', () => {
  const search = { status: 'open', severity: 'high', target: 'not-an-id', size: '50', after: 'token', kev: 'maybe' }
  expect(RiskSearch.parse(search)).toEqual({ status: 'open', severity: ['high'], size: 50, after: ['token'] })
})
