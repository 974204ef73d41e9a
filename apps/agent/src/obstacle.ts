/** What keeps the agent from working and a person can mend; the message is printed as it stands. */
export class Obstacle extends Error {
  /** 1, or 78 (EX_CONFIG of sysexits.h) where starting it again as it is cannot help. */
  readonly exitCode: 1 | 78
  constructor(message: string, { exitCode = 1, ...options }: ErrorOptions & { exitCode?: 1 | 78 } = {}) {
    super(message, options)
    this.name = 'Obstacle'
    this.exitCode = exitCode
  }
}
