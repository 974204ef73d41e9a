/** String literals of an expression, by whether their presence or absence is required. */

const TOKEN = /"([^"\\]{0,200})"|'([^'\\]{0,200})'|"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|![=~]|[!()]/g
const LENGTH_MIN = 3
const MEDIA_TYPE = /^(?:content-type:\s*)?(?:application|audio|font|image|text|video)\/[\w.+-]*(?:;.*)?$/i

/**
 * String literals whose presence supports the expression, excluding those under `!`. Such a literal
 * only occurs in a response when a different branch made the expression true.
 *
 * @param source of a successfully parsed expression
 */
export function supportingLiterals(source: string): string[] {
  const literals: string[] = []
  const outer: boolean[] = []
  let [isNegated, negatesNext] = [false, false]
  for (const [token, doubleQuoted, singleQuoted] of source.matchAll(TOKEN)) {
    const text = doubleQuoted ?? singleQuoted
    if (token.startsWith('!')) negatesNext = !negatesNext
    else if (token === '(') {
      outer.push(isNegated)
      isNegated = isNegated !== negatesNext
      negatesNext = false
    } else if (token === ')') isNegated = outer.pop() ?? false
    else {
      if (text !== undefined && text.length >= LENGTH_MIN && isNegated === negatesNext) literals.push(text)
      negatesNext = false
    }
  }
  return literals
}

/**
 * Whether a literal only describes the content type, such as `text/html`, which is no proof of
 * absence.
 */
export function isMediaType(text: string): boolean {
  return MEDIA_TYPE.test(text)
}
