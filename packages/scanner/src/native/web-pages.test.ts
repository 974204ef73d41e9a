import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'

const installer =
  '<h1>JSPWiki Installer</h1><form action="Install.jsp" method="post"><input name="jspwiki.applicationName"><input name="jspwiki.fileSystemProvider.pageDir"><input name="jspwiki.workDir"><input type="submit" value="Configure!"></form>'

it.each([
  ['<meta name="wikiApplicationName" content="JSPWiki">', true],
  ['<p>Hello', false],
])('requests the installer of JSPWiki only from JSPWiki: %s', async (front, isExpected) => {
  const requested: string[] = []
  const found = await findOnSite(({ url = '' }, response) => {
    requested.push(url)
    const page = { '/': front, '/Install.jsp': installer }[url]
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(page)
  })
  expect(requested.includes('/Install.jsp')).toBe(isExpected)
  expect(found.includes('setup-not-completed')).toBe(isExpected)
})
