import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { chooseTheme, chosenTheme, followTheme } from '#lib/theme.ts'

let device: MediaQueryList
let deviceIsDark = false
const genuine = window.matchMedia
let stop = () => {}

beforeEach(() => {
  localStorage.clear()
  deviceIsDark = false
  device = Object.assign(new EventTarget(), { media: '' }) as unknown as MediaQueryList
  Object.defineProperty(device, 'matches', { get: () => deviceIsDark })
  window.matchMedia = () => device
})
afterEach(() => {
  stop()
  window.matchMedia = genuine
})
const shown = () => document.documentElement.dataset['theme']
const turnDevice = (isDark: boolean) => {
  deviceIsDark = isDark
  device.dispatchEvent(new Event('change'))
}

it('follows the system preference until a theme is chosen', () => {
  stop = followTheme()
  expect([chosenTheme(), shown()]).toEqual(['system', 'light'])
  turnDevice(true)
  expect(shown()).toBe('dark')
})

it('keeps a choice regardless of the system preference', () => {
  stop = followTheme()
  chooseTheme('light')
  turnDevice(true)
  expect([chosenTheme(), shown()]).toEqual(['light', 'light'])
})

it('returns to the system preference', () => {
  stop = followTheme()
  chooseTheme('dark')
  chooseTheme('system')
  expect([shown(), localStorage.getItem('glacis.theme')]).toEqual(['light', 'system'])
})

it.each([
  [null, true, 'dark'],
  [null, false, 'light'],
  ['light', true, 'light'],
  ['dark', false, 'dark'],
  ['system', true, 'dark'],
])('before the first paint: choice %s on a device that is dark %s shows %s', (choice, isDark, theme) => {
  if (choice) localStorage.setItem('glacis.theme', choice)
  deviceIsDark = isDark
  const script = readFileSync(join(import.meta.dirname, '../../public/before-paint.js'), 'utf8')
  // Runs the actual file, like the page does.
  // oxlint-disable-next-line typescript/no-implied-eval
  new Function('matchMedia', 'localStorage', 'document', script)(window.matchMedia, localStorage, document)
  expect(shown()).toBe(theme)
})
