import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listShares } from '#native/smb-pipe.ts'
import { fileServer } from '#native/testing/file-server.ts'
import { runNativeChecks, tcpPeer } from '#native/testing/examine.ts'

const smb = { protocol: 'smb' }
const shares = [
  { name: 'Payroll', kind: 0, remark: 'of everyone', isOpen: true },
  { name: 'print$', kind: 0, remark: '', isOpen: false },
  { name: 'IPC$', kind: 0x80000003, remark: 'IPC Service', isOpen: false },
]

describe('SMB shares', () => {
  it('are listed in an anonymous session, and an open one is found', async () => {
    await using peer = await tcpPeer(fileServer({ shares, users: ['ann', 'ben'] }))
    const { found, seen } = await runNativeChecks(peer, smb)
    expect(found).toEqual(['smb-guest-share', 'smb-shares-listed', 'smb-users-listed'])
    const output = JSON.stringify(seen)
    expect(output).toContain('Payroll (files) of everyone')
    expect(output).toContain('ann\\nben')
    expect(output).toContain('Connected to share \\"Payroll\\" anonymously')
  })
  it.each([{ isPipeShut: true }, { isSessionShut: true }])('are not listed by a secure server: %j', async (how) => {
    await using peer = await tcpPeer(fileServer({ shares: [], ...how }))
    const { found, covered } = await runNativeChecks(peer, smb)
    expect([found, covered]).toEqual([
      [],
      ['smb1-enabled', 'smb-signing-optional', 'smb-guest-share', 'smb-shares-listed', 'smb-users-listed'],
    ])
  })
  it('are never read beyond their bounds', async () => {
    const body = fc.uint8Array({ minLength: 48, maxLength: 300 })
    await fc.assert(
      fc.asyncProperty(body, async (rest) => {
        const head = { status: 0, treeId: 1, sessionId: Buffer.alloc(8) }
        const ioctl = Buffer.concat([Buffer.alloc(48), Buffer.from(rest)])
        ioctl.writeUInt32LE(112, 32)
        ioctl.writeUInt32LE(rest.length, 36)
        ioctl[50] = 2
        const exchange = async (command: number) => ({ ...head, body: command === 5 ? Buffer.alloc(88) : ioctl })
        const listed = await listShares(exchange, 'x').catch((error: unknown) => error)
        expect(listed === null || Array.isArray(listed) || listed instanceof RangeError).toBe(true)
      }),
    )
  })
})
