/** The proofs on one host, whole, with the request as a command. */
import type { AffectedHost } from '@glacis/contract/issue'
import { useQuery } from '@tanstack/react-query'
import { curlOf } from '#issues/curl.ts'
import { EvidenceBlock } from '#issues/evidence.tsx'
import { hostName } from '#issues/issue-cells.tsx'
import { evidence } from '#issues/queries.ts'
import { CopyField } from '#ui/copy-field.tsx'
import { SlideOver } from '#ui/dialog.tsx'
import { Spinner } from '#ui/spinner.tsx'
import { ErrorState } from '#ui/states.tsx'

interface EvidencePanelProps {
  readonly issueId: string
  /** Undefined closes it. */
  readonly host: AffectedHost | undefined
  readonly onClose: () => void
}

export function EvidencePanel({ issueId, host, onClose }: EvidencePanelProps) {
  return (
    <SlideOver
      open={host !== undefined}
      onClose={onClose}
      title="Evidence"
      description={host && <span className="font-mono">{hostName(host)}</span>}
    >
      {host && <Proofs issueId={issueId} host={host} />}
    </SlideOver>
  )
}

function Proofs({ issueId, host }: { readonly issueId: string; readonly host: AffectedHost }) {
  const query = useQuery(evidence(issueId, host.host.id))
  if (query.isPending) return <Spinner />
  if (query.isError) {
    return (
      <ErrorState
        title="The evidence could not be loaded"
        message="The risk itself is as it was."
        onRetry={() => void query.refetch()}
      />
    )
  }
  const { evidence: proofs } = query.data
  if (proofs.length === 0) return <p className="text-ink-2">No evidence was recorded.</p>
  return (
    <div className="grid gap-7">
      {proofs.map((proof) => {
        const command = curlOf({ ...proof, address: host.host.address })
        return (
          <div key={`${proof.location} ${proof.method}`} className="grid min-w-0 gap-2">
            <EvidenceBlock evidence={proof} />
            {command && (
              <div>
                <p className="mb-1.5 text-12 text-ink-3">The same request as a command. Secrets in it are masked.</p>
                <CopyField label="curl command" value={command} wrap />
              </div>
            )}
          </div>
        )
      })}
    </div>
  )
}
