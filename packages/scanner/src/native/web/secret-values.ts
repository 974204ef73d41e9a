/** A value in JSON that isn't masked, empty, or a placeholder; the source of a regular expression. */
export const unmasked: string = String.raw`(?!\*|•|x{3}|<|\\u003c|\$\{|change|redacted|hidden|string"|example)[^"\s]{4,200}`

/** A word such as "Password" or "Kennwort:", as in translations of a form. */
export function isLabel(value: string): boolean {
  return /^\p{Lu}[\p{L}\p{M}]*[.:…!?]?$/u.test(value)
}

const exampleUrl =
  /:\/\/(?:(?:my|your)?[_-]?(?:user(?:_?name)?|usr|login|name):(?:my|your)?[_-]?(?:pass(?:word|wd|phrase)?|pwd|secret)\d{0,3}@|[^@]{0,200}@(?:(?:my|your)?[_-]?(?:host(?:_?name)?|server)|(?:[\w-]{1,60}\.){0,4}example(?:\.\w{2,5})?)$)/i

/** A connection in the help of a form, such as `postgres://user:password@host`. */
export function isExampleUrl(url: string): boolean {
  return exampleUrl.test(url)
}
