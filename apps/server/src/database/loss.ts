/** Errors that say nothing about the question: the database was not there, or had no room. */

/** Whether the connection broke or was refused, or the database shuts down or has no client free (SQLSTATE 08, 57P, 53300). */
export function isAway(error: unknown): boolean {
  return (
    /^(08|57P|53300)|^(ECONNREFUSED|ECONNRESET|ENOENT|EPIPE)$/.test(codeOf(error)) ||
    // What the libraries say of their own connections and pools has no code.
    (error instanceof Error &&
      /^Connection terminated|is not queryable$|has been discarded$|timeout exceeded when trying to connect/.test(
        error.message,
      ))
  )
}

/** Whether we ourselves have left the database, because we stop. */
export function isLeft(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('driver has already been destroyed')
}

/** Whether the disk is full or the memory used up (the rest of SQLSTATE class 53). */
export function isShort(error: unknown): boolean {
  return !isAway(error) && /^53|^ENOSPC$/.test(codeOf(error))
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
