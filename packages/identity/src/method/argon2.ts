/** Password hashes: argon2id (RFC 9106) in the PHC string format. */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import PQueue from 'p-queue'

/** Argon2id parameters; memory is in KiB. */
export interface HashCost {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

/** OWASP Password Storage Cheat Sheet: 19 MiB, two passes, parallelism 1. */
export const defaultHashCost: HashCost = { memory: 19 * 1024, passes: 2, parallelism: 1 }
const hashBytes = 32
const argon2Async = promisify(argon2)
/** More concurrent hashes wouldn't be faster, and each one allocates 19 MiB. */
const queue = new PQueue({ concurrency: availableParallelism() })

/** Hashes a password to a PHC string. Unicode is normalized to NFC. */
export async function hashPassword(password: string, cost: HashCost = defaultHashCost): Promise<string> {
  const salt = randomBytes(16)
  const hash = await deriveHash(password, salt, cost, hashBytes)
  return encodePhc(cost, salt, hash)
}

/** Verifies a password against a PHC string in constant time. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const parsed = parsePhc(stored)
  if (!parsed) return false
  return timingSafeEqual(await deriveHash(password, parsed.salt, parsed.parameters, parsed.hash.length), parsed.hash)
}

/** True if a hash doesn't use the current parameters. */
export function isOutdated(stored: string, cost: HashCost = defaultHashCost): boolean {
  const parsed = parsePhc(stored)
  return !parsed || encodePhc(parsed.parameters, parsed.salt, parsed.hash) !== encodePhc(cost, parsed.salt, parsed.hash)
}

const decoys = new Map<string, Promise<string>>()
/** A hash to verify against for unknown accounts, so that response times don't reveal whether an account exists. */
export function decoyHash(cost: HashCost = defaultHashCost): Promise<string> {
  const key = `${cost.memory} ${cost.passes} ${cost.parallelism}`
  const decoy = decoys.get(key) ?? hashPassword(randomBytes(32).toString('base64'), cost)
  decoys.set(key, decoy)
  return decoy
}

function deriveHash(
  password: string,
  salt: Buffer,
  { memory, passes, parallelism }: HashCost,
  length: number,
): Promise<Buffer> {
  const message = password.normalize('NFC')
  return queue.add(() =>
    argon2Async('argon2id', { message, nonce: salt, memory, passes, parallelism, tagLength: length }),
  )
}

function encodePhc({ memory, passes, parallelism }: HashCost, salt: Buffer, hash: Buffer): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(hash)}`
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

const phcFormat = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

function parsePhc(stored: string): { parameters: HashCost; salt: Buffer; hash: Buffer } | null {
  const [, memory, passes, parallelism, salt, hash] = phcFormat.exec(stored) ?? []
  if (!salt || !hash) return null
  return {
    parameters: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}
