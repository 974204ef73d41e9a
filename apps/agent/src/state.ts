/** What an agent keeps between two starts: its key, in a folder that nobody else can read. */
import { createHash } from 'node:crypto'
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { Obstacle } from './obstacle.ts'

const Kept = z.object({ server: z.string(), agentId: z.string(), key: z.string(), tokenDigest: z.string() })
export type Kept = z.infer<typeof Kept>

const name = 'agent.json'

/** Makes the folder, for this user alone. @throws Obstacle when it cannot be used */
export async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chmod(folder, 0o700)
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause)
    throw new Obstacle(`The folder ${folder} cannot be used (${said}); name another one with --state.`, { cause })
  }
}

/** The key for this server; undefined when there is none, or only one of another server. */
export async function readKept(folder: string, server: string): Promise<Kept | undefined> {
  try {
    const kept = Kept.parse(JSON.parse(await readFile(join(folder, name), 'utf8')))
    return kept.server === server ? kept : undefined
  } catch {
    return undefined
  }
}

/**
 * Writes the key so that a crash leaves the old file or the new one. The key of another agent is laid beside it.
 *
 * @returns the file in which that of another agent lies now; null where there was none
 */
export async function keep(folder: string, kept: Kept): Promise<string | null> {
  const path = join(folder, name)
  const before = await readKept(folder, kept.server)
  const isOther = before !== undefined && before.agentId !== kept.agentId
  const aside = isOther ? join(folder, `agent-${before.agentId}.json`) : null
  if (aside !== null) await rename(path, aside)
  await writeFile(`${path}.new`, JSON.stringify(kept), { mode: 0o600 })
  await rename(`${path}.new`, path)
  return aside
}

/** Tells a new token from the one that was swapped already, without keeping it. */
export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
