import { expect, it } from 'vitest'
import { loadPacks } from '#index.ts'
import { scanSite } from '#testing/scan-site.ts'

const address = '127.70.3.12'
const packs = await loadPacks({
  fingerprints: [new URL('../../../packs/fingerprints', import.meta.url).pathname],
  checks: [],
  native: true,
})

/** The locations of findings on a server with these pages. */
async function locationsOf(check: string, pages: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const found = await scanSite(
    address,
    ({ url = '' }, response) => {
      const body = pages[url]
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(body ?? 'not found')
    },
    packs,
  )
  return found.filter((finding) => finding.check === check).map(({ location }) => location)
}

const home = '<!doctype html><title>Company</title><p>Welcome'
const blog = '<!doctype html><title>Journal</title><p>First post'
const secrets = 'APP_ENV=production\nDB_PASSWORD=made-up\n'

it('checks an application without a product in a common folder', async () => {
  const pages = { '/': home, '/blog/': blog, '/blog/.env': secrets }
  expect(await locationsOf('application-files-exposed', pages)).toEqual(['/blog/.env'])
})

it('skips folders that no guide suggests', async () => {
  const pages = { '/': home, '/journal/': blog, '/journal/.env': secrets }
  expect(await locationsOf('application-files-exposed', pages)).toEqual([])
})
