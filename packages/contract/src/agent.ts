/** Agents: our scanner, run by the customer inside a closed network. */
import { z } from 'zod'
import { Duration, Id, Name, Timestamp } from '#primitives.ts'

export const AgentStatus = z.enum(['STATUS_CONNECTED', 'STATUS_DISCONNECTED'])
export const Agent = z.object({
  id: Id,
  name: Name,
  /** Present once, in the answer that creates or rotates it. */
  token: z.string().optional(),
  status: AgentStatus,
  latency: Duration.optional(),
  createTime: Timestamp,
  updateTime: Timestamp,
  lastSeenTime: Timestamp.optional(),
})
export type Agent = z.infer<typeof Agent>
