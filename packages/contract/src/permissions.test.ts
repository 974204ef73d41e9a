import { expect, it } from 'vitest'
import { type CallName, isAllowed, isWithin, permissions, roleMessage } from '#permissions.ts'
import { type Role, roles } from '#role.ts'
import { rolesPage } from '#roles-page.ts'

const calls = Object.keys(permissions) as CallName[]

it.each<[Role, Role, boolean]>([
  ['viewer', 'analyst', true],
  ['analyst', 'admin', true],
  ['admin', 'owner', true],
  ['auditor', 'admin', true],
  ['analyst', 'viewer', false],
  ['admin', 'analyst', false],
  ['owner', 'admin', false],
  ['auditor', 'analyst', false],
  ['analyst', 'auditor', false],
])('%s is within %s: %s', (role, limit, expected) => {
  expect(isWithin(role, limit)).toBe(expected)
})

it('allows each role everything that it allows a weaker one', () => {
  for (const role of roles) expect(isWithin(role, role)).toBe(true)
  expect(calls.filter((call) => !isAllowed('owner', call))).toEqual([])
})

it('lets viewers and auditors change nothing but their own membership', () => {
  const changing =
    /^(create|update|delete|change|start|cancel|resume|retest|set|merge|split|watch|rotate|remove|transfer|keep|resend|revoke|verify|redeliver|test)/
  const ofWorkspaces = calls.filter((call) => permissions[call].scope !== 'installation')
  const allowed = (role: Role) => ofWorkspaces.filter((call) => changing.test(call) && isAllowed(role, call))
  expect(allowed('viewer')).toEqual(['createWorkspace'])
  expect(allowed('auditor')).toEqual(['createWorkspace'])
})

it('names the roles that can make the call', () => {
  expect(roleMessage('viewer', 'createChannel')).toBe(
    "Your role, viewer, doesn't allow this. Ask an owner or admin of the workspace",
  )
})

it('matches docs/roles.md (update it with vitest -u)', async () => {
  await expect(rolesPage()).toMatchFileSnapshot('../../../docs/roles.md')
})
