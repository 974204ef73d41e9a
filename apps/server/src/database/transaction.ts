/** Transactions of one account. */
import type { Tables } from '#database/tables.ts'
import { CompiledQuery, type DatabaseConnection, type Kysely, type PostgresDialect, Transaction } from 'kysely'

/** Runs `work` in a transaction that sees only the rows of `account`; what throws rolls it back. */
export type Transact = <T>(account: string, work: (tx: Transaction<Tables>) => Promise<T>) => Promise<T>

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Transactions that wait only for what they need: the one statement that opens them and names the
 * account travels with the first of `work`, and statements that `work` asks together travel together.
 * Should the opening fail, all that follow fail with it, for without an account no row is seen.
 */
export function createTransact(database: Kysely<Tables>, dialect: PostgresDialect): Transact {
  const driver = dialect.createDriver()
  return (account, work) => {
    if (!uuid.test(account)) throw new Error('an account is named by a UUID')
    const executor = database.getExecutor()
    return executor.provideConnection(async (connection) => {
      const gate = createGate(connection)
      const tx = new Transaction<Tables>({
        config: { dialect },
        dialect,
        driver,
        executor: executor.withConnectionProvider(gate),
      })
      try {
        const opened = connection.executeQuery(
          CompiledQuery.raw(`begin; set local glacis.account = '${account.toLowerCase()}'`),
        )
        const [result] = await Promise.all([work(tx), opened])
        gate.close()
        await driver.commitTransaction(connection)
        return result
      } catch (error) {
        gate.close()
        await driver.rollbackTransaction(connection)
        throw error
      }
    })
  }
}

/** Hands out the connection for as long as the transaction lasts: what comes later would stand outside of it. */
function createGate(connection: DatabaseConnection) {
  let isOpen = true
  return {
    async provideConnection<T>(consumer: (one: DatabaseConnection) => Promise<T>): Promise<T> {
      if (!isOpen) throw new Error('the transaction is over')
      return consumer(connection)
    },
    close: () => void (isOpen = false),
  }
}
