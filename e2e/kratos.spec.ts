/**
 * The accounts and teams of an installation with a real Ory Kratos, over HTTP. `external-single-sign-on.spec.ts` tests the provider of a
 * workspace with it, in a browser.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createApiToken } from '@glacis/contract/access'
import { Flow } from '@glacis/contract/identity'
import { acceptInvitation, createInvitation, resendInvitation } from '@glacis/contract/invitation'
import { createProvisioningToken, updateProvisioning } from '@glacis/contract/provisioning'
import type { Role } from '@glacis/contract/role'
import {
  getWorkspace,
  leaveWorkspace,
  listMembers,
  listWorkspaces,
  removeMember,
  transferOwnership,
  updateMember,
} from '@glacis/contract/workspace'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeFor, type Person, type Visitor, visit } from '../lab/visitor.ts'
import { totpAt } from '../packages/identity/src/testing/test-identity.ts'
import { type ExternalIdentity, startExternalIdentity } from './external-identity.ts'
import { kratosProgram } from './kratos.ts'
import { noraOf } from './test-environment.ts'

const nora = noraOf('kratos')
const person = (first: string): Person => ({
  email: `${first.toLowerCase()}@aarewerk.example`,
  password: 'ridge-marker-2291',
  first,
  last: 'Graf',
})
/** How long the open page of a removed member may still receive events. */
const streamMsMax = 5000
const hasKratos = kratosProgram() !== null

