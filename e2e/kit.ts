/** The page of the interface kit, as the development server shows it. No server stands behind it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { PortalConfig } from '@glacis/contract/portal-config'
import type { Page } from 'playwright-core'
import { root } from '../lab/product.ts'
import { freePort } from './ports.ts'

/** What the page wants to know before it shows anything. */
const config: PortalConfig = {
  apiUrl: '',
  portalUrl: '',
  identityUrl: '',
  apiDocsUrl: '',
  releaseNotesUrl: '',
  licenceUrl: '',
  helpUrl: '',
  supportEmail: '',
  botChallengeSiteKey: '',
  version: '0.0.0',
  billing: true,
}

export interface Kit {
  /** Opens the kit and waits until it is there. */
  show(page: Page): Promise<void>
  stop(): Promise<void>
}

/** Starts the development server of the portal; whoever starts it stops it. */
export async function startKit(): Promise<Kit> {
  const port = await freePort()
  const words = ['node_modules/vite/bin/vite.js', 'apps/portal', '--host', '127.0.0.1', '--port', String(port)]
  const child = spawn(process.execPath, [...words, '--strictPort'], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('Local')) break
  child.stdout.resume()
  return {
    async show(page) {
      await page.route('**/config.json', (route) => route.fulfill({ json: config }))
      await page.goto(`http://127.0.0.1:${port}/kit`)
      await page.getByRole('heading', { level: 1, name: 'Interface kit' }).waitFor()
    },
    async stop() {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}
