import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it } from 'vitest'
import { saveDrafts, setDraftOwner } from '#lib/drafts.ts'
import { sessionEndedAt, useDraft } from '#lib/use-draft.ts'

const here = 'https://glacis.example/risks/1'

function Form({ of = 'comment 1' }: { of?: string }) {
  const [text, setText] = useDraft(of, '')
  return <input aria-label="Comment" value={text} onChange={(event) => setText(event.target.value)} />
}
const field = () => screen.getByLabelText<HTMLInputElement>('Comment')

beforeEach(() => {
  sessionStorage.clear()
  setDraftOwner('nora')
})

/** Types text and ends the session. Tests then render a new page. */
async function writeUntilTheEnd(text: string): Promise<void> {
  render(<Form />)
  if (text) await userEvent.type(field(), text)
  saveDrafts(here)
  cleanup()
}

it('restores a draft once after the session ended', async () => {
  await writeUntilTheEnd('half a sentence')
  expect(sessionEndedAt(here)).toEqual({ isKept: true })
  setDraftOwner('nora')
  render(<Form />)
  expect(field().value).toBe('half a sentence')
  cleanup()
  render(<Form />)
  expect(field().value).toBe('')
})

it('restores a draft only for its subject', async () => {
  await writeUntilTheEnd('half a sentence')
  render(<Form of="comment 2" />)
  expect(field().value).toBe('')
})

it('discards drafts when another user signs in', async () => {
  await writeUntilTheEnd('half a sentence')
  setDraftOwner('lena')
  setDraftOwner('nora')
  render(<Form />)
  expect(field().value).toBe('')
})

it('reports no draft if none was written or for another URL', async () => {
  await writeUntilTheEnd('')
  expect(sessionEndedAt(here)).toEqual({ isKept: false })
  expect(sessionEndedAt('https://glacis.example/overview')).toBeUndefined()
})

it('discards a submitted draft', async () => {
  render(<Form />)
  await userEvent.type(field(), 'sent')
  await userEvent.clear(field())
  saveDrafts(here)
  expect(sessionEndedAt(here)).toEqual({ isKept: false })
})
