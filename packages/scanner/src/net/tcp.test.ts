import { describe, expect, it } from 'vitest'
import { createGuard } from '#guard.ts'
import { sendAndRead, dial } from '#net/tcp.ts'
import { dribble, flood, greet, listen, reset, sendNothing } from '#testing/loopback.ts'

const guard = createGuard({ allow: ['127.41.0.0/16'], deny: ['127.41.21.9'] })
const options = { guard, signal: new AbortController().signal }

describe('dial', () => {
  it('reports a refused port as closed', async () => {
    expect(await dial('127.41.21.1', 9, options)).toEqual({ kind: 'closed' })
  })

  it('SEC-C1 does not connect when the guard rejects the address', async () => {
    expect(await dial('127.41.21.9', 80, options)).toEqual({ kind: 'unknown', reason: '127.41.21.9 is excluded' })
  })

  it("rejects with the signal's reason", async () => {
    await expect(dial('127.41.21.1', 9, { guard, signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow(
      'stop',
    )
  })
})

describe('sendAndRead', () => {
  const patience = { firstByteMs: 300, idleMs: 100, totalMs: 600, bytesMax: 1000 }

  it.each([
    ['a greeting', greet('hello\r\n'), 'hello\r\n'],
    ['nothing from a silent server', sendNothing, ''],
  ])('reads %s', async (_, treat, heard) => {
    await using server = await listen('127.41.21.2', 0, treat)
    const response = await sendAndRead(server.address, server.port, null, { ...options, ...patience })
    expect(response?.toString()).toBe(heard)
  })

  it('limits the bytes read', async () => {
    await using server = await listen('127.41.21.3', 0, flood)
    const response = await sendAndRead(server.address, server.port, null, { ...options, ...patience })
    expect(response).toHaveLength(1000)
  })

  it('limits the duration of a read', async () => {
    await using server = await listen('127.41.21.4', 0, dribble(20))
    const response = await sendAndRead(server.address, server.port, null, { ...options, ...patience })
    expect(response?.length).toBeGreaterThan(0)
    expect(response?.length).toBeLessThan(1000)
  })

  it('survives a reset', async () => {
    await using server = await listen('127.41.21.5', 0, reset)
    expect((await sendAndRead(server.address, server.port, 'x', { ...options, ...patience }))?.length ?? 0).toBe(0)
  })
})
