/** Extracts values from a response. */
import { toText } from '#template/dsl-value.ts'
import type { Query } from '#template/jq.ts'
import type { ResponseParts, Extractor } from '#template/template.ts'
import { spend, spendBytes } from '#unit.ts'

/** Limits per extractor: number of values and length of each, in characters. */
const VALUES_MAX = 50
const VALUE_LENGTH_MAX = 2048

/**
 * Distinct values as byte strings, in order of appearance.
 *
 * @throws Stopped
 */
export function extract(extractor: Extractor, response: ResponseParts): string[] {
  const values = [...new Set(read(extractor, response))].filter((value) => value !== '')
  const limited = values.slice(0, VALUES_MAX).map((value) => value.slice(0, VALUE_LENGTH_MAX))
  spendBytes(limited.reduce((sum, value) => sum + value.length, 0))
  return limited
}

function read(extractor: Extractor, response: ResponseParts): string[] {
  if (extractor.type === 'kval') {
    spend(extractor.keys.length)
    return extractor.keys.flatMap((key) => textOf(response, key) ?? [])
  }
  if (extractor.type === 'dsl') {
    return extractor.expressions.flatMap((expression) => {
      const value = expression.evaluate(response.get)
      return value === undefined ? [] : [toText(value)]
    })
  }
  const part = textOf(response, extractor.part === '' ? response.defaultPart : extractor.part)
  if (part === undefined) return []
  if (extractor.type === 'json') return readJson(extractor.queries, part)
  if (extractor.type === 'xpath') return extractor.paths.flatMap((path) => path.read(part, extractor.attribute))
  return extractor.patterns.flatMap((pattern) =>
    pattern.matches(part).flatMap((groups) => groups[extractor.group] ?? []),
  )
}

function textOf(response: ResponseParts, name: string): string | undefined {
  const value = response.get(name)
  return value === undefined ? undefined : toText(value)
}

function readJson(queries: readonly Query[], text: string): string[] {
  spend(text.length)
  const root = parseJson(Buffer.from(text, 'latin1').toString('utf8'))
  if (root === undefined) return []
  return queries
    .flatMap((query) => query(root))
    .filter((value) => value !== null && value !== undefined)
    .map((value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value), 'utf8').toString('latin1'))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
