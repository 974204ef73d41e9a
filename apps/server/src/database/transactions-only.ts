/**
 * A pool whose connections reject statements outside of a transaction. Concurrent statements wait for each other; if one
 * fails, the transaction is rolled back while others still wait, and those would run without its role and workspace.
 */
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { Pool } from 'pg'

export function transactionsOnly(pool: Pool): PostgresPool {
  return {
    options: pool.options,
    connect: async () => guardClient(await pool.connect()),
    end: () => pool.end(),
  }
}

/** For one transaction: the next one that uses the connection gets its own guard. */
function guardClient(client: PostgresPoolClient): PostgresPoolClient {
  let isOpen = false
  const query = async (text: string, parameters: readonly unknown[]) => {
    if (/^(begin|start transaction)\b/.test(text)) isOpen = true
    if (!isOpen) throw new Error('statement outside of its transaction')
    if (/^(commit|rollback)$/.test(text)) isOpen = false
    return client.query(text, parameters)
  }
  return {
    query: query as PostgresPoolClient['query'], // cursors aren't used
    release: (destroy) => client.release(destroy),
  }
}
