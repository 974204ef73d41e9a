import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { CodeInput } from '#ui/code-input.tsx'

const boxes = () => screen.getAllByRole<HTMLInputElement>('textbox')
const code = () => boxes().map((box) => box.value)
const focused = () => boxes().findIndex((box) => box === document.activeElement)

function show() {
  render(
    <form aria-label="form">
      <CodeInput label="Verification code" name="code" />
    </form>,
  )
  return userEvent.setup()
}

it('has six labeled boxes', () => {
  show()
  expect(boxes().map((box) => box.getAttribute('aria-label'))).toEqual(
    [1, 2, 3, 4, 5, 6].map((number) => `Character ${number} of 6`),
  )
})

it('takes one character per box and advances', async () => {
  const user = show()
  await user.click(screen.getByLabelText('Character 1 of 6'))
  await user.keyboard('4a1')
  expect([code(), focused()]).toEqual([['4', 'a', '1', '', '', ''], 3])
})

it('spreads pasted text over the boxes and truncates it', async () => {
  const user = show()
  await user.click(screen.getByLabelText('Character 1 of 6'))
  await user.paste('123 456 789')
  expect([code(), focused()]).toEqual([['1', '2', '3', '4', '5', '6'], 5])
})

it.each(['Your code is 123456. It is valid for 15 minutes.', '123-456', ' 123456\n'])(
  'finds the code in %j',
  async (text) => {
    const user = show()
    await user.click(screen.getByLabelText('Character 3 of 6'))
    await user.paste(text)
    expect([code(), focused()]).toEqual([['1', '2', '3', '4', '5', '6'], 5])
  },
)

it('takes a code that the phone fills into the first box', () => {
  show()
  const [first] = boxes()
  expect([first?.autocomplete, first?.inputMode]).toEqual(['one-time-code', 'numeric'])
  if (first) fireEvent.change(first, { target: { value: '123456' } })
  expect(code()).toEqual(['1', '2', '3', '4', '5', '6'])
})

it('describes every box with the error', () => {
  render(<CodeInput label="Verification code" state="error" messages={['The code is invalid.']} />)
  for (const box of boxes())
    expect(document.getElementById(box.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
      'The code is invalid.',
    )
})

it('starts spreading at the focused box', async () => {
  const user = show()
  await user.click(screen.getByLabelText('Character 5 of 6'))
  await user.paste('789')
  expect(code()).toEqual(['', '', '', '', '7', '8'])
})

it('clears with Backspace and moves back', async () => {
  const user = show()
  await user.click(screen.getByLabelText('Character 1 of 6'))
  await user.keyboard('123')
  await user.click(screen.getByLabelText('Character 3 of 6'))
  await user.keyboard('{Backspace}')
  expect([code(), focused()]).toEqual([['1', '2', '', '', '', ''], 1])
})

it('moves with the arrows and stops at the ends', async () => {
  const user = show()
  await user.click(screen.getByLabelText('Character 1 of 6'))
  await user.keyboard('{ArrowRight}{ArrowRight}{ArrowLeft}')
  expect(focused()).toBe(1)
  await user.keyboard('{ArrowLeft}{ArrowLeft}{ArrowLeft}')
  expect(focused()).toBe(0)
})

it('submits the whole code', async () => {
  const user = show()
  await user.click(screen.getByLabelText('Character 1 of 6'))
  await user.keyboard('012345')
  expect(new FormData(screen.getByRole<HTMLFormElement>('form')).get('code')).toBe('012345')
})
