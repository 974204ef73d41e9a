/** Verbs in the paths, queries, and function names of an application. */
export const destructive = new Set(
  'clear delete destroy drop flush kill purge reboot remove reset restart shutdown stop terminate truncate wipe'.split(
    ' ',
  ),
)
const changing = new Set(
  'add cancel clone create deploy disable edit empty enable execute export import insert install new pause promote resume retry run save schedule start trigger uninstall update upload'.split(
    ' ',
  ),
)

/** The verb that is a whole part of a path, query, or function name, such as `delete` in `/users/delete/1`. */
export function verbIn(target: string): string | undefined {
  if (/^(?:(?!javascript)[a-z][\w+.-]{0,20}:|\/\/)/i.test(target)) return undefined
  const parts = target
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z_-]+/)
  // Titles of articles have more words than `create-table`.
  const words = parts.flatMap((part) => (part.split('-').length > 2 ? [] : part.split(/[_-]/)))
  return words.find((word) => destructive.has(word)) ?? words.find((word) => changing.has(word))
}

/** Whether a GET request for this target could destroy something or end a session. */
export function isDestructive(target: string): boolean {
  return destructive.has(verbIn(target) ?? '') || /\b(?:log|sign)-?(?:off|out)\b|\bunsubscribe\b/i.test(target)
}
