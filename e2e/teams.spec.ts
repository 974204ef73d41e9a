/** Two people share a workspace: invitation by email, joining through its link, a viewer's limits, and removal. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Person } from '../lab/visitor.ts'
import { visit } from '../lab/visitor.ts'
import { signIn } from './screens.ts'
import { nora, startTestEnvironment, type TestEnvironment } from './test-environment.ts'

const max: Person = {
  email: 'max.keller@aarewerk.example',
  password: 'ridge-marker-2291',
  first: 'Max',
  last: 'Keller',
}

let stage: TestEnvironment
let owner: Page
let guest: Page

beforeAll(async () => {
  stage = await startTestEnvironment('teams')
  await stage.visitor.signUp(nora, stage.product.dataFolder)
  owner = await stage.newPageOfNora()
}, 120_000)
afterAll(() => stage.close())

it('invites someone by email', async () => {
  await owner.goto('/workspace')
  await owner.getByRole('button', { name: 'Invite someone' }).click()
  const dialog = owner.getByRole('dialog', { name: 'Invite someone' })
  await dialog.getByLabel('Email').fill(max.email)
  await dialog.getByLabel('Role').selectOption('viewer')
  await dialog.getByRole('button', { name: 'Send invitation' }).click()
  await owner.getByRole('list', { name: 'Pending invitations' }).getByText(max.email).waitFor()
})

it('joins through the link, and sees the workspace of the owner', async () => {
  await visit(stage.product.url).signUp(max, stage.product.dataFolder)
  guest = await stage.newPage()
  await signIn(guest, max)
  await guest.goto(await invitationLink())
  await guest.getByRole('button', { name: /^Join / }).click()
  await guest.getByRole('heading', { name: 'Overview' }).waitFor()
  await guest.goto('/workspace')
  await guest.getByRole('list', { name: 'Members' }).getByText('Max Keller (you)').waitFor()
  expect(await guest.getByText(/Your role: Viewer/).count()).toBe(1)
  expect(await guest.getByRole('button', { name: 'Invite someone' }).count()).toBe(0)
})

it('loses access when the owner removes them', async () => {
  await owner.goto('/workspace')
  await owner.getByRole('button', { name: 'Remove Max Keller' }).click()
  await owner.getByRole('button', { name: 'Remove member' }).click()
  await owner.getByRole('button', { name: 'Remove Max Keller' }).waitFor({ state: 'detached' })
  await guest.getByRole('heading', { name: 'You no longer have access' }).waitFor()
})

/** The link in the newest invitation. Quoted-printable lines are joined. */
async function invitationLink(): Promise<string> {
  const folder = join(stage.product.dataFolder, 'outbox')
  const mails = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')))
  const links = mails.flatMap(
    (mail) =>
      mail
        .replaceAll('=\r\n', '')
        .replaceAll('=3D', '=')
        .match(/\/invitation\?token=[\w.~-]+/) ?? [],
  )
  const [link] = links
  if (!link) throw new Error('no invitation in the outbox')
  return link
}
