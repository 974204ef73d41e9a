import { expect, it } from 'vitest'
import { MessageType, NodeGroup } from '#identity.ts'

it.each(['info', 'success', 'error'])('parses message type %s', (type) => {
  expect(MessageType.parse(type)).toBe(type)
})
it.each(['warning', '', 7, undefined])('parses unknown message type %j as error', (type) => {
  expect(MessageType.parse(type)).toBe('error')
})

it.each(['default', 'password', 'code', 'profile', 'oidc', 'webauthn', 'passkey', 'totp'])(
  'parses node group %s',
  (group) => expect(NodeGroup.parse(group)).toBe(group),
)
it('parses an unknown node group as unknown', () => {
  expect(NodeGroup.parse('telepathy')).toBe('unknown')
})
