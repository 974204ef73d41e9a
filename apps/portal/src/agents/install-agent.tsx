/** Installing an agent: single-use token, install command, and connection status. */
import type { Agent, InstallSystem } from '@glacis/contract/agent'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { pollUntilConnected, install } from '#agents/queries.ts'
import { isLoopback, formatLatency } from '#agents/labels.ts'
import { Button } from '#ui/button.tsx'
import { portalConfig } from '#lib/portal-config.ts'
import { CopyField } from '#ui/copy-field.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Note } from '#ui/note.tsx'
import { SegmentedControl } from '#ui/segmented-control.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { Spinner } from '#ui/spinner.tsx'

const systems: readonly { readonly value: InstallSystem; readonly label: string }[] = [
  { value: 'systemd', label: 'Linux' },
  { value: 'docker', label: 'Docker' },
  { value: 'kubernetes', label: 'Kubernetes' },
  { value: 'windows', label: 'Windows' },
]

interface InstallAgentProps {
  /** Includes the token if it was just created. */
  readonly agent: Agent
  readonly onClose: () => void
  readonly onRotate: () => void
}

export function InstallAgent({ agent, onClose, onRotate }: InstallAgentProps) {
  const { token } = agent
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={token ? `${agent.name} is ready to install` : `Install ${agent.name}`}
      description={token ? "Copy the token now: it won't be shown again." : 'The install command asks for a token.'}
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <InstallSteps agent={agent} onRotate={onRotate} />
    </Dialog>
  )
}

/** Token, install command, and a connection status that updates automatically. */
export function InstallSteps({ agent, onRotate }: Pick<InstallAgentProps, 'agent' | 'onRotate'>) {
  const { token } = agent
  return (
    <div className="grid gap-4">
      {token ? (
        <div className="grid gap-1.5">
          <span className="font-medium">Agent token</span>
          <CopyField label="Agent token" value={token} />
          <p className="text-12 text-ink-3">Single use, valid for 24 hours. The agent exchanges it for its own key.</p>
        </div>
      ) : (
        <p className="text-ink-2">
          {agent.tokenExpireTime ? 'The token was shown when it was created. ' : 'This agent has no valid token. '}
          <button type="button" className="inline-link" onClick={onRotate}>
            Create a new token
          </button>
        </p>
      )}
      <Command agent={agent} />
      <ConnectionStatus agent={agent} />
    </div>
  )
}

function Command({ agent }: { readonly agent: Agent }) {
  const [system, setSystem] = useState<InstallSystem>('systemd')
  const { data, isError } = useQuery(install(agent.id, system))
  return (
    <div className="grid min-w-0 gap-1.5">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="font-medium">Install</span>
        <SegmentedControl label="System" options={systems} value={system} onChange={setSystem} />
      </div>
      {data ? (
        <>
          <CopyField label="Install command" value={data.command} wrap />
          {isLoopback(location.hostname) && (
            <p className="text-12 text-ink-3">
              The command uses {location.host}, which other machines can't reach. Set <code>GLACIS_URL</code> and{' '}
              <code>GLACIS_HOST</code> on the Glacis server; see{' '}
              <a href={portalConfig().helpUrl} className="inline-link">
                the documentation
              </a>
              .
            </p>
          )}
          <ul className="grid gap-0.5 text-12 text-ink-3">
            {data.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </>
      ) : (
        <div className="grid min-h-24 content-center gap-2 rounded-md border border-line-strong bg-inset px-3">
          {isError ? (
            "The command couldn't be loaded. Close this dialog and try again."
          ) : (
            <Skeleton className="w-3/4" />
          )}
        </div>
      )}
    </div>
  )
}

/** Connection status that updates automatically. */
function ConnectionStatus({ agent }: { readonly agent: Agent }) {
  const now = useQuery(pollUntilConnected(agent.id)).data?.agent ?? agent
  const seconds = useElapsedSeconds()
  // An agent that was already connected counts as connected again once it has used the new token.
  const wasConnected = agent.status === 'STATUS_CONNECTED' && agent.token !== undefined
  const isConnectedNow = now.status === 'STATUS_CONNECTED' && !(wasConnected && now.tokenExpireTime)
  if (isConnectedNow) return <ConnectedNote agent={now} />
  return (
    <output className="flex items-center gap-2.5 rounded-md border border-dashed border-line-strong px-3 py-2.5 text-ink-2">
      <Spinner className="text-main-mark" />
      {agent.lastSeenTime ? 'Waiting for the agent to connect' : 'Waiting for the first connection'}
      <span className="ml-auto tabular-nums" aria-hidden="true">
        {formatClock(seconds)}
      </span>
    </output>
  )
}

/** "zrh-office-1 is connected. Latency 38 ms." */
export function ConnectedNote({ agent }: { readonly agent: Agent }) {
  const latency = formatLatency(agent)
  return (
    <Note variant="green">
      <p className="wrap-anywhere">
        <strong className="font-semibold">{agent.name} is connected.</strong>
        {latency && ` Latency ${latency}.`}
      </p>
    </Note>
  )
}

/** Seconds since the component mounted. */
function useElapsedSeconds(): number {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const from = Date.now()
    const timer = setInterval(() => setSeconds(Math.floor((Date.now() - from) / 1000)), 1000)
    return () => clearInterval(timer)
  }, [])
  return seconds
}

/** `00:42` */
export function formatClock(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`
}
