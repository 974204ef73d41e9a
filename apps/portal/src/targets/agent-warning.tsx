/** What keeps a target's agent from scanning it, above everything else about the target. */
import type { Target } from '@glacis/contract/target'
import { Link } from '@tanstack/react-router'
import { Unplug } from 'lucide-react'
import { Note } from '#ui/note.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'

/** Nothing while all is well. */
export function AgentWarning({ target, onEdit }: { readonly target: Target; readonly onEdit: () => void }) {
  const { agent, formerAgent } = target
  if (!formerAgent && agent?.status !== 'STATUS_DISCONNECTED') return null
  return (
    <div className="px-(--gl-gutter) pt-3">
      <Note variant="orange" icon={<Unplug aria-hidden="true" />}>
        {formerAgent && (
          <>
            <strong className="font-semibold">Its agent {formerAgent.name} was deleted.</strong> It is not scanned until
            it gets another agent, or none.{' '}
            <button type="button" className="underline underline-offset-3" onClick={onEdit}>
              Choose
            </button>
          </>
        )}
        {agent && <Away agent={agent} />}
      </Note>
    </div>
  )
}

function Away({ agent }: { readonly agent: NonNullable<Target['agent']> }) {
  return (
    <>
      <strong className="font-semibold">
        {agent.lastSeenTime ? (
          <>
            {agent.name} lost its connection <RelativeTime value={agent.lastSeenTime} />.
          </>
        ) : (
          <>{agent.name} has never connected.</>
        )}
      </strong>{' '}
      Scans of this target wait for it.{' '}
      <Link to="/agents/$id" params={{ id: agent.id }} className="underline underline-offset-3">
        Check the agent
      </Link>
    </>
  )
}
