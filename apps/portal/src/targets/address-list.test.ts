import { TargetCreate } from '@glacis/contract/target'
import { describe, expect, it } from 'vitest'
import { emptyDraft } from '#targets/form.ts'
import {
  addressesToParse,
  toCreateBody,
  parseEntries,
  type NewEntry,
  remainingText,
  toVerdicts,
} from '#targets/address-list.ts'

describe('parseEntries', () => {
  it.each([
    ['a.example\r\nb.example\n\n10.0.0.0/28', ['a.example', 'b.example', '10.0.0.0/28']],
    ['a.example, b.example;10.0.0.1,,', ['a.example', 'b.example', '10.0.0.1']],
    ['10.0.0.1 10.0.0.2\t10.0.0.3', ['10.0.0.1', '10.0.0.2', '10.0.0.3']],
    ['10.0.0.1 - 10.0.0.20\n10.0.0.1 – 20', ['10.0.0.1-10.0.0.20', '10.0.0.1-20']],
    ['fd00::a - fd00::f', ['fd00::a-fd00::f']],
    ['https://a.example/x,y https://b.example', ['https://a.example/x,y', 'https://b.example']],
    ['https://a.example,https://b.example/x;c.example,', ['https://a.example', 'https://b.example/x', 'c.example']],
    ['my-host.example', ['my-host.example']],
    ['# office\n10.0.0.1 # router\nhttps://a.example/#b', ['10.0.0.1', 'https://a.example/#b']],
    [' \n,;\n', []],
  ])('splits %j', (text, texts) => {
    expect(parseEntries(text).map((entry) => entry.text)).toEqual(texts)
  })

  it('records the line of each entry', () => {
    expect(parseEntries('a.example\n\nb.example, c.example').map(({ line }) => line)).toEqual([1, 3, 3])
  })

  it('sends each distinct text once and skips those that are too long', () => {
    expect(addressesToParse(parseEntries(`a.example\na.example\n${'b'.repeat(2049)}`))).toEqual(['a.example'])
  })
})

const text = ['10.0.0.9/28', 'example.ch', '10.0.0.0/28', 'nope!', 'old.example', 'x'.repeat(2049)].join('\n')
const verdicts = toVerdicts(parseEntries(text), [
  { input: '10.0.0.9/28', normalized: '10.0.0.0/28', hostCount: 14, private: true },
  { input: 'example.ch', normalized: 'xn--exmple-cua.ch', readable: 'exämple.ch', hostCount: 1, private: false },
  { input: '10.0.0.0/28', normalized: '10.0.0.0/28', hostCount: 14, private: true },
  { input: 'nope!', error: "'nope!' is not a hostname" },
  { input: 'old.example', normalized: 'old.example', target: { id: crypto.randomUUID(), name: 'Old' } },
])

describe('toVerdicts', () => {
  it('returns a verdict for each entry', () => {
    expect(verdicts).toEqual([
      {
        kind: 'new',
        line: 1,
        text: '10.0.0.9/28',
        host: '10.0.0.9/28',
        ports: [],
        address: '10.0.0.0/28',
        readable: '10.0.0.0/28',
        hostCount: 14,
        isPrivate: true,
      },
      {
        kind: 'new',
        line: 2,
        text: 'example.ch',
        host: 'example.ch',
        ports: [],
        address: 'xn--exmple-cua.ch',
        readable: 'exämple.ch',
        hostCount: 1,
        isPrivate: false,
      },
      {
        kind: 'duplicate',
        line: 3,
        text: '10.0.0.0/28',
        host: '10.0.0.0/28',
        address: '10.0.0.0/28',
        first: 1,
        isPortAdded: false,
      },
      { kind: 'wrong', line: 4, text: 'nope!', host: 'nope!', why: "'nope!' is not a hostname" },
      { kind: 'known', line: 5, text: 'old.example', host: 'old.example', address: 'old.example', name: 'Old' },
      {
        kind: 'wrong',
        line: 6,
        text: 'x'.repeat(2049),
        host: 'x'.repeat(2049),
        why: "The address is longer than 2'048 characters.",
      },
    ])
  })

  it('collects the ports of an address, unless a line has it without one', () => {
    const read = (list: string) => {
      const entries = parseEntries(list)
      const readings = addressesToParse(entries).map((input) => ({ input, normalized: input, private: true }))
      return toVerdicts(entries, readings)
    }
    const [first, second, ...rest] = read('10.0.0.1:443\n10.0.0.1:80\n10.0.0.1:443\n[fd00::1]:22')
    expect(first).toMatchObject({ kind: 'new', text: '10.0.0.1:443', address: '10.0.0.1', ports: ['443', '80'] })
    expect(second).toMatchObject({ kind: 'duplicate', text: '10.0.0.1:80', first: 1, isPortAdded: true })
    expect(rest).toMatchObject([
      { kind: 'duplicate', isPortAdded: false },
      { kind: 'new', address: '[fd00::1]', ports: ['22'] },
    ])
    expect(read('10.0.0.1:443\n10.0.0.1')[0]).toMatchObject({ kind: 'new', ports: [] })
    expect(TargetCreate.parse(toCreateBody(first as NewEntry, emptyDraft))).toMatchObject({ ports: '443,80' })
  })

  it('keeps entries that were not created or are invalid, as typed', () => {
    expect(remainingText(verdicts, new Set(['10.0.0.0/28']))).toBe(`example.ch\nnope!\n${'x'.repeat(2049)}`)
    expect(remainingText(verdicts.slice(0, 3), new Set(['10.0.0.0/28', 'xn--exmple-cua.ch']))).toBe('')
  })
})

describe('toCreateBody', () => {
  const fresh = verdicts.filter((verdict): verdict is NewEntry => verdict.kind === 'new')
  const [network, name] = fresh.map((entry) => toCreateBody(entry, { ...emptyDraft, agentId: crypto.randomUUID() }))

  it('matches the contract, uses the address as the name, and confirms permission for internet addresses only', () => {
    expect(TargetCreate.parse(network)).toMatchObject({ name: '10.0.0.0/28', address: '10.0.0.0/28' })
    expect(network).not.toHaveProperty('isPermitted')
    expect(TargetCreate.parse(name)).toMatchObject({
      name: 'exämple.ch',
      address: 'xn--exmple-cua.ch',
      isPermitted: true,
    })
  })

  it('truncates long names', () => {
    const url = `https://a.example/${'a'.repeat(300)}`
    const long = { kind: 'new', line: 1, text: '', host: '', ports: [], address: url, readable: url } as const
    const { name: cut, address } = toCreateBody({ ...long, hostCount: 1, isPrivate: false }, emptyDraft)
    expect([cut.length, cut.at(-1), address]).toEqual([128, '…', long.address])
  })
})
