import { expect, it } from 'vitest'
import { onField, onForm, label } from '#ui/message.ts'
import { csrfNode, input, nameOf, sorted, submit, withMessages, withValues } from '#ui/node.ts'
import { errorMessage } from '#ui/error-message.ts'

const names = (nodes: Parameters<typeof sorted>[0]) => nodes.map((node) => `${node.group}.${nameOf(node)}`)

it('sorts by group and name, with methods last and unknown groups first', () => {
  const nodes = [
    submit('password', 'password', label.signIn),
    input('password', 'password', 'password'),
    input('default', 'identifier', 'text'),
    csrfNode(''),
    input('strange', 'thing', 'text'),
  ]
  const order = { groups: ['default', 'password'], names: ['csrf_token', 'identifier', 'password'] }
  expect(names(sorted(nodes, order))).toEqual([
    'strange.thing',
    'default.csrf_token',
    'default.identifier',
    'password.password',
    'password.method',
  ])
})

it('adds a node for a message whose field has none', () => {
  const ui = { action: '', method: 'POST', nodes: [], messages: [] } as const
  const updated = withMessages(ui, [
    onField('traits', errorMessage.generic('no')),
    onForm(errorMessage.invalidCredentials),
  ])
  expect(updated.nodes).toMatchObject([
    { group: 'default', attributes: { name: 'traits', type: 'text' }, messages: [{ id: 4000001 }] },
  ])
  expect(updated.messages).toMatchObject([{ id: 4000006 }])
})

it('redisplays values except passwords and buttons', () => {
  const nodes = [input('g', 'password', 'password'), submit('g', 'code', label.continue), input('g', 'email', 'email')]
  const updated = withValues(
    nodes,
    new Map([
      ['password', 'x'],
      ['method', 'x'],
      ['email', 'x'],
    ]),
  )
  expect(updated.map((node) => node.type === 'input' && node.attributes.value)).toEqual([undefined, 'code', 'x'])
})
