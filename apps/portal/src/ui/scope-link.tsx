import { Plus } from 'lucide-react'
import { ButtonLink } from '#ui/button.tsx'

/** For empty states: adds the first target, or leads to the targets to scan. */
export function ScopeLink({ hasTargets }: { readonly hasTargets: boolean }) {
  if (hasTargets)
    return (
      <ButtonLink to="/scope" variant="secondary" size="sm">
        Go to Scope
      </ButtonLink>
    )
  return (
    <ButtonLink to="/scope" search={{ create: true }} call="createTarget" variant="primary" size="sm" icon={<Plus />}>
      Add target
    </ButtonLink>
  )
}
