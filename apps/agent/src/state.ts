/** Persistent agent state: the key, in a folder that only this user can read. */
import { createHash } from 'node:crypto'
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { CliError, systemReason } from './cli-error.ts'

const StoredKey = z.object({ server: z.string(), agentId: z.string(), key: z.string(), tokenDigest: z.string() })
export type StoredKey = z.infer<typeof StoredKey>

const fileName = 'agent.json'

/**
 * Creates the folder with access for the current user only.
 *
 * @throws CliError when the folder can't be used
 */
export async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chmod(folder, 0o700)
  } catch (cause) {
    throw new CliError(`Can't use the folder ${folder} (${systemReason(cause)}). Choose another with --state.`, {
      cause,
    })
  }
}

/** The stored key for this server; undefined when there is none or it belongs to another server. */
export async function readStoredKey(folder: string, server: string): Promise<StoredKey | undefined> {
  try {
    const stored = StoredKey.parse(JSON.parse(await readFile(join(folder, fileName), 'utf8')))
    return stored.server === server ? stored : undefined
  } catch {
    return undefined
  }
}

/**
 * Writes the key atomically. Another agent's key is moved aside, not overwritten.
 *
 * @returns the file that now contains the other agent's key; null when there was none
 */
export async function storeKey(folder: string, stored: StoredKey): Promise<string | null> {
  const path = join(folder, fileName)
  const existing = await readStoredKey(folder, stored.server)
  const isOtherAgent = existing !== undefined && existing.agentId !== stored.agentId
  const movedTo = isOtherAgent ? join(folder, `agent-${existing.agentId}.json`) : null
  if (movedTo !== null) await rename(path, movedTo)
  await writeFile(`${path}.new`, JSON.stringify(stored), { mode: 0o600 })
  await rename(`${path}.new`, path)
  return movedTo
}

/** Identifies an already exchanged token without storing it. */
export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
