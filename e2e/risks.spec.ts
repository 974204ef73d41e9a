/** Triage: by keyboard, in bulk, with reasons, undo, and two users at the same time. */
import { readFile } from 'node:fs/promises'
import { getIssue, type Issue, listIssues } from '@glacis/contract/issue'
import { getScan, listScans } from '@glacis/contract/scan'
import { listComments } from '@glacis/contract/triage'
import { parse } from 'csv-parse/sync'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Visitor } from '../lab/visitor.ts'
import { open, settle } from './page-ready.ts'
import { type ScannedEnvironment, startScannedEnvironment } from './test-environment.ts'

let stage: ScannedEnvironment
let visitor: Visitor
let page: Page

beforeAll(async () => {
  stage = await startScannedEnvironment('risks', '127.63.8')
  ;({ visitor } = stage)
  page = await signedIn()
}, 240_000)
afterAll(() => stage.close())

/** A separate browser, on the verified risks. */
async function signedIn(): Promise<Page> {
  const own = await stage.newPage(visitor)
  await toList(own)
  return own
}

async function toList(of: Page, query = ''): Promise<void> {
  await open(of, `/risks/verified${query}`)
  await rowsOf(of).first().waitFor()
}
const rowsOf = (of: Page): Locator => of.locator('main tbody tr[data-row]')
const verified = async (): Promise<Issue[]> =>
  (await visitor.call(listIssues, { filter: { verification: 'VERIFICATION_FILTER_VERIFIED' }, pageSize: 100 })).issues
const statusOf = async (id: string) => (await visitor.call(getIssue, { id })).issue.status
async function idOfRow(row: Locator): Promise<string> {
  return (await row.getAttribute('data-row')) ?? ''
}

it('ignores by keyboard with a reason and a time limit, and shows both on the page of the risk', async () => {
  await page.keyboard.press('j')
  const id = await idOfRow(rowsOf(page).first())
  await page.keyboard.press('i')
  const dialog = page.getByRole('dialog', { name: /^Ignore/ })
  await dialog.getByText('Mitigated').click()
  await dialog.getByLabel('Duration').selectOption('30 days')
  await dialog.getByLabel('Comment').fill('closed outside')
  await dialog.getByRole('button', { name: 'Ignore' }).click()
  await expect.poll(() => statusOf(id)).toBe('STATUS_IGNORED')
  await page.goto(`/risks/${id}`)
  await page
    .getByText(/^Mitigated until .*, by Nora Ammann\.$/)
    .first()
    .waitFor()
  await page.getByText('closed outside', { exact: true }).first().waitFor()
  const { issue } = await visitor.call(getIssue, { id })
  const days = (Date.parse(issue.ignored?.untilTime ?? '') - Date.now()) / 86_400_000
  expect(Math.round(days)).toBe(30)
  await page.keyboard.press('o')
  await expect.poll(() => statusOf(id)).toBe('STATUS_OPEN')
})

it('resolves a selection in bulk, and undoes it', async () => {
  await toList(page)
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('Shift+X')
  const ids = await Promise.all([0, 1, 2].map((at) => idOfRow(rowsOf(page).nth(at))))
  await page.getByText('3 selected').waitFor()
  await page.getByRole('group', { name: 'Selected risks' }).getByRole('button', { name: 'Resolve' }).click()
  await page.getByText('Resolved 3 risks.').waitFor()
  expect(await Promise.all(ids.map(statusOf))).toEqual(ids.map(() => 'STATUS_RESOLVED'))
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => Promise.all(ids.map(statusOf))).toEqual(ids.map(() => 'STATUS_OPEN'))
})

