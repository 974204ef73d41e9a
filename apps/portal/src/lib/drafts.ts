/**
 * Drafts that a user was writing when the session ended. They stay in this tab's session storage until the same user
 * signs in again and returns to the page.
 */
const storageKey = 'glacis.unsent'
interface SavedDrafts {
  readonly owner: string
  /** The page's URL when the session ended. */
  readonly address: string
  readonly texts: Readonly<Record<string, string>>
}

/** Current drafts on this page, by state name. */
export const currentDrafts = new Map<string, string>()
let owner = ''

/** Sets the current user and discards another user's drafts. */
export function setDraftOwner(person: string): void {
  owner = person
  const saved = readSavedDrafts()
  if (saved && saved.owner !== person) writeSavedDrafts(undefined)
}

/** Saves this page's drafts before redirecting to the login page. */
export function saveDrafts(address: string): void {
  writeSavedDrafts({ owner, address, texts: Object.fromEntries(currentDrafts) })
}

/** Undefined without saved drafts, or if the browser blocks session storage. */
export function readSavedDrafts(): SavedDrafts | undefined {
  try {
    const text = sessionStorage.getItem(storageKey)
    return text === null ? undefined : (JSON.parse(text) as SavedDrafts) // written by `writeSavedDrafts`
  } catch {
    return undefined
  }
}

export function writeSavedDrafts(drafts: SavedDrafts | undefined): void {
  try {
    if (drafts) sessionStorage.setItem(storageKey, JSON.stringify(drafts))
    else sessionStorage.removeItem(storageKey)
  } catch {
    // Without session storage, the drafts are lost.
  }
}
