/** Mentions of members in comments: `@` and the name, or the email address if the name isn't unique. */
import type { Member } from '@glacis/contract/workspace'

export type Person = Pick<Member, 'id' | 'name' | 'email'>

/** A part of a comment; a mention has the ID of its member. */
export interface Part {
  readonly text: string
  readonly id?: string
}

/** The text after `@` that mentions a member. */
export function mentionToken({ name, email }: Person, people: readonly Person[]): string {
  const isUnique = people.filter((other) => other.name.toLowerCase() === name.toLowerCase()).length === 1
  return isUnique && name ? name : email
}

/** Splits a text at its mentions. Longer names win, so that `@Max Keller` never mentions a `Max`. */
export function splitMentions(text: string, people: readonly Person[]): Part[] {
  const tokens = people
    .map((person) => ({ id: person.id, token: `@${mentionToken(person, people)}` }))
    .toSorted((a, b) => b.token.length - a.token.length)
  const parts: Part[] = []
  let start = 0
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const found = at >= start && !isWord(text[at - 1]) && tokens.find(({ token }) => isTokenAt(text, at, token))
    if (!found) continue
    const end = at + found.token.length
    if (at > start) parts.push({ text: text.slice(start, at) })
    parts.push({ text: text.slice(at, end), id: found.id })
    start = end
  }
  if (start < text.length) parts.push({ text: text.slice(start) })
  return parts
}

/** The IDs of the members that a text mentions. */
export function mentionedIds(text: string, people: readonly Person[]): string[] {
  return [...new Set(splitMentions(text, people).flatMap(({ id }) => id ?? []))]
}

/** The unfinished mention before the cursor, and the members it could become. */
export interface MentionQuery {
  /** The position of its `@`. */
  readonly start: number
  readonly options: readonly Person[]
}

const optionsMax = 8
const queryMax = 60

/** Undefined if the cursor isn't in a mention, or if no member matches it. */
export function mentionQuery(text: string, cursor: number, people: readonly Person[]): MentionQuery | undefined {
  const start = text.lastIndexOf('@', cursor - 1)
  const typed = text.slice(start + 1, cursor)
  if (start < 0 || isWord(text[start - 1]) || typed.length > queryMax || typed.includes('\n')) return undefined
  const query = typed.toLowerCase()
  const options = people
    .filter(({ name, email }) =>
      [name, ...name.split(/\s+/), email].some((word) => word.toLowerCase().startsWith(query)),
    )
    .slice(0, optionsMax)
  return options.length > 0 ? { start, options } : undefined
}

function isTokenAt(text: string, at: number, token: string): boolean {
  const end = at + token.length
  return text.slice(at, end).toLowerCase() === token.toLowerCase() && !isWord(text[end])
}

function isWord(letter: string | undefined): boolean {
  return letter !== undefined && /[\p{L}\p{N}_]/u.test(letter)
}
