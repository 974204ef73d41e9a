/** Says which agents are away, and what that stops. */
import type { Agent } from '@glacis/contract/agent'
import { Link } from '@tanstack/react-router'
import { Unplug } from 'lucide-react'
import { isLost, targetWords } from '#agents/words.ts'
import { Note } from '#ui/note.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'

/** One note for each agent that was there and on which targets depend. */
export function LostAgents({ agents }: { readonly agents: readonly Agent[] }) {
  const lost = agents.filter((agent) => isLost(agent) && (agent.targetCount ?? 0) > 0)
  if (lost.length === 0) return null
  return (
    <div className="grid gap-2 px-(--gl-gutter) py-4">
      {lost.map((agent) => (
        <Note key={agent.id} variant="orange" icon={<Unplug aria-hidden="true" />}>
          <LostWords agent={agent} />{' '}
          <Link to="/agents/$id" params={{ id: agent.id }} className="underline underline-offset-3">
            Check the agent
          </Link>
        </Note>
      ))}
    </div>
  )
}

/** "lausanne-dc lost its connection 41 minutes ago. 2 targets are not scanned until it returns." */
export function LostWords({ agent }: { readonly agent: Agent }) {
  const count = agent.targetCount ?? 0
  return (
    <>
      <strong className="font-semibold">
        {agent.name} lost its connection{' '}
        {agent.lastSeenTime ? <RelativeTime value={agent.lastSeenTime} /> : 'before it was seen'}.
      </strong>
      {count > 0 && ` ${targetWords(count)} not scanned until it returns.`}
    </>
  )
}
