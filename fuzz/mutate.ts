/** Inputs for parsers: mutations of valid samples, which reach deeper than random text. */
import fc from 'fast-check'

/** Characters that mean something to a parser, and those that break assumptions about length or order. */
const interesting = [
  ...`\0\t\n\r !"#$%&'()*+,-./09:;<=>?@AZ[\\]^_\`az{|}~`.split(''),
  '\u00a0',
  '\u0130', // two characters in lower case
  '\u0301', // combining
  '\u200b',
  '\u202e', // right to left
  '\ud800', // half of a pair
  '𝒢',
  '..',
  '{{',
  '}}',
  '&#x',
  '%00',
  '1e999',
  '-1',
  '99999999999999999999',
  '__proto__',
]

/** From 0 (inclusive) to 1 (exclusive), uniformly: most of the numbers that `fc.double` generates are close to 0. */
export const fraction = fc.nat(2 ** 31 - 1).map((number) => number / 2 ** 31)

const edit = fc.record({
  kind: fc.constantFrom('insert', 'remove', 'repeat', 'cut', 'splice'),
  at: fraction,
  length: fc.nat(24),
  times: fc.nat(40),
  text: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...interesting) },
    fc.string({ unit: 'binary', maxLength: 8 }),
  ),
})
type Edit = typeof edit extends fc.Arbitrary<infer Value> ? Value : never

/** A sample with up to six edits. */
export function mutated(samples: readonly string[]): fc.Arbitrary<string> {
  const apply = (text: string, { kind, at, length, times, text: inserted }: Edit) => {
    const start = Math.floor(at * text.length)
    const [before, part, after] = [text.slice(0, start), text.slice(start, start + length), text.slice(start + length)]
    if (kind === 'insert') return before + inserted + part + after
    if (kind === 'remove') return before + after
    if (kind === 'repeat') return before + part.repeat(times) + after
    if (kind === 'cut') return before
    return before + (samples[times % samples.length] ?? '').slice(start) + after
  }
  return fc
    .tuple(fc.constantFrom(...samples), fc.array(edit, { maxLength: 6 }))
    .map(([sample, edits]) => edits.reduce(apply, sample))
}
