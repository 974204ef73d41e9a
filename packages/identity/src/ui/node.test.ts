import { expect, it } from 'vitest'
import { on, onForm } from '#ui/message.ts'
import { csrfNode, input, nameOf, sorted, submit, withMessages, withValues } from '#ui/node.ts'
import { problem } from '#ui/problem.ts'
import { label } from '#ui/message.ts'

const names = (nodes: Parameters<typeof sorted>[0]) => nodes.map((node) => `${node.group}.${nameOf(node)}`)

it('sorts by group, then by name, a method last, unknown groups first', () => {
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

it('gives a message whose field is not on the form a field of its own', () => {
  const ui = { action: '', method: 'POST', nodes: [], messages: [] } as const
  const told = withMessages(ui, [on('traits', problem.generic('no')), onForm(problem.invalidCredentials)])
  expect(told.nodes).toMatchObject([
    { group: 'default', attributes: { name: 'traits', type: 'text' }, messages: [{ id: 4000001 }] },
  ])
  expect(told.messages).toMatchObject([{ id: 4000006 }])
})

it('shows what was typed, never a password, and never changes a button', () => {
  const nodes = [input('g', 'password', 'password'), submit('g', 'code', label.continue), input('g', 'email', 'email')]
  const shown = withValues(
    nodes,
    new Map([
      ['password', 'x'],
      ['method', 'x'],
      ['email', 'x'],
    ]),
  )
  expect(shown.map((node) => node.type === 'input' && node.attributes.value)).toEqual([undefined, 'code', 'x'])
})
