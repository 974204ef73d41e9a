/** What a unique index refuses although it was free a moment ago: somebody else was quicker. */

/** @throws what `taken` makes of it where another row holds already what a row may hold alone */
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
