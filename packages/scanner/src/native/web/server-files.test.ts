import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'

/** A PHP site that includes the file that `page` names. */
async function isFound(include: (page: string) => string): Promise<boolean> {
  const found = await findOnSite(({ url = '' }, response) => {
    response.setHeader('connection', 'close')
    response.setHeader('x-powered-by', 'PHP/8.2.0')
    const { pathname, searchParams } = new URL(url, 'http://here.invalid')
    if (pathname === '/')
      response.end('<a href="/?page=home.php">Home</a>'.concat(include(searchParams.get('page') ?? 'home.php')))
    else response.writeHead(404).end()
  })
  return found.includes('php-file-inclusion')
}

const source = Buffer.from('<?php echo "Welcome to our shop";').toString('base64')

it('reads the source code of a page', async () => {
  expect(
    await isFound((page) => (page === 'php://filter/convert.base64-encode/resource=home.php' ? source : 'home')),
  ).toBe(true)
})

it.each<[string, (page: string) => string]>([
  ['shows the same page', () => 'home'],
  ['repeats the value', (page) => page],
  ['always shows encoded source code', () => source],
])('is silent on a site that %s', async (_, include) => {
  expect(await isFound(include)).toBe(false)
})