describe.skipIf(!hasKratos)(`Kratos${hasKratos ? '' : ' (skipped: no program in KRATOS or on the path)'}`, () => {
  let environment: ExternalIdentity
  let owner: Visitor
  let database: pg.Client

  beforeAll(async () => {
    environment = await startExternalIdentity('kratos', {})
    const host = join(environment.product.dataFolder, 'run')
    database = new pg.Client({ host, user: 'glacis', database: 'glacis' })
    await database.connect()
    owner = await signUp(nora)
  }, 120_000)
  afterAll(async () => {
    await database?.end()
    await environment?.close()
  })

  async function signUp(user: Person): Promise<Visitor> {
    const visitor = visit(environment.url)
    await visitor.signUp(user, environment.identityFolder)
    return visitor
  }
  const signIn = async (email: string, password: string) => {
    const visitor = visit(environment.url)
    const flow = await openFlow(visitor, 'login/browser')
    return { visitor, ...(await submit(visitor, flow, { method: 'password', identifier: email, password })) }
  }
  const statusOf = async (visitor: Visitor) => (await visitor.fetch('/v1/workspace')).status

  describe('an account', () => {
    const ada = person('Ada')
    let visitor: Visitor

    it('signs up, verifies its address with the emailed code, and owns a workspace', async () => {
      visitor = await signUp(ada)
      expect(await (await visitor.fetch('/sessions/whoami')).json()).toMatchObject({
        active: true,
        identity: { verifiable_addresses: [{ value: ada.email, verified: true }] },
      })
      expect(await visitor.call(getWorkspace, {})).toMatchObject({ workspace: { role: 'owner' } })
    })

    it('is rejected with a wrong password', async () => {
      const { status, text, visitor } = await signIn(ada.email, 'wrong password')
      expect([status, await statusOf(visitor)]).toEqual([400, 401])
      expect(text).toContain('4000006')
    })

    it('recovers with an emailed code, and changes the password, which ends other sessions', async () => {
      const { visitor: other } = await signIn(ada.email, ada.password)
      const browser = visit(environment.url)
      const recovery = await openFlow(browser, 'recovery/browser')
      const before = (await mailsTo(environment.identityFolder, ada.email)).length
      await submit(browser, recovery, { method: 'code', email: ada.email })
      await expect
        .poll(async () => (await mailsTo(environment.identityFolder, ada.email)).length)
        .toBeGreaterThan(before)
      const code = await codeFor(ada.email, environment.identityFolder)
      const recovered = await submit(browser, recovery, { method: 'code', code })
      expect(recovered.status).toBe(422)
      const settings = new URL(redirectIn(recovered.text)).searchParams.get('flow')
      const changed = await submit(browser, await openFlow(browser, `settings/flows?id=${settings}`), {
        method: 'password',
        password: 'rampart-slope-1201',
      })
      expect(changed.status).toBe(200)
      expect((await signIn(ada.email, ada.password)).status).toBe(400)
      expect((await signIn(ada.email, 'rampart-slope-1201')).status).toBe(200)
      await expect.poll(() => statusOf(other)).toBe(401)
    })

    it('needs the second factor once it has one', async () => {
      ;({ visitor } = await signIn(ada.email, 'rampart-slope-1201'))
      const settings = await openFlow(visitor, 'settings/browser')
      const [secret = ''] = settings.ui.nodes.flatMap((node) =>
        node.type === 'text' ? [node.attributes.text.text] : [],
      )
      const saved = await submit(visitor, settings, { method: 'totp', totp_code: totpAt(secret, new Date()) })
      expect(saved.status).toBe(200)
      expect(await statusOf(visitor)).toBe(200)
      const half = await signIn(ada.email, 'rampart-slope-1201')
      expect([half.status, await statusOf(half.visitor)]).toEqual([422, 401])
      const second = await openFlow(half.visitor, 'login/browser?aal=aal2')
      await submit(half.visitor, second, { method: 'totp', totp_code: totpAt(secret, new Date()) })
      await expect.poll(() => statusOf(half.visitor)).toBe(200)
    })

    it('signs out', async () => {
      const { logout_token: token } = (await (await visitor.fetch('/self-service/logout/browser')).json()) as {
        logout_token: string
      }
      await visitor.fetch(`/self-service/logout?token=${token}`)
      expect(await statusOf(visitor)).toBe(401)
    })
  })

  describe('a team', () => {
    let workspace: string
    const inWorkspace = (visitor: Visitor, path: string) =>
      visitor.fetch(path, { headers: { 'glacis-workspace': workspace } })
    const roleOf = async (visitor: Visitor) =>
      (await visitor.call(listWorkspaces, {})).workspaces.find(({ id }) => id === workspace)?.role
    const idOf = async (email: string) =>
      (await owner.call(listMembers, {})).members.find((member) => member.email === email)?.id ?? ''
    const accept = async (visitor: Visitor, email: string) => {
      const response = await visitor.fetch('/v1/invitations/accept', {
        method: 'POST',
        body: JSON.stringify({ token: await invitationToken(email) }),
      })
      return `${response.status} ${await response.text()}`
    }

    /** The token in the newest invitation of an address, which may take a moment to arrive. */
    async function invitationToken(email: string): Promise<string> {
      const read = async () =>
        (await mailsTo(environment.product.dataFolder, email))
          .flatMap((mail) => /\/invitation\?token=([\w.~-]+)/.exec(mail)?.[1] ?? [])
          .at(-1)
      await expect.poll(read).toBeDefined()
      return (await read()) ?? ''
    }
    async function addMember(user: Person, role: Role): Promise<Visitor> {
      await owner.call(createInvitation, { invitation: { email: user.email, role } })
      const visitor = await signUp(user)
      await visitor.call(acceptInvitation, { token: await invitationToken(user.email) })
      return visitor
    }

    beforeAll(async () => void ({ id: workspace } = (await owner.call(getWorkspace, {})).workspace))

    it('invites by email: not with another address, and not after seven days', async () => {
      const [max, eve] = [person('Max'), person('Eve')]
      const { invitation } = await owner.call(createInvitation, { invitation: { email: max.email, role: 'analyst' } })
      const [visitor, other] = [await signUp(max), await signUp(eve)]
      expect(await accept(other, max.email)).toMatch(/^403 .*INVITATION_FOR_ANOTHER_ADDRESS/)
      await database.query("update invitation set sent_at = sent_at - interval '8 days', expires_at = now()")
      expect(await accept(visitor, max.email)).toMatch(/^400 .*INVITATION_EXPIRED/)
      const before = await invitationToken(max.email)
      await owner.call(resendInvitation, { id: invitation.id })
      await expect.poll(() => invitationToken(max.email)).not.toBe(before)
      expect(await accept(visitor, max.email)).toMatch(/^200 /)
      expect(await roleOf(visitor)).toBe('analyst')
    })

    it('changes roles, and removes a member with their open page and API tokens', async () => {
      const visitor = await addMember(person('Vera'), 'analyst')
      const id = await idOf('vera@aarewerk.example')
      const scopes = ['SCOPE_READ' as const]
      const { token } = (await visitor.call(createApiToken, { apiToken: { name: 'Script', scopes } })).apiToken
      const withToken = () => fetch(`${environment.url}/v1/targets`, { headers: { authorization: `Bearer ${token}` } })
      expect((await withToken()).status).toBe(200)
      await owner.call(updateMember, { id, role: 'viewer' })
      expect(await roleOf(visitor)).toBe('viewer')
      const headers = { 'glacis-workspace': workspace }
      const stream = await visitor.fetch('/v1/events', { headers, signal: AbortSignal.timeout(streamMsMax) })
      expect(stream.status).toBe(200)
      await owner.call(removeMember, { id })
      await stream.text()
      expect((await inWorkspace(visitor, '/v1/workspace')).status).toBe(403)
      expect((await withToken()).status).toBe(401)
    })

    it('transfers ownership, and lets the former owner leave', async () => {
      const lea = person('Lea')
      const visitor = await addMember(lea, 'admin')
      await expect(owner.call(leaveWorkspace, {})).rejects.toThrow('last owner')
      await owner.call(transferOwnership, { memberId: await idOf(lea.email) })
      expect([await roleOf(owner), await roleOf(visitor)]).toEqual(['admin', 'owner'])
      await owner.call(leaveWorkspace, {})
      expect((await inWorkspace(owner, '/v1/workspace')).status).toBe(403)
      owner = visitor
    })

    it('is provisioned with SCIM: members join when they next open Glacis', async () => {
      await database.query(
        `insert into email_domain (account_id, id, domain, role, proof, created_at, verified_at)
         values ($1, new_id(), 'aarewerk.example', 'viewer', 'proof', now(), now())`,
        [workspace],
      )
      const { token } = (await owner.call(createProvisioningToken, { token: { name: 'Directory' } })).token
      const groupRoles = [{ group: 'security', role: 'analyst' as const }]
      await owner.call(updateProvisioning, { provisioning: { groupRoles }, updateMask: { paths: ['groupRoles'] } })
      const scim = async (method: string, path: string, resource: object) => {
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' }
        const response = await fetch(`${environment.url}/scim/v2${path}`, {
          method,
          headers,
          body: JSON.stringify(resource),
        })
        expect(response.ok).toBe(true)
        return (await response.json()) as { id: string }
      }
      const change = (path: string, operation: object) =>
        scim('PATCH', path, { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [operation] })
      const tim = person('Tim')
      const { id } = await scim('POST', '/Users', {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
        userName: tim.email,
      })
      const visitor = await signUp(tim)
      expect(await roleOf(visitor)).toBe('viewer')
      await scim('POST', '/Groups', {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
        displayName: 'security',
        members: [{ value: id }],
      })
      expect(await roleOf(visitor)).toBe('analyst')
      await change(`/Users/${id}`, { op: 'replace', path: 'active', value: false })
      expect((await inWorkspace(visitor, '/v1/workspace')).status).toBe(403)
      await change(`/Users/${id}`, { op: 'replace', path: 'active', value: true })
      expect(await roleOf(visitor)).toBe('analyst')
    })
  })
})

