/** Enforces the limits on the portal's JavaScript. */
import { expect, it } from 'vitest'
import { scriptsOf } from './bundle.ts'
import { startTestEnvironment } from './test-environment.ts'

it('loads at most 220 KB of JavaScript in 12 files for the overview, 160 KB in 7 for signing in, and shows an error if it fails', async () => {
  const stage = await startTestEnvironment('bundle')
  try {
    const page = await stage.newPage(stage.visitor)
    const { files, bytes } = await scriptsOf(page, '/overview')
    expect(files).toBeLessThanOrEqual(12)
    expect(bytes).toBeLessThanOrEqual(220_000)

    const signIn = await scriptsOf(await stage.newPage(), '/login')
    expect(signIn.files).toBeLessThanOrEqual(7)
    expect(signIn.bytes).toBeLessThanOrEqual(160_000)

    await page.route('**/files/*.js', (route) => route.abort())
    await page.goto('/overview')
    await page.getByRole('alert').getByText("Glacis couldn't be loaded").waitFor()
  } finally {
    await stage.close()
  }
}, 120_000)
