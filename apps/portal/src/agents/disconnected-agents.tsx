/** Notices about disconnected agents and their targets. */
import type { Agent } from '@glacis/contract/agent'
import { Link } from '@tanstack/react-router'
import { Unplug } from 'lucide-react'
import { isDisconnected, formatTargetCount } from '#agents/labels.ts'
import { Note } from '#ui/note.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'

/** One notice per disconnected agent that has targets. */
export function DisconnectedAgents({ agents }: { readonly agents: readonly Agent[] }) {
  const lost = agents.filter((agent) => isDisconnected(agent) && (agent.targetCount ?? 0) > 0)
  if (lost.length === 0) return null
  return (
    <div className="grid gap-2 px-(--gl-gutter) py-4">
      {lost.map((agent) => (
        <Note key={agent.id} variant="orange" icon={<Unplug aria-hidden="true" />}>
          <DisconnectedMessage agent={agent} />{' '}
          <Link to="/agents/$id" params={{ id: agent.id }} className="underline underline-offset-3">
            Check the agent
          </Link>
        </Note>
      ))}
    </div>
  )
}

/** "lausanne-dc disconnected 41 minutes ago. 2 targets are not scanned until it reconnects." */
export function DisconnectedMessage({ agent }: { readonly agent: Agent }) {
  const count = agent.targetCount ?? 0
  return (
    <>
      <strong className="font-semibold">
        {agent.name} disconnected {agent.lastSeenTime && <RelativeTime value={agent.lastSeenTime} />}.
      </strong>
      {count > 0 && ` ${formatTargetCount(count)} not scanned until it reconnects.`}
    </>
  )
}
