/** Classifies database errors that are unrelated to the query: connection loss and exhausted resources. */
import { errorCode } from '#error-code.ts'

/** Whether the connection failed, or the database is shutting down or out of connections (SQLSTATE 08, 57P, 53300). */
export function isConnectionLoss(error: unknown): boolean {
  return (
    /^(08|57P|53300)|^(ECONNREFUSED|ECONNRESET|ENOENT|EPIPE)$/.test(errorCode(error)) ||
    // Errors of `pg` and its pool have no code.
    (error instanceof Error &&
      /^Connection terminated|is not queryable$|has been discarded$|timeout exceeded when trying to connect/.test(
        error.message,
      ))
  )
}

/** Whether the pool was closed by our own shutdown. */
export function isPoolClosed(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('driver has already been destroyed')
}

/** Whether disk or memory is exhausted (the rest of SQLSTATE class 53). */
export function isOutOfResources(error: unknown): boolean {
  return !isConnectionLoss(error) && /^53|^ENOSPC$/.test(errorCode(error))
}
