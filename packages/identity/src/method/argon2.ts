/** Password hashes: argon2id (RFC 9106) in the PHC string format. */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import PQueue from 'p-queue'

/** What a hash costs: KiB of memory, passes over it, lanes. */
export interface Hashing {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

/** OWASP's password storage cheat sheet: 19 MiB, two passes, one lane. */
export const defaultHashing: Hashing = { memory: 19 * 1024, passes: 2, parallelism: 1 }
const hashBytes = 32
const derive = promisify(argon2)
/** More at once would be no faster, and each takes its 19 MiB: the others wait. */
const queue = new PQueue({ concurrency: availableParallelism() })

/** The PHC string of a password. Equal passwords in any Unicode composition have equal hashes. */
export async function hashPassword(password: string, cost: Hashing = defaultHashing): Promise<string> {
  const salt = randomBytes(16)
  const hash = await run(password, salt, cost, hashBytes)
  return phc(cost, salt, hash)
}

/** Compares a password with a PHC string, in time that does not depend on how alike they are. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const read = parse(stored)
  if (!read) return false
  return timingSafeEqual(await run(password, read.salt, read.parameters, read.hash.length), read.hash)
}

/** True when a hash was made with other parameters than new ones are. */
export function isOutdated(stored: string, cost: Hashing = defaultHashing): boolean {
  const read = parse(stored)
  return !read || phc(read.parameters, read.salt, read.hash) !== phc(cost, read.salt, read.hash)
}

const decoys = new Map<string, Promise<string>>()
/** A hash of no password, compared with where there is no account: unknown must cost what known costs. */
export function decoyHash(cost: Hashing = defaultHashing): Promise<string> {
  const key = `${cost.memory} ${cost.passes} ${cost.parallelism}`
  const decoy = decoys.get(key) ?? hashPassword(randomBytes(32).toString('base64'), cost)
  decoys.set(key, decoy)
  return decoy
}

function run(
  password: string,
  salt: Buffer,
  { memory, passes, parallelism }: Hashing,
  length: number,
): Promise<Buffer> {
  const message = password.normalize('NFC')
  return queue.add(() => derive('argon2id', { message, nonce: salt, memory, passes, parallelism, tagLength: length }))
}

function phc({ memory, passes, parallelism }: Hashing, salt: Buffer, hash: Buffer): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(hash)}`
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

const phcFormat = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

function parse(stored: string): { parameters: Hashing; salt: Buffer; hash: Buffer } | null {
  const [, memory, passes, parallelism, salt, hash] = phcFormat.exec(stored) ?? []
  if (!salt || !hash) return null
  return {
    parameters: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}
