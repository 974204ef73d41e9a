/** Setup progress and the next step. Renders nothing once all steps are done, or if the role can't take the next one. */
import type { ResultOf } from '@glacis/contract/endpoint'
import type { getOnboarding } from '@glacis/contract/insights'
import type { CallName } from '@glacis/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { useDenial } from '#lib/role.ts'
import { steps } from '#onboarding/queries.ts'
import { active } from '#scans/queries.ts'
import { ButtonLink } from '#ui/button.tsx'
import { Meter } from '#ui/meter.tsx'

type Step = ResultOf<typeof getOnboarding>['steps'][number]

const nextStepLabels: Readonly<Record<Step['key'], string>> = {
  TARGET: 'add a target',
  AGENT: 'choose where to scan from',
  SCAN: 'run the first scan',
  NOTIFICATIONS: 'turn on notifications',
}

/** The call that each step needs permission for. */
const calls: Readonly<Record<Step['key'], CallName>> = {
  TARGET: 'createTarget',
  AGENT: 'createAgent',
  SCAN: 'startScan',
  NOTIFICATIONS: 'createChannel',
}

export function SetupProgress() {
  const all = useQuery(steps()).data?.steps ?? []
  const left = all.filter(({ state }) => state === 'STATE_OPEN')
  const [first] = left
  const { data: scanning } = useQuery({ ...active(), enabled: first?.key === 'SCAN' })
  const isScanning = first?.key === 'SCAN' && (scanning?.scans.length ?? 0) > 0
  const isDenied = useDenial(first && calls[first.key]) !== undefined
  if (!first || isDenied) return null
  const done = all.length - left.length
  return (
    <section
      aria-label="Setup"
      className="mx-(--gl-gutter) mt-4 flex flex-wrap items-center gap-x-5 gap-y-3 rounded-md border border-line px-4 py-3 print:hidden"
    >
      <div className="grid min-w-0 flex-[1_1_18rem] gap-2">
        <p>
          <span className="font-medium">
            Setup: {done} of {all.length} steps done.
          </span>{' '}
          <span className="text-ink-2">
            {isScanning ? 'The first scan is running.' : `Next: ${nextStepLabels[first.key]}.`}
          </span>
        </p>
        <Meter label="Setup steps done" value={done} max={all.length} warnAt={2} />
      </div>
      <ButtonLink to="/onboarding" size="sm">
        Continue
      </ButtonLink>
    </section>
  )
}
