/** An agent of the installation, as a process that can be killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../lab/product.ts'

export interface RunningAgent {
  /** Kills it and starts it again with its state. */
  restart(): Promise<void>
  kill(): Promise<void>
}

/** @param folder for its token, its state, and its temporary files */
export async function startAgent(url: string, token: string, folder: string): Promise<RunningAgent> {
  const temporary = join(folder, 'temporary')
  await mkdir(temporary, { recursive: true })
  await writeFile(join(folder, 'token'), token, { mode: 0o600 })
  const start = (): ChildProcess =>
    spawn(
      process.execPath,
      [
        'apps/agent/src/main.ts',
        '--server',
        url,
        '--token-file',
        join(folder, 'token'),
        '--state',
        join(folder, 'state'),
      ],
      { cwd: root, env: { ...process.env, TMPDIR: temporary, GLACIS_SCAN_NETWORKS: '127.0.0.0/8' }, stdio: 'ignore' },
    )
  let child = start()
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
  }
  return {
    kill,
    async restart() {
      await kill()
      child = start()
    },
  }
}
