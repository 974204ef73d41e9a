/**
 * What `early.js` asked while the program was on its way: the configuration, who is signed in, the plan, and what the
 * page shows first.
 */

interface Early {
  readonly parts: readonly string[]
  readonly answers: Map<string, Promise<Response>>
  /** When all has been asked that the configuration names the addresses of. */
  readonly asked: Promise<void>
  /** When the frame of the document shows what the answers say of this page. */
  readonly shown: Promise<unknown>
  /** Whether an answer for this page is there, or on its way, that nobody has taken. */
  readonly isPageAsked: () => boolean
}
const early = () => (globalThis as { glacisEarly?: Early }).glacisEarly

/** The files of the program and of this page, each after those that it needs; none where the build names none. */
export function partsOfPage(): readonly string[] {
  return early()?.parts ?? []
}

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

/** Resolves when the document shows all that it can say of this page, or when that takes too long. */
export async function answersShown(): Promise<void> {
  const patience = new Promise((resume) => setTimeout(resume, frameWaitMs))
  await Promise.race([early()?.shown, patience])
}

/** What the answers say belongs to the first look at a page; beyond this, the program is worth more. In milliseconds. */
const frameWaitMs = 200

/** How long a page waits for answers that would change what it is while it is looked at. In milliseconds. */
const answerWaitMs = 300

/**
 * Waits for what the first page begins with, where `early.js` has asked for it: the page is built once, with what it
 * shows, instead of empty and then anew. Later pages do not wait.
 *
 * @param load loads the answers into the cache
 */
export async function firstAnswers(load: () => Promise<unknown>): Promise<void> {
  if (early()?.isPageAsked()) await soon(load())
}

/** Waits for an answer, but not for long. */
export async function soon(answer: Promise<unknown>): Promise<void> {
  await Promise.race([answer, new Promise((resume) => setTimeout(resume, answerWaitMs))])
}