it('assigns a selection by keyboard, undoes it, and sets the due date', async () => {
  await toList(page)
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  const ids = await Promise.all([0, 1].map((at) => idOfRow(rowsOf(page).nth(at))))
  const issuesNow = async () => {
    const all = await Promise.all(ids.map((id) => visitor.call(getIssue, { id })))
    return all.map(({ issue }) => issue)
  }
  const assignees = async () => (await issuesNow()).map(({ assignee }) => assignee?.name)
  const bar = page.getByRole('group', { name: 'Selected risks' })
  await bar.getByRole('button', { name: 'Assign' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Assign to me' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Assigned 2 risks to you.').waitFor()
  expect(await assignees()).toEqual(['Nora Ammann', 'Nora Ammann'])
  await page.getByText('Assigned 2 risks to you.').locator('..').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(assignees).toEqual([undefined, undefined])
  await bar.getByRole('button', { name: 'Due date' }).click()
  const dialog = page.getByRole('dialog', { name: 'Set due date of 2 risks' })
  await dialog.getByRole('textbox', { name: 'Due date' }).fill('14.12.2027')
  await page.keyboard.press('Enter')
  await page.getByText('Due date of 2 risks set to 14 Dec 2027.').waitFor()
  expect((await issuesNow()).map(({ dueTime }) => dueTime?.slice(0, 7))).toEqual(['2027-12', '2027-12'])
  await page.goto(`/risks/${ids[0]}`)
  await page.getByText('Due date set to 14 Dec 2027').waitFor()
})

it('previews risks beside the list', async () => {
  await toList(page)
  const [first, second] = await rowsOf(page).locator('[data-row-link] .ttl').allInnerTexts()
  await page.keyboard.press('j')
  await page.keyboard.press('Space')
  await page.getByRole('heading', { name: first ?? '', exact: true }).waitFor()
  await page.keyboard.press('j')
  await page.getByRole('heading', { name: second ?? '', exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('[data-preview]').waitFor({ state: 'detached' })
})

it('finds items with the palette and opens them', async () => {
  const [first] = await verified()
  const text = first?.name.slice(0, 12) ?? ''
  await page.reload()
  await settle(page)
  const loading = Promise.withResolvers<void>()
  await page.route(/\/files\/[^/]+\.js$/, async (route) => {
    await loading.promise
    await route.continue()
  })
  await page.keyboard.press('Control+k')
  await page.keyboard.type(text)
  loading.resolve()
  await page.unrouteAll({ behavior: 'wait' })
  await expect.poll(() => page.getByRole('combobox', { name: 'Search everything' }).inputValue()).toBe(text)
  await page
    .getByRole('option', { name: new RegExp(`Risks: .*${first?.name.slice(0, 12)}`, 'i') })
    .first()
    .waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/risks\/[\da-f-]{36}$/)
  await page.getByRole('combobox').waitFor({ state: 'detached' })
  await settle(page)
  await page.keyboard.press('g')
  await page.keyboard.press('s')
  await page.waitForURL(/\/scope$/)
  await settle(page)
  await page.keyboard.press('?')
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
})

it('saves the filters as a view', async () => {
  await toList(page, '?severity=critical&severity=high')
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.getByRole('dialog', { name: 'Save view' }).getByLabel('Name').fill('Worst')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Worst' }).waitFor()
  await toList(page)
  await page.getByRole('link', { name: 'Worst' }).click()
  await page.waitForURL(/severity=critical/)
})

it('exports all filtered risks as a file', async () => {
  await toList(page)
  await page.getByRole('button', { name: 'Export' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'CSV, one row per risk' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^glacis-risks-\d{4}-\d\d-\d\d\.csv$/)
  const rows = parse(await readFile(await download.path()), { columns: true }) as Record<string, string>[] // the queried elements contain text
  const open = (await verified()).filter((issue) => issue.status === 'STATUS_OPEN')
  expect(new Set(rows.map((row) => row['id']))).toEqual(new Set(open.map((issue) => issue.id)))
  expect(rows.every((row) => row['verification'] === 'verified')).toBe(true)
})

it('retests one risk, resolves it once fixed, and leaves the others unchanged', async () => {
  stage.weak.isGitExposed = false
  const before = await verified()
  const git = before.find((issue) => /git/i.test(issue.name))
  await page.goto(`/risks/${git?.id}`)
  await page.getByRole('button', { name: 'Retest' }).click()
  await page.getByText('Retest started.').waitFor()
  await expect.poll(() => statusOf(git?.id ?? ''), { timeout: 60_000, interval: 500 }).toBe('STATUS_RESOLVED')
  const others = (await verified()).filter((issue) => issue.id !== git?.id)
  const lastSeenById = new Map(before.map((issue) => [issue.id, issue.lastSeenTime]))
  expect(others.filter((issue) => issue.lastSeenTime !== lastSeenById.get(issue.id))).toEqual([])
  const [scan] = (await visitor.call(listScans, {})).scans
  expect((await visitor.call(getScan, { id: scan?.id ?? '' })).scan).toMatchObject({ type: 'TYPE_MANUAL' })
}, 120_000)

it('treats a double click on a button as one', async () => {
  const [risk] = await verified()
  const id = risk?.id ?? ''
  await page.goto(`/risks/${id}`)
  await page.getByLabel('Comment', { exact: true }).fill('looked at it')
  await page.getByRole('button', { name: 'Add comment' }).dblclick()
  await page.getByText('looked at it', { exact: true }).waitFor()
  await page.reload()
  await page.getByText('looked at it', { exact: true }).first().waitFor()
  expect((await visitor.call(listComments, { id })).comments).toHaveLength(1)
})

it('applies the later decision of two users and records both', async () => {
  const other = await signedIn()
  await toList(page)
  const id = await idOfRow(rowsOf(page).first())
  await Promise.all([page.goto(`/risks/${id}`), other.goto(`/risks/${id}`)])
  await page.getByRole('button', { name: 'Resolve' }).click()
  await expect.poll(() => statusOf(id)).toBe('STATUS_RESOLVED')
  // The other page still shows the old status; its later decision wins.
  await other.getByRole('button', { name: 'Ignore' }).click()
  const dialog = other.getByRole('dialog', { name: /^Ignore/ })
  await dialog.getByText('Accepted risk').click()
  await dialog.getByRole('button', { name: 'Ignore' }).click()
  await expect.poll(() => statusOf(id)).toBe('STATUS_IGNORED')
  const { issue } = await visitor.call(getIssue, { id })
  expect(issue.history.slice(-2).map((entry) => entry.status)).toEqual(['STATUS_RESOLVED', 'STATUS_IGNORED'])
  await other.context().close()
})

it('logs no browser errors', () => {
  expect(stage.browserErrors).toEqual([])
})

it('replaces the keyboard help with the search while that loads', async () => {
  const other = await signedIn()
  await other.keyboard.press('?')
  await other.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
  await other.keyboard.press('Control+k')
  await other.getByRole('combobox', { name: 'Search everything' }).waitFor()
})
