/** An error that the operator can fix. The message is printed as is. */
export class CliError extends Error {
  /** 1, or 78 (EX_CONFIG in sysexits.h) when restarting with the same configuration can't help. */
  readonly exitCode: 1 | 78
  constructor(message: string, { exitCode = 1, ...options }: ErrorOptions & { exitCode?: 1 | 78 } = {}) {
    super(message, options)
    this.name = 'CliError'
    this.exitCode = exitCode
  }
}
