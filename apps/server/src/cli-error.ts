/**
 * An error the operator can fix, such as a port in use or an invalid setting. The message states what failed and what to
 * do. It is printed as is, without a stack, and the exit code is 1.
 */
export class CliError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'CliError'
  }
}

/** Invalid command-line arguments; the exit code is 2. */
export class UsageError extends CliError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'UsageError'
  }
}

/** What is wrong with the arguments, from an error of `parseArgs`, which also explains `--`. */
export function argumentProblem(error: unknown): string {
  const [sentence] = (error instanceof Error ? error.message : String(error)).split(/\. |\n/)
  return `${sentence}.`
}
