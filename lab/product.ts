/** Runs the product as its users do: as a process of its own, on its own port and data folder. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

export interface Product {
  readonly url: string
  readonly dataFolder: string
  readonly process: ChildProcess
  /** Asks it to stop, as Ctrl-C does, and waits until it has. */
  stop(): Promise<void>
}

/**
 * Starts the product and waits until it says that it is ready.
 *
 * @param echo where its lines go, for a person to read
 * @throws when it ends before it is ready, with what it said
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
  const said: string[] = []
  const { promise: ready, resolve, reject } = Promise.withResolvers<string>()
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      said.push(line)
      echo?.(line)
      const url = /^Glacis is ready at (\S+)/.exec(line)?.[1]
      if (url) resolve(url)
    })
  }
  child.once('exit', (code) => reject(new Error(`The product ended with ${code}:\n${said.slice(-20).join('\n')}`)))
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

/** What tests are told is no setting of the product. */
function withoutTestSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => name !== 'GLACIS_SHARED'))
}
