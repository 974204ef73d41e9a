/** What `early.js` asked while the program was on its way: the configuration, who is signed in, and the plan. */

interface Early {
  readonly answers: Map<string, Promise<Response>>
  /** When all has been asked that the configuration names the addresses of. */
  readonly asked: Promise<void>
}
const early = () => (globalThis as { glacisEarly?: Early }).glacisEarly

/** After this it is asked anew: the page was opened long ago. In milliseconds. */
const freshMs = 10_000

/** As `fetch`. An answer that was begun early is handed out once, to the first who asks for the same address. */
export async function fetchEarly(address: string, init: RequestInit): Promise<Response> {
  const begun = early()?.answers.get(address)
  early()?.answers.delete(address)
  if (!begun || performance.now() > freshMs) return fetch(address, init)
  return begun.catch(() => fetch(address, init))
}

/** Resolves when there is nothing more that would be asked twice. */
export async function allAsked(): Promise<void> {
  await early()?.asked
}
