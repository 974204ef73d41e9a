import { getSystemErrorMessage } from 'node:util'

/** The code of an error of Node.js or PostgreSQL, such as `ENOENT` or `23505`; empty if it has none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** Why a system call failed, such as "no such file or directory"; the message of any other error. */
export function systemReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'errno' in error && typeof error.errno === 'number' ? getSystemErrorMessage(error.errno) : error.message
}
