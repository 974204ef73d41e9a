/** The code of an error of Node.js or PostgreSQL, such as `ENOENT` or `23505`; empty if it has none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
