/** The result of one check. */
export interface Result {
  readonly level: 'ok' | 'warning' | 'error'
  readonly check: string
  /** What was found and, unless it is fine, how to fix it. */
  readonly text: string
}

export function ok(check: string, text: string): Result {
  return { level: 'ok', check, text }
}

export function warning(check: string, text: string): Result {
  return { level: 'warning', check, text }
}

export function error(check: string, text: string): Result {
  return { level: 'error', check, text }
}
