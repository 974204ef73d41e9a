/** Agents: scan from inside private networks and report their connection state. */
export { agentArchive } from '#agents/archive.ts'
export { authenticateAgent, type AgentIdentity } from '#agents/keys.ts'
export { connect, disconnect, heartbeat, isNewProcess, disconnectLost } from '#agents/connection.ts'
export { describeAgentsBriefly } from '#agents/describe.ts'
export { agentInstall, archivePath } from '#agents/install.ts'
export { getAgent, listAgentConnections, listAgents } from '#agents/list.ts'
export { createAgent, deleteAgent, rotateToken, updateAgent } from '#agents/register.ts'
