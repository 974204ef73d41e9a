/**
 * Updates the agent in place to the program of its server, and returns to the installed one if the update doesn't
 * connect.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Client } from './client.ts'

const programBytesMax = 64 * 1024 * 1024
const connectMsMax = 60_000
const failedFile = 'failed-update'
const retryFailedMs = 24 * 3_600_000
/** Set for an updated program; its parent is the installed one. */
const updatedVariable = 'GLACIS_AGENT_UPDATED'
/** A temporary failure in sysexits.h: an updated program ends with it when the server has another version. */
export const updateExitCode = 75
export const isUpdated = process.env[updatedVariable] !== undefined

const ServerProgram = z.object({ version: z.string(), digest: z.string().regex(/^[0-9a-f]{64}$/) })
export interface Update {
  readonly version: string
  readonly digest: string
  /** Contains `agent.js`. */
  readonly folder: string
}
type Downloads = Pick<Client, 'download'>

/**
 * @returns the version of the server's program, and its digest
 * @throws RejectedError, UnreachableError; another error if the server isn't a Glacis server
 */
export async function describeProgram(client: Downloads, signal: AbortSignal): Promise<z.infer<typeof ServerProgram>> {
  const description = await client.download('/downloads/glacis-agent.json', { signal, bytesMax: 1000 })
  return ServerProgram.parse(JSON.parse(description.toString('utf8')))
}

/**
 * Downloads the server's program if its version is not `version`, and verifies its digest.
 *
 * @returns null if there is no update, or if it failed before
 */
export async function fetchUpdate(
  client: Downloads,
  version: string,
  stateFolder: string,
  signal: AbortSignal,
): Promise<Update | null> {
  const program = await describeProgram(client, signal)
  if (program.version === version || program.digest === (await failedDigest(stateFolder))) return null
  const all = join(stateFolder, 'versions')
  const folder = join(all, program.digest)
  if (!existsSync(folder)) await unpack(await fetchProgram(client, program.digest, signal), all, folder)
  for (const name of await readdir(all)) if (name !== program.digest) await rm(join(all, name), { recursive: true })
  return { ...program, folder }
}

async function fetchProgram(client: Downloads, digest: string, signal: AbortSignal): Promise<Buffer> {
  const archive = await client.download('/downloads/glacis-agent.tgz', { signal, bytesMax: programBytesMax })
  if (createHash('sha256').update(archive).digest('hex') === digest) return archive
  throw new Error('the downloaded program does not match its digest')
}

async function unpack(archive: Buffer, all: string, folder: string): Promise<void> {
  await mkdir(all, { recursive: true })
  const temporary = await mkdtemp(join(all, 'new-'))
  const tar = spawn('tar', ['-xzf', '-', '-C', temporary], { stdio: ['pipe', 'ignore', 'ignore'] })
  const code = exitCodeOf(tar)
  // If tar ends early, its exit code shows it.
  tar.stdin.on('error', () => undefined).end(archive)
  if ((await code) !== 0) throw new Error('the downloaded program could not be unpacked')
  await rename(temporary, folder)
}

/**
 * Runs an updated program until it ends.
 *
 * @returns its exit code; null if it didn't connect within `withinMs`, and won't be tried again for a day
 */
export async function runUpdate(
  { folder, digest }: Update,
  options: {
    readonly args: readonly string[]
    /** For a program that reads it from standard input. */
    readonly token: string | undefined
    readonly stateFolder: string
    readonly signal: AbortSignal
    readonly withinMs?: number
  },
): Promise<number | null> {
  const { args, token = '', stateFolder, signal, withinMs = connectMsMax } = options
  const child = spawn(process.execPath, [join(folder, 'agent.js'), ...args], {
    env: { ...process.env, [updatedVariable]: '1' },
    stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
  })
  let hasConnected = false
  child.once('message', () => void (hasConnected = true))
  child.stdin?.on('error', () => undefined).end(token)
  const stop = () => void child.kill('SIGTERM')
  signal.addEventListener('abort', stop, { once: true })
  const deadline = setTimeout(() => void (hasConnected || child.kill('SIGKILL')), withinMs)
  const code = await exitCodeOf(child)
  clearTimeout(deadline)
  signal.removeEventListener('abort', stop)
  if (hasConnected || signal.aborted) return code
  await writeFile(join(stateFolder, failedFile), digest)
  return null
}

/** The program that failed last. It is tried again after a day, because the network may have been the reason. */
async function failedDigest(stateFolder: string): Promise<string> {
  const path = join(stateFolder, failedFile)
  const modifiedAt = await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
  return Date.now() - modifiedAt < retryFailedMs ? readFile(path, 'utf8') : ''
}

function exitCodeOf(child: ChildProcess): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  child.once('error', reject).once('exit', (code) => resolve(code ?? 1))
  return promise
}