async function openFlow(visitor: Visitor, path: string): Promise<Flow> {
  return Flow.parse(await (await visitor.fetch(`/self-service/${path}`)).json())
}

async function submit(visitor: Visitor, { ui }: Flow, fields: object): Promise<{ status: number; text: string }> {
  const token = ui.nodes.find((node) => node.type === 'input' && node.attributes.name === 'csrf_token')
  const csrf_token = token?.type === 'input' ? token.attributes.value : ''
  const { pathname, search } = new URL(ui.action)
  const body = JSON.stringify({ csrf_token, ...fields })
  const response = await visitor.fetch(pathname + search, { method: 'POST', body })
  return { status: response.status, text: await response.text() }
}

function redirectIn(text: string): string {
  return (JSON.parse(text) as { redirect_browser_to: string }).redirect_browser_to
}

/** The emails to an address, oldest first, with quoted-printable lines joined. */
async function mailsTo(folder: string, email: string): Promise<string[]> {
  const outbox = join(folder, 'outbox')
  const names = (await readdir(outbox).catch(() => [])).filter((name) => name.includes(email)).toSorted()
  const mails = await Promise.all(names.map((name) => readFile(join(outbox, name), 'utf8')))
  return mails.map((mail) => mail.replaceAll('=\r\n', '').replaceAll('=3D', '='))
}
