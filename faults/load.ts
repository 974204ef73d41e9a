/** Simulates users and scans while faults happen. Remembers every write that the server acknowledged. */
import { createInvitation } from '@glacis/contract/invitation'
import { listIssues, setIssueStatus } from '@glacis/contract/issue'
import { startScan } from '@glacis/contract/scan'
import { createTag } from '@glacis/contract/tag'
import { createComment } from '@glacis/contract/triage'
import type { Visitor } from '../lab/visitor.ts'
import type { Random } from './random.ts'

/** IDs of rows by their table, and the last decision per issue. */
export interface Acknowledged {
  readonly tags: string[]
  readonly comments: string[]
  readonly scans: string[]
  /** Email addresses that were invited. */
  readonly invitations: string[]
  /** An issue is absent while a decision on it may or may not have been applied. */
  readonly statuses: Map<string, string>
}

export interface Load {
  readonly acknowledged: Acknowledged
  /** Why the last failed request failed; expected while a fault lasts. */
  readonly lastFailure: () => string
  /** Finishes the requests in progress and stops. */
  stop(): Promise<void>
}

/** The pause between two requests of the same user. */
const pauseMs = 100

export function startLoad(visitor: Visitor, targetIds: readonly string[], random: Random): Load {
  const acknowledged: Acknowledged = { tags: [], comments: [], scans: [], invitations: [], statuses: new Map() }
  let isStopping = false
  let lastFailure = ''
  let count = 0

  const actions: Readonly<Record<string, () => Promise<void>>> = {
    async tag() {
      const { tag } = await visitor.call(createTag, { tag: { name: `tag ${count++}`, color: 1 } })
      acknowledged.tags.push(tag.id)
    },
    async scan() {
      const { scan } = await visitor.call(startScan, { targetId: random.pick(targetIds) })
      acknowledged.scans.push(scan.id)
    },
    async comment() {
      const id = await anIssue()
      if (id === undefined) return
      const { comment } = await visitor.call(createComment, { id, text: `comment ${count++}` })
      acknowledged.comments.push(comment.id)
    },
    async decide() {
      const id = await anIssue()
      if (id === undefined) return
      const status = random.pick(['STATUS_OPEN', 'STATUS_IGNORED'] as const)
      const reason = status === 'STATUS_IGNORED' ? { reason: 'REASON_MITIGATED' as const } : {}
      acknowledged.statuses.delete(id)
      await visitor.call(setIssueStatus, { id, status, ...reason })
      acknowledged.statuses.set(id, status)
    },
    async invite() {
      const email = `person${count++}@aarewerk.example`
      await visitor.call(createInvitation, { invitation: { email, role: 'viewer' } })
      acknowledged.invitations.push(email)
    },
  }
  // Invitations are throttled, and a target has at most one scan at a time.
  const choices = ['tag', 'comment', 'decide', 'comment', 'decide', 'scan', 'invite'] as const

  async function anIssue(): Promise<string | undefined> {
    const { issues } = await visitor.call(listIssues, { pageSize: 100 })
    return issues.length > 0 ? random.pick(issues).id : undefined
  }

  async function work(): Promise<void> {
    while (!isStopping) {
      try {
        await actions[random.pick(choices)]?.()
      } catch (error) {
        lastFailure = String(error)
      }
      await new Promise((done) => setTimeout(done, pauseMs))
    }
  }
  const running = work()
  return {
    acknowledged,
    lastFailure: () => lastFailure,
    async stop() {
      isStopping = true
      await running
    },
  }
}
