/** Where nothing is scanned from inside, it may not be known that it could be. */
import type { Target } from '@glacis/contract/target'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Info } from 'lucide-react'
import type { ReactNode } from 'react'
import { all } from '#agents/queries.ts'
import { formatNumber } from '#lib/format.ts'

/** Says what is next for targets inside: an agent, or the choice of one; nothing where a target has one. */
export function AgentHint({ targets }: { readonly targets: readonly Target[] }) {
  const isWanted = targets.length > 0 && targets.every(({ agent, formerAgent }) => !agent && !formerAgent)
  const agents = useQuery({ ...all(), enabled: isWanted }).data?.agents
  if (!isWanted || !agents) return null
  return (
    <p className="flex items-center gap-2 px-(--gl-gutter) py-3 text-ink-2">
      <Info aria-hidden="true" className="size-4 flex-none text-ink-3" />
      <span className="min-w-0 wrap-anywhere">Targets inside your network need an agent. {nextStep(agents)}</span>
    </p>
  )
}

function nextStep([agent, ...others]: readonly { readonly id: string; readonly name: string }[]): ReactNode {
  if (!agent) {
    return (
      <Link to="/agents" search={{ create: true }} className="inline-link">
        Install an agent
      </Link>
    )
  }
  const isOnly = others.length === 0
  return (
    <>
      Choose{' '}
      <Link {...(isOnly ? { to: '/agents/$id', params: { id: agent.id } } : { to: '/agents' })} className="inline-link">
        {isOnly ? agent.name : `one of your ${formatNumber(others.length + 1)}`}
      </Link>{' '}
      in the form of such a target.
    </>
  )
}
