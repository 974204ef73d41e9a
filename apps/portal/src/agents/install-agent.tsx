/** How an agent gets onto a machine: its token, once, a command, and a line that tells when it is there. */
import type { Agent, InstallSystem } from '@glacis/contract/agent'
import { useQuery } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { useEffect, useState } from 'react'
import { awaited, install } from '#agents/queries.ts'
import { Button } from '#ui/button.tsx'
import { CopyField } from '#ui/copy-field.tsx'
import { Dialog } from '#ui/dialog.tsx'
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
  /** With a token when it has just been made. */
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
      description={token ? 'Copy the token now. It is shown only once.' : 'The command asks for a token.'}
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="grid gap-4">
        {token ? (
          <div className="grid gap-1.5">
            <span className="font-medium">Agent token</span>
            <CopyField label="Agent token" value={token} />
            <p className="text-12 text-ink-3">
              It works once, within 24 hours: the agent swaps it for a key of its own.
            </p>
          </div>
        ) : (
          <p className="text-ink-2">
            {agent.tokenExpireTime
              ? 'Its token was shown when it was made. '
              : 'It has no token that could still be used. '}
            <button type="button" className="inline-link" onClick={onRotate}>
              Make a new one
            </button>
          </p>
        )}
        <Command agent={agent} />
        <Waiting agent={agent} />
      </div>
    </Dialog>
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
          <ul className="grid gap-0.5 text-12 text-ink-3">
            {data.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </>
      ) : (
        <div className="grid min-h-24 content-center gap-2 rounded-md border border-line-strong bg-inset px-3">
          {isError ? 'The command could not be loaded.' : <Skeleton className="w-3/4" />}
        </div>
      )}
    </div>
  )
}

/** Turns green by itself. */
function Waiting({ agent }: { readonly agent: Agent }) {
  const now = useQuery(awaited(agent.id)).data?.agent ?? agent
  const seconds = useSeconds()
  // One that is there already is awaited anew when it has got a token.
  const wasThere = agent.status === 'STATUS_CONNECTED' && agent.token !== undefined
  const isThere = now.status === 'STATUS_CONNECTED' && !(wasThere && now.tokenExpireTime)
  if (isThere) {
    return (
      <output className="flex items-center gap-2.5 rounded-md bg-green-tint px-3 py-2.5 text-green-ink inset-ring inset-ring-green-edge">
        <CircleCheck className="size-4 flex-none" aria-hidden="true" />
        <span className="min-w-0 wrap-anywhere">{agent.name} is connected</span>
      </output>
    )
  }
  return (
    <output className="flex items-center gap-2.5 rounded-md border border-dashed border-line-strong px-3 py-2.5 text-ink-2">
      <Spinner className="text-main-mark" />
      {agent.lastSeenTime ? 'Waiting for it to connect' : 'Waiting for the first connection'}
      <span className="ml-auto tabular-nums" aria-hidden="true">
        {clockWords(seconds)}
      </span>
    </output>
  )
}

/** Seconds since the line came up. */
function useSeconds(): number {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const from = Date.now()
    const timer = setInterval(() => setSeconds(Math.floor((Date.now() - from) / 1000)), 1000)
    return () => clearInterval(timer)
  }, [])
  return seconds
}

/** `00:42` */
export function clockWords(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`
}
