/** What `early.js` asked while the program was on its way: the configuration, and who is signed in. */

/** After this it is asked anew: the page was opened long ago. In milliseconds. */
const freshMs = 10_000

/** As `fetch`. An answer that was begun early is handed out once, to the first who asks for the same address. */
export async function fetchEarly(address: string, init: RequestInit): Promise<Response> {
  const { glacisEarly: answers } = globalThis as { glacisEarly?: Map<string, Promise<Response>> }
  const begun = answers?.get(address)
  answers?.delete(address)
  if (!begun || performance.now() > freshMs) return fetch(address, init)
  return begun.catch(() => fetch(address, init))
}
