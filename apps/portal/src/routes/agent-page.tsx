/** The agent page with the list of targets that the agent scans. */
import { getRouteApi } from '@tanstack/react-router'
import { AgentDetailPage } from '#agents/agent-detail.tsx'
import { TargetsOfAgent } from '#targets/targets-of-agent.tsx'

const route = getRouteApi('/_auth/agents/$id')

export function AgentScreen() {
  const { id } = route.useParams()
  return <AgentDetailPage targets={<TargetsOfAgent agentId={id} />} />
}
