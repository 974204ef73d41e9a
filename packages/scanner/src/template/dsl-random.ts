/** Functions with random or time-dependent results, such as per-check tokens. */
import { randomInt } from 'node:crypto'
import { noValue, toNumber, toText, type DslValue } from '#template/dsl-value.ts'

const LENGTH_MAX = 64 * 1024
const digits = '0123456789'
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

type Call = (args: readonly DslValue[]) => DslValue

/** By name without underscores, like the other functions. */
export const randomFunctions: ReadonlyMap<string, Call> = new Map<string, Call>([
  [
    'randbase',
    ([length, from]) => pick(length, from === undefined || toText(from) === '' ? letters + digits : toText(from)),
  ],
  ['randchar', ([from]) => pick(1, from === undefined || toText(from) === '' ? letters + digits : toText(from))],
  ['randtextalpha', ([length, excluded]) => pick(length, letters, excluded)],
  ['randtextalphanumeric', ([length, excluded]) => pick(length, letters + digits, excluded)],
  ['randtextnumeric', ([length, excluded]) => pick(length, digits, excluded)],
  ['randint', ([min = 0, most = 2 ** 31 - 1]) => between(toNumber(min), toNumber(most))],
  ['unixtime', ([seconds = 0]) => Math.floor(Date.now() / 1000) + toNumber(seconds)],
  ['tounixtime', ([text = '']) => Math.floor(numberOf(Date.parse(toText(text))) / 1000)],
  ['datetime', ([format = '', at]) => dateText(toText(format), at === undefined ? Date.now() : toNumber(at) * 1000)],
])

function pick(length: DslValue = 1, from: string, excluded: DslValue = ''): string {
  const count = toNumber(length)
  const characters = from.split('').filter((sign) => !toText(excluded).includes(sign))
  if (!(count >= 0 && count <= LENGTH_MAX) || characters.length === 0) return noValue()
  return Array.from({ length: Math.floor(count) }, () => characters[randomInt(characters.length)] ?? '').join('')
}

function between(min: number, most: number): number {
  const [from, to] = [Math.floor(min), Math.floor(most)]
  if (!(to >= from && to - from < 2 ** 47 && Number.isSafeInteger(from))) return noValue()
  return to === from ? from : randomInt(from, to)
}

/** Formats a UTC date with this DSL's variant of the C specifiers (`%Y-%M-%D %H:%m:%S`). */
function dateText(format: string, timeMs: number): string {
  const time = new Date(numberOf(timeMs))
  if (Number.isNaN(time.getTime())) return noValue()
  const two = (number: number) => String(number).padStart(2, '0')
  const parts: Readonly<Record<string, string>> = {
    Y: String(time.getUTCFullYear()),
    M: two(time.getUTCMonth() + 1),
    D: two(time.getUTCDate()),
    H: two(time.getUTCHours()),
    m: two(time.getUTCMinutes()),
    S: two(time.getUTCSeconds()),
  }
  return format.replace(/%([YMDHmS])/g, (whole, sign: string) => parts[sign] ?? whole)
}

function numberOf(number: number): number {
  return Number.isNaN(number) ? noValue() : number
}
