/** Dialogs for the actions on an agent, one open at a time. */
import type { Agent } from '@glacis/contract/agent'
import { DeleteAgent } from '#agents/delete-agent.tsx'
import { InstallAgent } from '#agents/install-agent.tsx'
import { LimitAgent } from '#agents/limit-agent.tsx'
import { RenameAgent } from '#agents/rename-agent.tsx'
import { RotateToken } from '#agents/rotate-token.tsx'

export interface AgentDialog {
  /** `token`: the agent includes a new token, which is shown only once. */
  readonly kind: 'token' | 'install' | 'rename' | 'limit' | 'rotate' | 'delete'
  readonly agent: Agent
}

interface AgentDialogsProps {
  readonly dialog: AgentDialog | undefined
  readonly onDialog: (dialog: AgentDialog | undefined) => void
  /** Navigates away from the deleted agent's page. */
  readonly onDeleted?: () => Promise<void>
}

export function AgentDialogs({ dialog, onDialog, onDeleted }: AgentDialogsProps) {
  const close = () => onDialog(undefined)
  const of = (kind: AgentDialog['kind']) => (dialog?.kind === kind ? dialog.agent : undefined)
  const shown = of('token') ?? of('install')
  const [renamed, limited, rotated, deleted] = [of('rename'), of('limit'), of('rotate'), of('delete')]
  return (
    <>
      {shown && (
        <InstallAgent
          key={shown.token ?? shown.id}
          agent={shown}
          onClose={close}
          onRotate={() => onDialog({ kind: 'rotate', agent: shown })}
        />
      )}
      {renamed && <RenameAgent agent={renamed} onClose={close} />}
      {limited && <LimitAgent agent={limited} onClose={close} />}
      {rotated && (
        <RotateToken agent={rotated} onClose={close} onRotated={(agent) => onDialog({ kind: 'token', agent })} />
      )}
      {deleted && <DeleteAgent agent={deleted} onClose={close} {...(onDeleted && { onDeleted })} />}
    </>
  )
}
