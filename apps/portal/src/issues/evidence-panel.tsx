/** All evidence on one host, with each request as a curl command. */
import type { AffectedHost } from '@glacis/contract/issue'
import { useQuery } from '@tanstack/react-query'
import { curlCommand } from '#issues/curl-command.ts'
import { EvidenceBlock } from '#issues/evidence.tsx'
import { hostName } from '#issues/issue-cells.tsx'
import { evidence } from '#issues/queries.ts'
import { CopyField } from '#ui/copy-field.tsx'
import { SlideOver } from '#ui/dialog.tsx'
import { Spinner } from '#ui/spinner.tsx'
import { ErrorState } from '#ui/states.tsx'

interface EvidencePanelProps {
  readonly issueId: string
  /** Undefined closes the panel. */
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
      {host && <EvidenceList issueId={issueId} host={host} />}
    </SlideOver>
  )
}

function EvidenceList({ issueId, host }: { readonly issueId: string; readonly host: AffectedHost }) {
  const query = useQuery(evidence(issueId, host.host.id))
  if (query.isPending) return <Spinner />
  if (query.isError) {
    return (
      <ErrorState
        title="The evidence couldn't be loaded"
        message="The risk is unchanged. Try again in a moment."
        onRetry={() => void query.refetch()}
      />
    )
  }
  const { evidence: items } = query.data
  if (items.length === 0) return <p className="text-ink-2">No evidence recorded.</p>
  return (
    <div className="grid gap-7">
      {items.map((item) => {
        const command = curlCommand({ ...item, address: host.host.address })
        return (
          <div key={`${item.location} ${item.method}`} className="grid min-w-0 gap-2">
            <EvidenceBlock evidence={item} />
            {command && (
              <div>
                <p className="mb-1.5 text-12 text-ink-3">Reproduce this request with curl. Secrets are masked.</p>
                <CopyField label="curl command" value={command} wrap />
              </div>
            )}
          </div>
        )
      })}
    </div>
  )
}
