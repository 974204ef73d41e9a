/**
 * What somebody was writing when their session ended. It waits in this tab, and only there, until the same person has
 * signed in again and comes back to where they wrote it.
 */
const place = 'glacis.unsent'
interface Unsent {
  readonly owner: string
  /** Where the session ended. */
  readonly address: string
  readonly texts: Readonly<Record<string, string>>
}

/** What is being written on this page now, under the name of each state. */
export const written = new Map<string, string>()
let owner = ''

/** Says who writes from now on; what somebody else left is thrown away. */
export function unsentBelongsTo(person: string): void {
  owner = person
  const kept = readUnsent()
  if (kept && kept.owner !== person) writeUnsent(undefined)
}

/** Puts away what is being written on this page, which is about to give way to the login page. */
export function putAway(address: string): void {
  writeUnsent({ owner, address, texts: Object.fromEntries(written) })
}

/** A browser that forbids it keeps nothing. */
export function readUnsent(): Unsent | undefined {
  try {
    const text = sessionStorage.getItem(place)
    return text === null ? undefined : (JSON.parse(text) as Unsent) // written below
  } catch {
    return undefined
  }
}

export function writeUnsent(unsent: Unsent | undefined): void {
  try {
    if (unsent) sessionStorage.setItem(place, JSON.stringify(unsent))
    else sessionStorage.removeItem(place)
  } catch {
    // It is lost then, as it would be without this.
  }
}
