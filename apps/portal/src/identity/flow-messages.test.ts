import { expect, it } from 'vitest'
import { Message } from '@glacis/contract/identity'
import { toastFor } from '#identity/flow-messages.ts'

it.each([
  [1050001, 'success', 'success', 'Account updated'],
  [1050001, 'info', 'info', 'Info'],
  [1080002, 'success', 'success', 'Success'],
  [1060003, 'info', 'info', 'Info'],
  [4000006, 'error', 'error', 'Oops, something went wrong'],
  [1050001, 'warning', 'error', 'Oops, something went wrong'],
])('maps message %i of type %s to a %s toast titled %s', (id, type, kind, title) => {
  const message = Message.parse({ id, type, text: 'x' })
  expect(toastFor(message)).toEqual({ kind, title })
})
