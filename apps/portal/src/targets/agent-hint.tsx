/** A hint that internal targets need an agent. */
import type { Target } from '@glacis/contract/target'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Info } from 'lucide-react'
import type { ReactNode } from 'react'
import { all } from '#agents/queries.ts'
import { formatNumber } from '#lib/format.ts'

/** Suggests installing or choosing an agent. Renders nothing once any target uses one. */
export function AgentHint({ targets }: { readonly targets: readonly Target[] }) {
  const isWanted = targets.length > 0 && targets.every(({ agent, formerAgent }) => !agent && !formerAgent)
  const agents = useQuery({ ...all(), enabled: isWanted }).data?.agents
  if (!isWanted || !agents) return null
  return (
    <p className="flex items-center gap-2 px-(--gl-gutter) py-3 text-ink-2">
      <Info aria-hidden="true" className="size-4 flex-none text-ink-3" />
      <span className="min-w-0 wrap-anywhere">To scan networks that this server can't reach, {nextStep(agents)}</span>
    </p>
  )
}

function nextStep([agent, ...others]: readonly { readonly id: string; readonly name: string }[]): ReactNode {
  if (!agent) {
    return (
      <>
        <Link to="/agents" search={{ create: true }} className="inline-link">
          install an agent
        </Link>
        .
      </>
    )
  }
  const isOnly = others.length === 0
  return (
    <>
      choose{' '}
      <Link {...(isOnly ? { to: '/agents/$id', params: { id: agent.id } } : { to: '/agents' })} className="inline-link">
        {isOnly ? agent.name : `one of your ${formatNumber(others.length + 1)} agents`}
      </Link>{' '}
      when you edit their targets.
    </>
  )
}
