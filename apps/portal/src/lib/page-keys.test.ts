import { afterEach, expect, it } from 'vitest'
import { focusedRow, clickKeys } from '#lib/page-keys.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

it('clicks the element with the matching data-key, if any', () => {
  document.body.innerHTML = '<button data-key="n">outside</button><main><button data-key="n">New</button></main>'
  const pressed: string[] = []
  for (const button of document.querySelectorAll('button'))
    button.addEventListener('click', () => pressed.push(button.textContent))
  const keys = clickKeys('n', 's')
  keys['n']?.()
  keys['s']?.()
  expect(pressed).toEqual(['New'])
})

it('returns the focused row', () => {
  document.body.innerHTML = '<table><tbody><tr data-row="a"><td><a href="#x">A</a></td></tr></tbody></table>'
  expect(focusedRow()).toBeUndefined()
  document.querySelector('a')?.focus()
  expect(focusedRow()).toBe('a')
})
