/** Agents: who scans from inside closed networks, and whether it is there. */
export { agentArchive } from '#agents/archive.ts'
export { authenticateAgent, type AgentIdentity } from '#agents/keys.ts'
export { connect, disconnect, heartbeat, isNewProcess, noteLost } from '#agents/connection.ts'
export { agentNames } from '#agents/describe.ts'
export { agentInstall, archivePath } from '#agents/install.ts'
export { getAgent, listAgentConnections, listAgents } from '#agents/list.ts'
export { createAgent, deleteAgent, rotateToken, updateAgent } from '#agents/register.ts'
