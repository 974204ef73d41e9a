/** Converts unique violations caused by concurrent inserts. */

/** @throws the error created by `toError` on a unique violation */
export async function mapUniqueViolation<T>(statement: Promise<T>, toError: () => Error): Promise<T> {
  try {
    return await statement
  } catch (error) {
    throw isUniqueViolation(error) ? toError() : error
  }
}

/** SQLSTATE unique_violation. */
function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505'
}
