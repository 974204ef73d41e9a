import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyPatch, patchSchema } from '#workspaces/provisioning/patch.ts'
import { readUser } from '#workspaces/provisioning/resource.ts'
import { ScimError } from '#workspaces/provisioning/scim-error.ts'

const ada = {
  userName: 'ada',
  active: true,
  name: { givenName: 'Ada', familyName: 'King' },
  emails: [
    { value: 'ada@work.example', type: 'work', primary: true },
    { value: 'ada@home.example', type: 'home' },
  ],
}
const [work, home] = ada.emails
const crew = { displayName: 'Crew', members: [{ value: 'a' }, { value: 'b' }] }
const request = (...Operations: object[]) => ({ schemas: [patchSchema], Operations })

it.each<[string, 'User' | 'Group', object, object, object]>([
  ['Okta deactivates', 'User', ada, { op: 'replace', value: { active: false } }, { active: false }],
  ['Entra deactivates', 'User', ada, { op: 'Replace', path: 'active', value: 'False' }, { active: 'False' }],
  [
    'the name of an attribute ignores case',
    'User',
    ada,
    { op: 'replace', path: 'USERNAME', value: 'b' },
    { userName: 'b' },
  ],
  [
    'a path with the schema',
    'User',
    ada,
    { op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:userName', value: 'b' },
    { userName: 'b' },
  ],
  [
    'a sub-attribute',
    'User',
    ada,
    { op: 'add', path: 'name.familyName', value: 'L' },
    { name: { givenName: 'Ada', familyName: 'L' } },
  ],
  [
    'keys with paths',
    'User',
    ada,
    { op: 'add', value: { 'name.familyName': 'L', 'emails[type eq "home"].value': 'x@y.example' } },
    { name: { givenName: 'Ada', familyName: 'L' }, emails: [work, { ...home, value: 'x@y.example' }] },
  ],
  [
    'a part of a complex attribute',
    'User',
    ada,
    { op: 'replace', path: 'name', value: { familyName: 'L' } },
    { name: { givenName: 'Ada', familyName: 'L' } },
  ],
  [
    'a value that a filter selects',
    'User',
    ada,
    { op: 'replace', path: 'emails[type eq "work"].value', value: 'n@work.example' },
    { emails: [{ ...work, value: 'n@work.example' }, home] },
  ],
  [
    'a new value for a filter',
    'User',
    ada,
    { op: 'add', path: 'emails[type eq "other"].value', value: 'o@x.example' },
    { emails: [work, home, { type: 'other', value: 'o@x.example' }] },
  ],
  [
    'another primary value',
    'User',
    ada,
    { op: 'replace', path: 'emails[type eq "home"].primary', value: true },
    {
      emails: [
        { ...work, primary: false },
        { ...home, primary: true },
      ],
    },
  ],
  ['all values', 'User', ada, { op: 'remove', path: 'emails' }, { emails: [] }],
  ['attributes that are not stored', 'User', ada, { op: 'add', path: 'title', value: 'Dr.' }, {}],
  [
    'the enterprise extension',
    'User',
    ada,
    { op: 'add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'x' },
    {},
  ],
  [
    'an id as it is',
    'Group',
    { ...crew, id: 'g' },
    { op: 'replace', value: { id: 'g', displayName: 'New' } },
    { displayName: 'New' },
  ],
  [
    'a member is added once',
    'Group',
    crew,
    { op: 'add', path: 'members', value: [{ value: 'b' }, { value: 'c' }] },
    { members: [{ value: 'a' }, { value: 'b' }, { value: 'c' }] },
  ],
  [
    'a member that a filter selects is removed',
    'Group',
    crew,
    { op: 'remove', path: 'members[value eq "a"]' },
    { members: [{ value: 'b' }] },
  ],
  [
    'a listed member is removed',
    'Group',
    crew,
    { op: 'Remove', path: 'members', value: [{ value: 'a' }] },
    { members: [{ value: 'b' }] },
  ],
  [
    'all members are replaced',
    'Group',
    crew,
    { op: 'replace', path: 'members', value: [{ value: 'c' }] },
    { members: [{ value: 'c' }] },
  ],
])('%s', (_, kind, before, operation, changes) => {
  const copy = structuredClone(before)
  expect(applyPatch(kind, { ...before }, request(operation))).toEqual({ ...before, ...changes })
  expect(before).toEqual(copy)
})

describe('rejects', () => {
  it.each<[string, object, string]>([
    ['an unknown attribute', { op: 'add', path: 'favorite', value: 1 }, 'invalidPath'],
    ['an invalid path', { op: 'add', path: 'emails[', value: 1 }, 'invalidPath'],
    ['an unknown sub-attribute', { op: 'add', path: 'name.nick', value: 'x' }, 'invalidPath'],
    ['an invalid filter', { op: 'replace', path: 'emails[type is "work"].value', value: 'x' }, 'invalidFilter'],
    ['a filter without matches', { op: 'replace', path: 'emails[type eq "fax"].value', value: 'x' }, 'noTarget'],
    ['removal without a path', { op: 'remove' }, 'noTarget'],
    ['a change of the id', { op: 'replace', path: 'id', value: 'x' }, 'mutability'],
    ['a change of groups', { op: 'add', path: 'groups', value: [] }, 'mutability'],
    ['removal of a required attribute', { op: 'remove', path: 'userName' }, 'mutability'],
    ['another operation', { op: 'move', path: 'userName', value: 'x' }, 'invalidSyntax'],
    ['a value that is not an object, without a path', { op: 'add', value: 'x' }, 'invalidValue'],
  ])('%s', (_, operation, scimType) => {
    const attempt = () => applyPatch('User', { ...ada, id: 'u', groups: [{ value: 'g' }] }, request(operation))
    expect(attempt).toThrow(ScimError)
    expect(attempt).toThrow(expect.objectContaining({ status: 400, scimType }))
  })

  it('a request without operations or with another schema', () => {
    for (const body of [{}, request(), { Operations: [{ op: 'add', value: {} }] }, [], null])
      expect(() => applyPatch('User', ada, body)).toThrow(expect.objectContaining({ scimType: 'invalidSyntax' }))
  })
})

it('responds to any operations with a user or a SCIM error', () => {
  const paths = [
    'active',
    'emails',
    'emails[type eq "work"].value',
    'emails.value',
    'name',
    'name.familyName',
    'name[a eq 1]',
    '',
  ]
  const operation = fc.record(
    {
      op: fc.constantFrom('add', 'remove', 'replace', 'Replace'),
      path: fc.oneof(fc.constantFrom(...paths), fc.string()),
      value: fc.jsonValue({ maxDepth: 4 }),
    },
    { requiredKeys: ['op'] },
  )
  fc.assert(
    fc.property(fc.array(operation, { minLength: 1, maxLength: 4 }), (operations) => {
      try {
        expect(readUser(applyPatch('User', ada, request(...operations))).userName).not.toBe('')
      } catch (error) {
        if (!(error instanceof ScimError)) throw error
      }
    }),
    { numRuns: 500 },
  )
})
