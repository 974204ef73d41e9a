/** Teams: tags with members. */
import type { Tag } from '@glacis/contract/tag'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startTestPage, type TestPage } from '#lib/testing/test-page.tsx'
import { Teams } from '#workspaces/teams.tsx'

const id = '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01'
const joinTime = '2026-11-01T08:00:00Z'
const max = { id: 'max', name: 'Max Keller', email: 'max@example.ch', role: 'analyst', joinTime, isYou: false }
const nora = { id: 'nora', name: 'Nora Ammann', email: 'nora@example.ch', role: 'owner', joinTime, isYou: true }
const ordinary: Tag = { id: '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c02', name: 'production', color: 0 }
const web: Tag = { id, name: 'Web team', color: 1, team: { memberIds: ['max', 'gone'] } }
const user = userEvent.setup()
let page: TestPage

beforeEach(async () => {
  page = await startTestPage()
  page.service.on('GET /v1/members', { body: { members: [max, nora] } })
  page.service.on('GET /v1/tags', { body: { tags: [ordinary, web] } })
  page.service.on(`PATCH /v1/tags/${id}`, { body: { tag: web } })
  page.show(<Teams />)
})
afterEach(() => page.close())

const sent = (method: string) => page.service.seen.filter((call) => call.method === method).map(({ body }) => body)

it('lists only tags that represent teams, with the names of their members', async () => {
  const list = within(await screen.findByRole('list', { name: 'Teams' }))
  expect(await list.findByText('Max Keller')).toBeTruthy()
  expect(list.queryByText('production')).toBeNull()
})

it('makes an existing tag a team', async () => {
  page.service.on('POST /v1/tags', { body: { tag: ordinary } })
  page.service.on(`PATCH /v1/tags/${ordinary.id}`, { body: { tag: { ...ordinary, team: { memberIds: ['nora'] } } } })
  await user.click(await screen.findByRole('button', { name: 'Add team' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Add team' }))
  await user.type(dialog.getByLabelText('Name'), 'production')
  await user.click(await dialog.findByRole('checkbox', { name: /Nora Ammann/ }))
  await user.click(dialog.getByRole('button', { name: 'Add team' }))
  await waitFor(() => expect(sent('PATCH')).toHaveLength(1))
  expect(sent('POST')).toEqual([{ tag: { name: 'production', color: 2, team: { memberIds: ['nora'] } } }])
  expect(sent('PATCH')).toEqual([{ tag: { team: { memberIds: ['nora'] } }, updateMask: { paths: ['team'] } }])
})

it('changes the members, without those who left the workspace', async () => {
  await user.click(await screen.findByRole('button', { name: 'Edit Web team' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit Web team' }))
  await user.click(await dialog.findByRole('checkbox', { name: /Nora Ammann/ }))
  await user.click(dialog.getByRole('button', { name: 'Save team' }))
  await waitFor(() =>
    expect(sent('PATCH')).toEqual([
      { tag: { name: 'Web team', team: { memberIds: ['max', 'nora'] } }, updateMask: { paths: ['name', 'team'] } },
    ]),
  )
})
