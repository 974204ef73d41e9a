import { expect, it } from 'vitest'
import { filesOf } from '#native/web-folders.ts'

it('finds one file of each folder that a page uses', () => {
  const html =
    '<link rel="stylesheet" href="/theme/a.css"><script src="theme/b.js"></script><img src="/pics/logo.png?v=2">' +
    '<script src="https://other.example/x/c.js"></script><a href="/docs/d.pdf">d</a><script src="/e.js"></script>'
  expect(filesOf(html, '/')).toEqual(['/theme/b.js', '/pics/logo.png', '/docs/d.pdf'])
})
