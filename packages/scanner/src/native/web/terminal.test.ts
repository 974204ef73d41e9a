import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'

const script = 'element.className="xterm-screen";new WebSocket(`ws://${location.host}/shell`)'
const page = '<title>Shell</title><div id="terminal"></div><script src="/app.js"></script>'

function examine(html: string, text: string) {
  return findOnSite(({ url }, response) => {
    const body = url === '/' ? html : url === '/app.js' ? text : undefined
    response.writeHead(body === undefined ? 404 : 200, { connection: 'close' }).end(body)
  })
}

it('reports a page that only has a terminal', async () => {
  expect(await examine(page, script)).toContain('web-terminal-open')
})

it.each([
  ['a login', page, `${script};go("/login")`],
  ['a password field', `${page}<input type="password">`, script],
  ['other content', `${page}<p>${'A terminal for web pages. '.repeat(20)}`, script],
  ['no connection', page, 'element.className="xterm-screen"'],
  ['no terminal', page, 'new WebSocket("/updates")'],
])('ignores a page with %s', async (_, html, text) => {
  expect(await examine(html, text)).not.toContain('web-terminal-open')
})
