import type { Observation } from '@glacis/contract/runner'
import { expect, it } from 'vitest'
import { createLedger } from '#process/ledger.ts'
import { TaskFailure } from '#process/pool.ts'

const address = '127.0.0.1'
const job = { hosts: [{ address }, { address: '127.0.0.2' }], ports: [80], allow: ['127.0.0.0/8'] }

function start() {
  const seen: Observation[] = []
  return { seen, ledger: createLedger(job, (one) => void seen.push(one)) }
}
const failure = (kind: 'stuck' | 'exited', check: string) => new TaskFailure(kind, kind, { address, check })

it('SEC-D1 sets a host aside after three checks that took too long, and reports them', () => {
  const { seen, ledger } = start()
  const host = { kind: 'host' as const, address, names: ['web'], reached: true, reason: '', answersEverything: false }
  for (const check of ['first', 'second', 'third']) {
    // Each process observes the host again.
    ledger.add(host)
    ledger.add({ kind: 'problem', address, level: 'warn', message: 'unfinished' })
    expect(ledger.hosts()).toHaveLength(2)
    expect(ledger.blame(failure('stuck', check))).toBe(true)
    ledger.discardUnfinished()
  }
  expect(ledger.hosts()).toEqual([{ address: '127.0.0.2', names: [] }])
  const reason = 'set aside after 3 checks took too long or crashed the scanner'
  expect(seen).toEqual([
    { ...host, reason },
    {
      kind: 'coverage',
      address,
      checks: [],
      stopped: ['first', 'second', 'third'].map((check) => ({ check, reason: 'took too long' })),
    },
    { kind: 'problem', address, level: 'warn', message: `${address} was ${reason}` },
  ])
})

it('blames a check for the death of its process only the second time', () => {
  const { ledger } = start()
  expect(ledger.blame(failure('exited', 'first'))).toBe(false)
  expect(ledger.blame(failure('exited', 'second'))).toBe(false)
  expect(ledger.blame(failure('exited', 'second'))).toBe(true)
  expect(ledger.stopped()).toEqual([{ address, check: 'second', reason: 'crashed the scanner: exited' }])
})
