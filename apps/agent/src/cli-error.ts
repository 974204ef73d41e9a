import { getSystemErrorMessage } from 'node:util'

/** An error that the operator can fix. The message is printed as is. */
export class CliError extends Error {
  /** 1, 2 for invalid arguments, or 78 (EX_CONFIG in sysexits.h) when restarting with the same configuration can't help. */
  readonly exitCode: 1 | 2 | 78
  constructor(message: string, { exitCode = 1, ...options }: ErrorOptions & { exitCode?: 1 | 2 | 78 } = {}) {
    super(message, options)
    this.name = 'CliError'
    this.exitCode = exitCode
  }
}

/** Invalid command-line arguments. */
export class UsageError extends CliError {
  constructor(message: string, options?: ErrorOptions) {
    super(`${message} Run "npx glacis agent --help" for the options.`, { ...options, exitCode: 2 })
  }
}

/** Why a system call failed, such as "no such file or directory"; the message of any other error. */
export function systemReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'errno' in error && typeof error.errno === 'number' ? getSystemErrorMessage(error.errno) : error.message
}
