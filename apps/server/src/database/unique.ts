/** Handles unique violations caused by concurrent inserts. */

/** @throws the error created by `taken` on a unique violation */
export async function unlessTaken<T>(written: Promise<T>, taken: () => Error): Promise<T> {
  try {
    return await written
  } catch (error) {
    throw isTaken(error) ? taken() : error
  }
}

/** SQLSTATE unique_violation. */
function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505'
}
