import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { putAway, unsentBelongsTo } from '#lib/unsent.ts'
import { endedAt, useUnsent } from '#lib/use-unsent.ts'

const here = 'https://glacis.example/risks/1'

function Form({ of = 'comment 1' }: { of?: string }) {
  const [text, setText] = useUnsent(of, '')
  return <input aria-label="Comment" value={text} onChange={(event) => setText(event.target.value)} />
}
const field = () => screen.getByLabelText<HTMLInputElement>('Comment')

beforeEach(() => {
  sessionStorage.clear()
  unsentBelongsTo('nora')
})
afterEach(cleanup)

/** Writes something, and the session ends; what a new page begins with is rendered anew. */
async function writeUntilTheEnd(text: string): Promise<void> {
  render(<Form />)
  if (text) await userEvent.type(field(), text)
  putAway(here)
  cleanup()
}

it('gives back once what was being written when the session ended', async () => {
  await writeUntilTheEnd('half a sentence')
  expect(endedAt(here)).toEqual({ isKept: true })
  unsentBelongsTo('nora')
  render(<Form />)
  expect(field().value).toBe('half a sentence')
  cleanup()
  render(<Form />)
  expect(field().value).toBe('')
})

it('keeps it for what it was written about', async () => {
  await writeUntilTheEnd('half a sentence')
  render(<Form of="comment 2" />)
  expect(field().value).toBe('')
})

it('gives nothing to somebody else, and nothing back after that', async () => {
  await writeUntilTheEnd('half a sentence')
  unsentBelongsTo('lena')
  unsentBelongsTo('nora')
  render(<Form />)
  expect(field().value).toBe('')
})

it('promises nothing where nothing was written, and knows of no other address', async () => {
  await writeUntilTheEnd('')
  expect(endedAt(here)).toEqual({ isKept: false })
  expect(endedAt('https://glacis.example/overview')).toBeUndefined()
})

it('forgets what has been sent', async () => {
  render(<Form />)
  await userEvent.type(field(), 'sent')
  await userEvent.clear(field())
  putAway(here)
  expect(endedAt(here)).toEqual({ isKept: false })
})
