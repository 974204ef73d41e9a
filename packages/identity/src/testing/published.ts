/**
 * The shapes of the protocol's published OpenAPI document, read from the declarations of the official
 * client, which are generated from it.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const models = join(dirname(createRequire(import.meta.url).resolve('@ory/client-fetch')), 'models')
const texts = new Map<string, string>()

/** Stands in each enumeration of the client for words that a later document may add. */
const stranger = '11184809'

/**
 * Where a value differs from a published shape: each place with what is wrong there. Members that the
 * document does not name are allowed, as it allows them.
 *
 * @param type as the declarations write it, such as `Session` or `Array<Session>`
 * @throws where they write it in a way that is not known here
 */
export function differences(type: string, value: unknown, at = type): string[] {
  const nullable = / \| null$/.exec(type)
  if (nullable) return value === null ? [] : differences(type.slice(0, nullable.index), value, at)
  if (type === 'any') return []
  if (/^(string|number|boolean)$/.test(type)) return typeof value === type ? [] : [`${at} is no ${type}`]
  if (type === 'object') return isObject(value) ? [] : [`${at} is no object`]
  if (type === 'Date') return isTime(value) ? [] : [`${at} is no time`]
  if (/^'.*'$/.test(type)) return `'${String(value)}'` === type ? [] : [`${at} is not ${type}`]
  const item = /^Array<(.*)>$/.exec(type)?.[1]
  if (item) {
    if (!Array.isArray(value)) return [`${at} is no list`]
    return value.flatMap((one, index) => differences(item, one, `${at}[${index}]`))
  }
  return named(type, value, at)
}

function named(type: string, value: unknown, at: string): string[] {
  // A flow's own words stand beside it, as in `LoginFlowActiveEnum` of `LoginFlow`.
  const text = textOf(type) ?? ownerOf(type)
  const words = new RegExp(`const ${type}: \\{([^}]*)\\}`).exec(text)?.[1]
  if (words) {
    const known = [...words.matchAll(/"(.*)"/g)].flatMap(([, word = '']) => (word === stranger ? [] : [word]))
    return known.includes(String(value)) ? [] : [`${at} is ${String(value)}, none of ${known.join(', ')}`]
  }
  if (!isObject(value)) return [`${at} is no object`]
  const members = new RegExp(`interface ${type} \\{\\n([^]*?)\\n\\}`).exec(text)?.[1]
  if (members !== undefined) {
    const all = members.matchAll(/^ {4}'?(\w+)'?(\??): (.*);$/gm)
    return [...all].flatMap(([, name = '', mark, kind = '']) => {
      const one = value[name]
      if (one === undefined) return mark ? [] : [`${at}.${name} is missing`]
      return differences(kind, one, `${at}.${name}`)
    })
  }
  const kinds = [...text.matchAll(/(\w+): '(\w+)';\n\} & (\w+)/g)]
  const [, , , kind] = kinds.find(([, name = '', word]) => value[name] === word) ?? []
  if (kinds.length === 0) throw new Error(`${type} is declared in a way that is not known`)
  return kind ? differences(kind, value, at) : [`${at} is of no kind that is published`]
}

function textOf(type: string): string | undefined {
  const known = texts.get(type)
  if (known !== undefined) return known
  try {
    const text = readFileSync(join(models, `${type}.d.ts`), 'utf8').replaceAll(/^ *\/\*\*[^]*?\*\/\n/gm, '')
    texts.set(type, text)
    return text
  } catch {
    return undefined
  }
}

function ownerOf(type: string): string {
  for (const text of texts.values()) if (text.includes(`const ${type}: `)) return text
  throw new Error(`${type} is not declared`)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT.*Z$/.test(value) && !Number.isNaN(Date.parse(value))
}
