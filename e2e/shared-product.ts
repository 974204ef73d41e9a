/**
 * Vitest's global setup: one product for all test files that need no settings of their own. `E2E_URL` and
 * `E2E_DATA_FOLDER` describe it.
 */
import { rm } from 'node:fs/promises'
import { databaseFolder } from '../apps/server/src/testing/folder.ts'
import { startProduct } from '../lab/product.ts'
import { freePort } from './ports.ts'

export async function setup(): Promise<() => Promise<void>> {
  const dataFolder = await databaseFolder('glacis-e2e-')
  const product = await startProduct({ port: await freePort(), dataFolder, settings: { GLACIS_LOG_LEVEL: 'warn' } })
  process.env['E2E_URL'] = product.url
  process.env['E2E_DATA_FOLDER'] = dataFolder
  return async () => {
    await product.stop()
    await rm(dataFolder, { recursive: true, force: true })
  }
}

/** @throws if the tests were not started with the repository's Vitest configuration */
export function sharedProduct(): { readonly url: string; readonly dataFolder: string } {
  const { E2E_URL: url, E2E_DATA_FOLDER: dataFolder } = process.env
  if (!url || !dataFolder) throw new Error('E2E_URL is missing; run vitest from the root of the repository')
  return { url, dataFolder }
}
