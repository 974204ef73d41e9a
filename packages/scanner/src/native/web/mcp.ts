/** Model Context Protocol servers over HTTP (MCP, revision 2025-03-26, transports). */
import { checkInfo, type NativeCheck } from '#native/native-check.ts'
import { folderOf, requestWeb, webProof, type WebRequest } from '#native/web/request.ts'
import { identifiedNames } from '#template/relevance.ts'
import { keepsDocuments } from '#template/selection.ts'

const open = checkInfo({
  id: 'mcp-server-open',
  name: 'MCP server exposed without authentication',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:L/A:L',
  score: 7.3,
  summary:
    'A Model Context Protocol (MCP) server, which gives AI applications access to tools and data, accepts sessions without authentication. The check only initialized a session.',
  impact: "An attacker can call the server's tools and read its resources, with the server's permissions.",
  remediation:
    'Require authorization (OAuth 2.1, or a reverse proxy that checks a token), or bind the server to localhost.',
  reference: 'https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization',
  tags: 'misconfig mcp ai unauth',
  verifiedOn: 'fastmcp mcp-go-sdk',
})

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'glacis', version: '1' } },
})
const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
/** Paths of the Streamable HTTP transport. */
const endpoints = ['mcp', 'mcp/']

export const mcp: NativeCheck = {
  checks: [open],
  appliesTo: ({ protocol, technologies }) => protocol === 'http' && !keepsDocuments(identifiedNames(technologies)),
  async run(context) {
    const base = folderOf(context.basePath)
    const streamable = endpoints.map((name) => ({
      method: 'POST',
      target: `${base}${name}`,
      headers,
      body: initialize,
    }))
    const events: WebRequest = { target: `${base}sse`, headers: { Accept: 'text/event-stream' } }
    for (const request of [...streamable, events]) {
      const page = await requestWeb(context, request)
      if (!page) return {}
      const [highlight] =
        /"serverInfo":\s?\{"name":[^}]{1,300}\}/.exec(page.body) ??
        /event: endpoint\r?\ndata: \S{0,200}session_?id=[\w-]{8,64}/i.exec(page.body) ??
        []
      if (page.status === 200 && highlight !== undefined)
        return { [open.id]: { ...webProof(page, [highlight]), path: request.target } }
    }
    return { [open.id]: null }
  },
}
