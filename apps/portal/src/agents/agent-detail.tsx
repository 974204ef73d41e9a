/** `/agents/{id}` */
import type { Agent } from '@glacis/contract/agent'
import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Ellipsis, KeyRound, Pencil, ShieldCheck, SquareTerminal, Trash2, Unplug } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { AgentConnections } from '#agents/agent-connections.tsx'
import { type AgentDialog, AgentDialogs } from '#agents/agent-dialogs.tsx'
import { AgentInventory } from '#agents/agent-inventory.tsx'
import { AgentJobs } from '#agents/agent-jobs.tsx'
import { LastSeen } from '#agents/agent-table.tsx'
import { DisconnectedMessage } from '#agents/disconnected-agents.tsx'
import { detail } from '#agents/queries.ts'
import { isDisconnected, formatLatency } from '#agents/labels.ts'
import { formatNumber } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { Detail, Fact, Facts } from '#ui/card.tsx'
import { CopyButton } from '#ui/copy-field.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuAction } from '#ui/menu-entries.tsx'
import { Note } from '#ui/note.tsx'
import { Crumb, PageHead } from '#ui/page-head.tsx'
import { AbsoluteTime } from '#ui/relative-time.tsx'
import { AgentStatus } from '#ui/status.tsx'

const route = getRouteApi('/_auth/agents/$id')

/** @param targets the targets that the agent scans, rendered by the `targets` module */
export function AgentDetailPage({ targets }: { readonly targets?: ReactNode }) {
  const { id } = route.useParams()
  const { agent } = useSuspenseQuery(detail(id)).data
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<AgentDialog>()
  const open = (kind: AgentDialog['kind']) => setDialog({ kind, agent })
  return (
    <div className="pg flex grow flex-col">
      <PageHead
        title={<span className="font-mono">{agent.name}</span>}
        documentTitle={agent.name}
        crumbs={<Crumb to="/agents">Agents</Crumb>}
        here={<span className="font-mono">{agent.name}</span>}
        actions={<Actions agent={agent} onOpen={open} />}
      />
      <MetaLine agent={agent} />
      <Detail rail={<Rail agent={agent} onDelete={() => open('delete')} />}>
        <Notes agent={agent} />
        {targets}
        <AgentInventory agent={agent} />
        <AgentJobs id={id} />
        <AgentConnections agent={agent} />
      </Detail>
      <AgentDialogs
        dialog={dialog}
        onDialog={setDialog}
        onDeleted={() => navigate({ to: '/agents', search: {}, replace: true })}
      />
    </div>
  )
}

function Actions({ agent, onOpen }: { readonly agent: Agent; readonly onOpen: (kind: AgentDialog['kind']) => void }) {
  return (
    <>
      <span className="max-md:flex-none!">
        <Menu call="updateAgent" label="More actions" square button={<Ellipsis aria-hidden="true" />}>
          <MenuAction icon={<SquareTerminal />} onClick={() => onOpen('install')}>
            Show install command
          </MenuAction>
          <MenuAction call="updateAgent" icon={<ShieldCheck />} onClick={() => onOpen('limit')}>
            Limit access
          </MenuAction>
          <MenuAction call="rotateAgentToken" icon={<KeyRound />} onClick={() => onOpen('rotate')}>
            Rotate token
          </MenuAction>
          <MenuAction danger call="deleteAgent" icon={<Trash2 />} onClick={() => onOpen('delete')}>
            Delete
          </MenuAction>
        </Menu>
      </span>
      <Button size="sm" call="updateAgent" icon={<Pencil />} onClick={() => onOpen('rename')}>
        Rename
      </Button>
      {agent.status === 'STATUS_DISCONNECTED' && (
        <Button
          variant="primary"
          size="sm"
          call="getAgentInstall"
          icon={<SquareTerminal />}
          onClick={() => onOpen('install')}
        >
          {agent.lastSeenTime ? 'Show reconnect steps' : 'Show install command'}
        </Button>
      )}
    </>
  )
}

