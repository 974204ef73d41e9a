import { readFileSync } from 'node:fs'
import { z } from 'zod'

const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')

/** Version of this release, from the package's own manifest. */
export const { version } = z.object({ version: z.string() }).parse(JSON.parse(manifest))
