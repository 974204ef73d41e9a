/** Test fixture: a workspace with a member of each role. */
import type { Role } from '@glacis/contract/role'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { newId } from '#database/index.ts'
import { invitationToken } from '#workspaces/invitation-token.ts'
import { testSecret } from '#testing/api.ts'
import type { TestUsers } from '#testing/test-users.ts'

export interface Team {
  /** ID of the workspace. */
  readonly workspace: string
  /** Name of its owner. */
  readonly owner: string
  /** Sends a request to the workspace as this person. */
  as(person: string, options: InjectOptions): Promise<LightMyRequestResponse>
  /** Invites a person and accepts. */
  add(person: string, role: Role): Promise<void>
  /** Invites an address. @returns the ID of the invitation */
  invite(email: string, role?: Role): Promise<string>
}

/** Creates a workspace owned by `owner`, a name that must be unique in the test file. */
export async function openTeam(users: TestUsers, owner: string): Promise<Team> {
  const first = await users.request({ method: 'GET', url: '/v1/workspace' }, owner)
  // Someone who can join a workspace by their email domain doesn't get their own.
  const payload = { workspace: { name: owner } }
  const response =
    first.statusCode === 200 ? first : await users.request({ method: 'POST', url: '/v1/workspaces', payload }, owner)
  const workspace = response.json<{ workspace: { id: string } }>().workspace.id
  const as: Team['as'] = (person, options) =>
    users.request({ ...options, headers: { 'glacis-workspace': workspace } }, person)
  const invite: Team['invite'] = async (email, role = 'analyst') => {
    const response = await as(owner, {
      method: 'POST',
      url: '/v1/invitations',
      payload: { invitation: { email, role } },
    })
    if (response.statusCode !== 200) throw new Error(response.body)
    return response.json<{ invitation: { id: string } }>().invitation.id
  }
  return {
    workspace,
    owner,
    as,
    invite,
    async add(person, role) {
      const token = linkToken(await invite(`${person}@example.ch`, role))
      const response = await users.request(
        { method: 'POST', url: '/v1/invitations/accept', payload: { token } },
        person,
      )
      if (response.statusCode !== 200) throw new Error(response.body)
    },
  }
}

/** The token of the link in the first email of an invitation. */
export function linkToken(id: string, mails = 1): string {
  return invitationToken(testSecret, { id, mails })
}

/** The reason in the details of an error. */
export function reasonOf(response: LightMyRequestResponse): string | undefined {
  const { details = [] } = response.json<{ details?: { reason?: string }[] }>()
  return details.find(({ reason }) => reason)?.reason
}

/** Adds a verified email domain, as if its DNS record had been found. */
export async function verifyDomain({ server }: TestUsers, workspace: string, domain: string): Promise<void> {
  const now = new Date()
  const row = { account_id: workspace, id: newId(), domain, role: 'viewer' as const, proof: 'x', created_at: now }
  await server.database.owner
    .insertInto('email_domain')
    .values({ ...row, verified_at: now })
    .execute()
}
