/** A team shares a workspace: invitation by email, work on a risk, a viewer's limits, removal, and what can go wrong. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { acceptInvitation, createInvitation, listInvitations, revokeInvitation } from '@glacis/contract/invitation'
import { getIssue, listIssues } from '@glacis/contract/issue'
import type { Role } from '@glacis/contract/role'
import { listMembers, updateMember } from '@glacis/contract/workspace'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { codeFor, type Person, type Visitor, visit } from '../lab/visitor.ts'
import { open } from './page-ready.ts'
import { signIn } from './screens.ts'
import { type ScannedEnvironment, startScannedEnvironment } from './test-environment.ts'

const password = 'ridge-marker-2291'
const max: Person = { email: 'max.keller@aarewerk.example', password, first: 'Max', last: 'Keller' }
const vera: Person = { email: 'vera.frei@aarewerk.example', password, first: 'Vera', last: 'Frei' }
const lea: Person = { email: 'lea.graf@aarewerk.example', password, first: 'Lea', last: 'Graf' }
const reason = "Your role, viewer, doesn't allow this. Ask an owner, admin, or analyst of the workspace."

let stage: ScannedEnvironment
let visitor: Visitor
let owner: Page
let analyst: Page
let risk: string

beforeAll(async () => {
  stage = await startScannedEnvironment('teams', '127.63.9')
  ;({ visitor } = stage)
  const { issues } = await visitor.call(listIssues, { filter: { verification: 'VERIFICATION_FILTER_VERIFIED' } })
  risk = issues[0]?.id ?? ''
  owner = await stage.newPage(visitor)
}, 240_000)
afterAll(() => stage.close())

it('invites an analyst by email', async () => {
  await owner.goto('/workspace')
  await invite(owner, max.email, 'analyst')
  await owner.getByRole('list', { name: 'Pending invitations' }).getByText(max.email).waitFor()
})

it('signs up through the link, and joins the workspace of the owner', async () => {
  analyst = await stage.newPage()
  await analyst.goto(await invitationLink(max.email))
  await analyst.getByText("You're invited to a workspace.").waitFor()
  await analyst.getByRole('link', { name: 'Create an account' }).click()
  await analyst.locator('input[name="traits.email"]').fill(max.email)
  await analyst.locator('input[name="traits.name.first"]').fill(max.first)
  await analyst.locator('input[name="traits.name.last"]').fill(max.last)
  await analyst.locator('input[name=password]').fill(max.password)
  await analyst.getByRole('button', { name: 'Sign up', exact: true }).click()
  await analyst.waitForURL(/\/verification/)
  await analyst.locator('input[autocomplete="one-time-code"]').click()
  await analyst.keyboard.type(await codeFor(max.email, stage.dataFolder))
  await analyst.getByRole('button', { name: 'Continue' }).click()
  await analyst.getByRole('heading', { name: 'Email verified' }).waitFor()
  await analyst.getByRole('link', { name: 'Continue' }).click()
  await analyst.getByRole('button', { name: /^Join / }).click()
  await analyst.getByRole('heading', { name: 'Overview' }).waitFor()
  await analyst.goto('/workspace')
  await analyst.getByRole('list', { name: 'Members' }).getByText('Max Keller (you)').waitFor()
  expect(await analyst.getByText(/Your role: Analyst/).count()).toBe(1)
  expect(await analyst.getByRole('button', { name: 'Invite someone' }).count()).toBe(0)
})

it('is assigned a risk, and finds it under Mine', async () => {
  await open(owner, `/risks/${risk}`)
  await owner.getByRole('button', { name: 'Assign', exact: true }).click()
  await owner.getByRole('menuitemradio', { name: /Max Keller/ }).click()
  await expect.poll(async () => (await visitor.call(getIssue, { id: risk })).issue.assignee?.name).toBe('Max Keller')
  await open(analyst, '/risks/verified')
  await analyst.getByRole('link', { name: 'Mine' }).click()
  await expect.poll(() => analyst.locator('main tbody tr[data-row]').count()).toBe(1)
  await analyst.getByRole('link', { name: 'Unassigned' }).click()
  await expect.poll(() => analyst.locator(`tr[data-row="${risk}"]`).count()).toBe(0)
})

it('mentions the owner in a comment, who gets an email, and resolves the risk', async () => {
  await open(analyst, `/risks/${risk}`)
  const field = analyst.getByLabel('Comment')
  await field.pressSequentially('Closed the port, @am')
  await analyst.getByRole('option', { name: /Nora Ammann/ }).waitFor()
  await analyst.keyboard.press('Enter')
  await analyst.keyboard.type('please verify.')
  expect(await field.inputValue()).toBe('Closed the port, @Nora Ammann please verify.')
  await analyst.getByRole('button', { name: 'Add comment' }).click()
  await analyst.getByText('Comment by Max Keller').waitFor()
  await expect.poll(() => mailsTo(stage.nora.email)).toContainEqual(expect.stringContaining('Max Keller mentioned you'))
  await analyst.getByRole('button', { name: 'Resolve', exact: true }).click()
  await expect.poll(async () => (await visitor.call(getIssue, { id: risk })).issue.status).toBe('STATUS_RESOLVED')
  await analyst.getByText('by Max Keller').first().waitFor()
})

it('shows everything to a viewer, who cannot change it', async () => {
  await addMember(vera, 'viewer')
  const viewer = await stage.newPage()
  await signIn(viewer, vera)
  await open(viewer, `/risks/${risk}`)
  await viewer.getByText('@Nora Ammann').waitFor()
  await viewer.getByText('Resolved').first().waitFor()
  const reopen = viewer.getByRole('button', { name: 'Reopen' })
  expect(await reopen.getAttribute('aria-disabled')).toBe('true')
  await reopen.focus()
  expect(await viewer.getByRole('tooltip').textContent()).toBe(reason)
  await viewer.keyboard.press('o')
  await reopen.click({ force: true })
  expect(await viewer.getByLabel('Comment').count()).toBe(0)
  for (const path of ['/overview', '/scope', '/agents', '/assets', '/technologies', '/scans', '/integrations'])
    await open(viewer, path)
  await open(viewer, '/scope?create=true')
  expect(
    await viewer.getByRole('dialog').getByRole('button', { name: 'Add target' }).getAttribute('aria-disabled'),
  ).toBe('true')
  expect((await visitor.call(getIssue, { id: risk })).issue.status).toBe('STATUS_RESOLVED')
  expect(stage.browserErrors.filter((error) => error.includes('status of 403'))).toEqual([])
})

it('explains that someone is already a member, or already invited', async () => {
  await open(owner, '/workspace')
  await invite(owner, max.email, 'viewer')
  const dialog = owner.getByRole('dialog', { name: 'Invite someone' })
  await dialog.getByText(/is already a member with the role analyst/).waitFor()
  await dialog.getByLabel('Email').fill(lea.email)
  await dialog.getByRole('button', { name: 'Send invitation' }).click()
  await dialog.waitFor({ state: 'detached' })
  await invite(owner, lea.email, 'viewer')
  await dialog.getByText(/already has a pending invitation/).waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
})

it("explains why an invitation can't be used", async () => {
  const link = await invitationLink(lea.email)
  await analyst.goto(link)
  await analyst
    .getByRole('alert')
    .getByText(/This invitation is for l…@aarewerk.example/)
    .waitFor()
  const { invitations } = await visitor.call(listInvitations, {})
  const { id } = invitations.find(({ email }) => email === lea.email) ?? { id: '' }
  await visitor.call(revokeInvitation, { id })
  await visit(stage.url).signUp(lea, stage.dataFolder)
  const guest = await stage.newPage()
  await signIn(guest, lea)
  await guest.goto(link)
  await guest
    .getByRole('alert')
    .getByText(/revoked|replaced/)
    .waitFor()
  await analyst.goto(await invitationLink(max.email))
  await analyst
    .getByRole('alert')
    .getByText(/already/)
    .waitFor()
})

it('does not let the last owner leave', async () => {
  await open(owner, '/workspace')
  await owner.getByRole('button', { name: 'Leave workspace' }).click()
  const dialog = owner.getByRole('dialog', { name: /^Leave / })
  await dialog.getByRole('button', { name: 'Leave workspace' }).click()
  await dialog
    .getByText(/You are the last owner. Transfer ownership/)
    .first()
    .waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
})

it('informs one of two owners who demote each other that their role has changed', async () => {
  const { members } = await visitor.call(listMembers, {})
  const { id } = members.find(({ email }) => email === max.email) ?? { id: '' }
  await visitor.call(updateMember, { id, role: 'owner' })
  // Without live events, the second page can't close its dialog before its request is answered.
  await analyst.route('**/v1/events*', (route) => route.abort())
  await open(analyst, '/workspace')
  await open(owner, '/workspace')
  for (const [page, name] of [
    [owner, 'Max Keller'],
    [analyst, 'Nora Ammann'],
  ] as const) {
    await page.getByRole('button', { name: `Change role of ${name}` }).click()
    await page.getByRole('dialog').getByLabel('Role').selectOption('analyst')
  }
  const change = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click()
  await change(owner)
  await change(analyst)
  // Which one depends on whether the second request started before the first had ended.
  await analyst
    .getByText(/Your role was just changed to analyst|Your role, analyst, doesn't allow this/)
    .first()
    .waitFor()
  await analyst.unroute('**/v1/events*')
  const roles = (await visitor.call(listMembers, {})).members.map(({ name, role }) => [name, role])
  expect(roles).toContainEqual(['Nora Ammann', 'owner'])
  expect(roles).toContainEqual(['Max Keller', 'analyst'])
})

