/** What an expression quotes, told by whether it wants it there or not. */

const TOKEN = /"([^"\\]{0,200})"|'([^'\\]{0,200})'|"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|![=~]|[!()]/g
const LENGTH_MIN = 3
const MEDIA_TYPE = /^(?:content-type:\s*)?(?:application|audio|font|image|text|video)\/[\w.+-]*(?:;.*)?$/i

/**
 * The texts that an expression quotes and whose presence speaks for it, without those under a `!`: such a
 * text is in the answer only where another branch made the expression true.
 *
 * @param source of an expression that has been parsed
 */
export function quotedFor(source: string): string[] {
  const quoted: string[] = []
  const outer: boolean[] = []
  let [isDenied, isNext] = [false, false]
  for (const [token, one, other] of source.matchAll(TOKEN)) {
    const text = one ?? other
    if (token.startsWith('!')) isNext = !isNext
    else if (token === '(') {
      outer.push(isDenied)
      isDenied = isDenied !== isNext
      isNext = false
    } else if (token === ')') isDenied = outer.pop() ?? false
    else {
      if (text !== undefined && text.length >= LENGTH_MIN && isDenied === isNext) quoted.push(text)
      isNext = false
    }
  }
  return quoted
}

/** True for a text that says only of what kind an answer is, such as `text/html`: no proof that something is missing in it. */
export function isMediaType(text: string): boolean {
  return MEDIA_TYPE.test(text)
}
