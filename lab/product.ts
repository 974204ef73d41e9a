/** Runs the product as users do: in its own process, with its own port and data folder. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

export interface Product {
  readonly url: string
  readonly dataFolder: string
  readonly process: ChildProcess
  /** Sends SIGINT and waits for the process to exit. */
  stop(): Promise<void>
}

/**
 * Starts the product and waits until it is ready.
 *
 * @param echo receives each output line
 * @throws with the output if the process exits before it is ready
 */
export async function startProduct(options: {
  readonly port: number
  readonly dataFolder: string
  readonly settings?: Readonly<Record<string, string>>
  readonly echo?: (line: string) => void
}): Promise<Product> {
  const { port, dataFolder, settings = {}, echo } = options
  const child = spawn(process.execPath, ['apps/server/src/main.ts', 'serve'], {
    cwd: root,
    env: {
      ...withoutTestSettings(process.env),
      GLACIS_FEEDS: 'off',
      ...settings,
      GLACIS_PORT: String(port),
      GLACIS_DATA: dataFolder,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: string[] = []
  const { promise: ready, resolve, reject } = Promise.withResolvers<string>()
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      output.push(line)
      echo?.(line)
      const url = /^Glacis is ready at (\S+)/.exec(line)?.[1]
      if (url) resolve(url)
    })
  }
  child.once('exit', (code) => reject(new Error(`The product exited with ${code}:\n${output.slice(-60).join('\n')}`)))
  return {
    url: await ready,
    dataFolder,
    process: child,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exit = once(child, 'exit')
      child.kill('SIGINT')
      await exit
    },
  }
}

/** GLACIS_SHARED configures tests and would be rejected as an unknown setting. */
function withoutTestSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => name !== 'GLACIS_SHARED'))
}
