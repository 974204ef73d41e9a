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
/** Verbs that indicate a change in a call, but not as the label of a page control. */
const called = new Set(
  'abort activate apply approve close confirm deactivate exec finish logout move register reload rename restore send set sync upgrade write'.split(
    ' ',
  ),
)
/** Verbs that end the program. Hudson exits on `GET /exit`. */
const ending = new Set('exit halt quit'.split(' '))

/** The verb that is a whole part of a path, query, or function name, such as `delete` in `/users/delete/1`. */
export function verbIn(target: string): string | undefined {
  if (/^(?:(?!javascript)[a-z][\w+.-]{0,20}:|\/\/)/i.test(target)) return undefined
  const words = wordsIn(target)
  return words.find((word) => destructive.has(word)) ?? words.find((word) => changing.has(word))
}

function wordsIn(target: string): readonly string[] {
  const parts = target
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z_-]+/)
  // Titles of articles have more words than `create-table`.
  return parts.flatMap((part) => (part.split('-').length > 2 ? [] : part.split(/[_-]/)))
}

/** Whether a call with this path could change something although it uses GET. An export only reads. */
export function isChanging(path: string): boolean {
  return wordsIn(path).some(
    (word) => word !== 'export' && [destructive, changing, called, ending].some((verbs) => verbs.has(word)),
  )
}

/** Whether a GET request for this target could destroy something, or end a session or the program. */
export function isDestructive(target: string): boolean {
  if (wordsIn(target).some((word) => ending.has(word))) return true
  return destructive.has(verbIn(target) ?? '') || /\b(?:log|sign)[-_]?(?:off|out)\b|\bunsubscribe\b/i.test(target)
}

/** Verbs and nouns of operations that compute or look up something and store nothing. */
const reading =
  /(?:^|[/_-])(?:calc|calculate|check(?!-?(?:in|out)\b)|compute|convert|diagnose|diagnostics?|estimate|fetch|find|format|lint|look-?up|parse|ping|preview|price|probe|query|quote|render|resolve|scrape|search|simulate|stock|test|trace-?route|transform|translate|unfurl|validate|validator|verify|whois)(?=$|[/_.-])/i

/** Whether the last part of a path names an operation that stores nothing, such as the preview of an import. */
export function onlyReads(path: string): boolean {
  const name = path.slice(path.replace(/\/$/, '').lastIndexOf('/'))
  return reading.test(name) && !isChanging(name)
}
