import { describe, expect, it } from 'vitest'
import { runsMarkup } from '#native/web-parameters.ts'

describe('runsMarkup', () => {
  const html = [['Content-Type', 'text/html; charset=utf-8']] as const
  it.each([
    ['text', '<p>Results for <gab>', html, true],
    ['text after a closed element', '<title>Shop</title><script>1</script><p><gab>', html, true],
    ['escaped text', '<p>Results for &lt;gab&gt;', html, false],
    ['a text area', '<textarea name="q"><gab></textarea>', html, false],
    ['a title', '<title>Search: <gab></title>', html, false],
    ['a comment', '<!-- query: <gab> -->', html, false],
    ['a script', '<script>const q = "<gab>"</script>', html, false],
    ['JSON', '{"q":"<gab>"}', [['Content-Type', 'application/json']] as const, false],
    [
      'a page with a script policy',
      '<p><gab>',
      [...html, ['Content-Security-Policy', "script-src 'self'"] as const],
      false,
    ],
  ])('evaluates %s', (_, body, headers, expected) => {
    expect(runsMarkup({ headers, body }, '<gab>')).toBe(expected)
  })
})
