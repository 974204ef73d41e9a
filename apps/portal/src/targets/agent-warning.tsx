/** Warning shown on a target's page while its agent can't scan it. */
import type { Target } from '@glacis/contract/target'
import { Link } from '@tanstack/react-router'
import { Unplug } from 'lucide-react'
import { Button } from '#ui/button.tsx'
import { Note } from '#ui/note.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'

/** Renders nothing while the agent is connected or the target needs none. */
export function AgentWarning({ target, onEdit }: { readonly target: Target; readonly onEdit: () => void }) {
  const { agent, formerAgent } = target
  if (!formerAgent && agent?.status !== 'STATUS_DISCONNECTED') return null
  return (
    <div className="px-(--gl-gutter) pt-3">
      <Note variant="orange" icon={<Unplug aria-hidden="true" />}>
        {formerAgent && (
          <>
            <strong className="font-semibold">Its agent {formerAgent.name} was deleted.</strong> The target isn't
            scanned until you choose another agent or none.{' '}
            <Button variant="link" size="sm" call="updateTarget" onClick={onEdit}>
              Choose agent
            </Button>
          </>
        )}
        {agent && <DisconnectedNote agent={agent} />}
      </Note>
    </div>
  )
}

function DisconnectedNote({ agent }: { readonly agent: NonNullable<Target['agent']> }) {
  return (
    <>
      <strong className="font-semibold">
        {agent.lastSeenTime ? (
          <>
            {agent.name} disconnected <RelativeTime value={agent.lastSeenTime} />.
          </>
        ) : (
          <>{agent.name} has never connected.</>
        )}
      </strong>{' '}
      Scans of this target wait until it connects.{' '}
      <Link to="/agents/$id" params={{ id: agent.id }} className="underline underline-offset-3">
        Check the agent
      </Link>
    </>
  )
}
