import { expect, it } from 'vitest'
import { findOnSite, observeSite } from '#native/testing/examine.ts'

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

it.each([
  ['an installer that asks for a database', '<input name="host"><input name="database">', 99],
  ['an installer that asks for an administrator', '<input name="email">', 80],
])('is certain only about %s', async (_, fields, quality) => {
  const form = `<h1>Installation</h1><form method="post"><input name="name"><input type="password" name="pass">${fields}</form>`
  const seen = await observeSite(({ url = '' }, response) => {
    response.writeHead(url === '/install.php' ? 200 : 404, { 'content-type': 'text/html' }).end(form)
  })
  expect(seen).toContainEqual(expect.objectContaining({ check: 'setup-not-completed', quality }))
})

it('finds the setup page of an application that is already set up', async () => {
  const setup =
    '<title>Setup</title><form method="post"><input type="password" name="setup_password"><input type="password" name="setup_password2"></form>'
  const found = await findOnSite(({ url = '' }, response) => {
    response.writeHead(url === '/setup.php' ? 200 : 404, { 'content-type': 'text/html' }).end(setup)
  })
  expect(found).toContain('setup-page-exposed')
  expect(found).not.toContain('setup-not-completed')
})
