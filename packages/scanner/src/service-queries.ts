/** Queries for the version of an identified service, also inside TLS where the server requires it. */
import type { FingerprintText } from '#fingerprint/fingerprint-text.ts'
import { protocolQueries, tlsRequired, type ProtocolQuery } from '#fingerprint/protocol-queries.ts'
import { withConnection, type Endpoint, type ProbeTarget } from '#fingerprint/connection.ts'
import { openUpgraded } from '#native/starttls.ts'
import type { IdentifyTools } from '#reading.ts'

export async function runQueries(
  protocol: string,
  endpoint: ProbeTarget,
  tools: IdentifyTools,
): Promise<readonly FingerprintText[]> {
  const traces: FingerprintText[] = []
  for (const conversation of protocolQueries[protocol] ?? []) {
    const plain = await withConnection(endpoint, tools, conversation, [])
    const isRejected = endpoint.isTls !== true && plain.some(({ text }) => text === tlsRequired)
    const inside = isRejected ? await queryAfterStartTls(protocol, conversation, endpoint, tools) : []
    traces.push(...(inside.length > 0 ? inside : plain))
  }
  return traces
}

async function queryAfterStartTls(
  protocol: string,
  conversation: ProtocolQuery,
  endpoint: Endpoint,
  tools: IdentifyTools,
): Promise<readonly FingerprintText[]> {
  await tools.budget.take(endpoint.address, tools.signal)
  const upgraded = await openUpgraded(protocol, endpoint, tools)
  if (!upgraded) return []
  try {
    return await conversation(upgraded.connection)
  } finally {
    upgraded.connection.close()
  }
}
