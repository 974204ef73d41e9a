/** `/agents` */
import type { Agent } from '@glacis/contract/agent'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Plus, RadioTower } from 'lucide-react'
import { useState } from 'react'
import { AgentDialogs, type AgentDialog } from '#agents/agent-dialogs.tsx'
import { AgentForm } from '#agents/agent-form.tsx'
import { AgentTable } from '#agents/agent-table.tsx'
import { DisconnectedAgents } from '#agents/disconnected-agents.tsx'
import { all } from '#agents/queries.ts'
import { type AgentSort, sortAgents } from '#agents/labels.ts'
import { Button } from '#ui/button.tsx'
import { ListBody } from '#ui/list.tsx'
import { PageHead } from '#ui/page-head.tsx'
import { EmptyState } from '#ui/states.tsx'

const route = getRouteApi('/_auth/agents')

/** The list of agents. `?create=true` opens the form. */
export function AgentListPage() {
  const { create } = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery(all())
  const [sort, setSort] = useState<AgentSort>()
  const [dialog, setDialog] = useState<AgentDialog>()
  const agents = query.data && sortAgents(query.data.agents, sort)
  const open = () => void navigate({ search: { create: true } })
  const close = () => void navigate({ search: {}, replace: true })
  const made = (agent: Agent) => {
    close()
    setDialog({ kind: 'token', agent })
  }
  return (
    <div className="pg flex grow flex-col">
      <PageHead
        title="Agents"
        count={agents?.length || undefined}
        description="Agents scan networks that this server can't reach."
        actions={
          <Button variant="primary" size="sm" call="createAgent" icon={<Plus />} onClick={open}>
            Add agent
          </Button>
        }
      />
      <div className="h-4.5" />
      <ListBody what="Agents" query={query} count={agents?.length} empty={<NoAgents onCreate={open} />}>
        <AgentTable agents={agents} sort={sort} onSort={setSort} onDialog={setDialog} />
        <DisconnectedAgents agents={agents ?? []} />
      </ListBody>
      <AgentForm open={create === true} onClose={close} onCreated={made} />
      <AgentDialogs dialog={dialog} onDialog={setDialog} />
    </div>
  )
}

function NoAgents({ onCreate }: { readonly onCreate: () => void }) {
  return (
    <EmptyState
      icon={<RadioTower />}
      title="No agents yet"
      actions={
        <Button variant="primary" size="sm" call="createAgent" icon={<Plus />} onClick={onCreate}>
          Add agent
        </Button>
      }
    >
      An agent scans a network from the inside. Create one to scan networks behind a firewall.
    </EmptyState>
  )
}
