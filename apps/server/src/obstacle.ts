/**
 * What keeps Glacis from starting or running and a person can mend: a taken port, a wrong setting,
 * a folder that cannot be written. The message is one sentence (or a short list of them) that says
 * what is wrong and what to do; it is printed as it stands, without a stack, and the exit code is 1.
 */
export class Obstacle extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'Obstacle'
  }
}

/** Words behind a command that it does not know; the exit code is 2. */
export class WrongWords extends Obstacle {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'WrongWords'
  }
}