function MetaLine({ agent }: { readonly agent: Agent }) {
  const latency = formatLatency(agent)
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5 px-(--gl-gutter) pt-1.5 text-ink-2">
      <span className="text-ink">
        <AgentStatus status={agent.status} />
      </span>
      {latency && <span>{latency} latency</span>}
      <span>
        {agent.lastSeenTime ? (
          <>
            Last seen <LastSeen agent={agent} />
          </>
        ) : (
          'Never connected'
        )}
      </span>
    </div>
  )
}

/** Current problems and how to fix them. */
function Notes({ agent }: { readonly agent: Agent }) {
  const problems = agent.problems ?? []
  const lost = isDisconnected(agent)
  const isNew = agent.lastSeenTime === undefined
  if (!lost && !isNew && problems.length === 0) return null
  return (
    <div className="grid gap-2 px-(--gl-gutter) pt-4">
      {lost && (
        <Note variant="orange" icon={<Unplug aria-hidden="true" />}>
          <DisconnectedMessage agent={agent} /> Check that its machine is running and can reach this server, then
          restart the agent. Unless its key was revoked or has expired, it doesn't need a new token.
        </Note>
      )}
      {isNew && (
        <Note variant="main">
          This agent has never connected. Run its install command on a machine inside the network you want to scan.
        </Note>
      )}
      {problems.map((problem) => (
        <Note key={problem} variant="yellow">
          {problem}
        </Note>
      ))}
    </div>
  )
}

function Rail({ agent, onDelete }: { readonly agent: Agent; readonly onDelete: () => void }) {
  return (
    <>
      <section>
        <h2>Details</h2>
        <Facts>
          <Fact name="Status">
            <AgentStatus status={agent.status} />
          </Fact>
          {formatLatency(agent) && <Fact name="Latency">{formatLatency(agent)}</Fact>}
          <Fact name="Last seen">
            <LastSeen agent={agent} />
          </Fact>
          {agent.version && <Fact name="Version">{agent.version}</Fact>}
          {agent.system && <Fact name="System">{agent.system}</Fact>}
          {agent.hostname && (
            <Fact name="Hostname">
              <span className="font-mono">{agent.hostname}</span>
            </Fact>
          )}
          {agent.networks && agent.networks.length > 0 && (
            <Fact name="Networks">
              <span className="font-mono">{agent.networks.join(', ')}</span>
            </Fact>
          )}
          {agent.tokenExpireTime && (
            <Fact name="Token expires">
              <AbsoluteTime value={agent.tokenExpireTime} />
            </Fact>
          )}
          {agent.createdBy && <Fact name="Created by">{agent.createdBy}</Fact>}
          {agent.expireTime && (
            <Fact name="Access until">
              <AbsoluteTime value={agent.expireTime} />
            </Fact>
          )}
          {agent.allowedNetworks && agent.allowedNetworks.length > 0 && (
            <Fact name="Connects from">
              <span className="font-mono">{agent.allowedNetworks.join(', ')}</span>
            </Fact>
          )}
          <Fact name="Created">
            <AbsoluteTime value={agent.createTime} />
          </Fact>
          <Fact name="Updated">
            <AbsoluteTime value={agent.updateTime} />
          </Fact>
          <Fact name="ID">
            <span className="flex items-start gap-1">
              <span className="font-mono text-12 wrap-anywhere">{agent.id}</span>
              <CopyButton label="Copy ID" value={agent.id} />
            </span>
          </Fact>
        </Facts>
      </section>
      <section>
        <h2>Delete agent</h2>
        <p className="text-ink-2">{deletionConsequence(agent.targetCount ?? 0)}</p>
        <Button size="sm" call="deleteAgent" icon={<Trash2 />} className="mt-3" onClick={onDelete}>
          Delete agent
        </Button>
      </section>
    </>
  )
}

/** What happens to the agent's targets when it is deleted. */
export function deletionConsequence(count: number): string {
  if (count === 0) return 'Its key is revoked immediately.'
  if (count === 1) return "Its target stays in scope but isn't scanned until you assign another agent."
  return `Its ${formatNumber(count)} targets stay in scope but aren't scanned until you assign another agent.`
}