it('loses access when the owner removes them, and the open page reports it', async () => {
  await open(analyst, `/risks/${risk}`)
  await open(owner, '/workspace')
  await owner.getByRole('button', { name: 'Remove Max Keller' }).click()
  await owner.getByRole('button', { name: 'Remove member' }).click()
  await owner.getByRole('button', { name: 'Remove Max Keller' }).waitFor({ state: 'detached' })
  await analyst.getByRole('heading', { name: 'You no longer have access' }).waitFor()
})

async function invite(page: Page, email: string, role: Role): Promise<void> {
  await page.getByRole('button', { name: 'Invite someone' }).click()
  const dialog = page.getByRole('dialog', { name: 'Invite someone' })
  await dialog.getByLabel('Email').fill(email)
  await dialog.getByLabel('Role').selectOption(role)
  await dialog.getByRole('button', { name: 'Send invitation' }).click()
}

/** Makes a person a member without a browser. */
async function addMember(person: Person, role: Role): Promise<void> {
  await visitor.call(createInvitation, { invitation: { email: person.email, role } })
  const guest = visit(stage.url)
  await guest.signUp(person, stage.dataFolder)
  const token = new URL(await invitationLink(person.email), stage.url).searchParams.get('token') ?? ''
  await guest.call(acceptInvitation, { token })
}

/** The link in the newest invitation of an address, which may take a moment to arrive. */
async function invitationLink(email: string): Promise<string> {
  const read = async () =>
    (await mailsTo(email)).flatMap((mail) => /\/invitation\?token=[\w.~-]+/.exec(mail) ?? []).at(-1)
  await expect.poll(read).toBeDefined()
  return (await read()) ?? ''
}

/** The emails to an address, oldest first. Quoted-printable lines are joined. */
async function mailsTo(email: string): Promise<string[]> {
  const folder = join(stage.dataFolder, 'outbox')
  const names = (await readdir(folder)).filter((name) => name.includes(email)).toSorted()
  const mails = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return mails.map((mail) => mail.replaceAll('=\r\n', '').replaceAll('=3D', '='))
}
