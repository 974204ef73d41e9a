/** Runs commands of the program in the process of the test, which is much faster than starting the program. */
import { join } from 'node:path'
import { runCommand } from '../cli.ts'

export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const root = join(import.meta.dirname, '../../../..')

/** Runs a command to its end. Only one at a time: it captures what the process writes. */
export async function runInProcess(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  using stdout = capture(process.stdout)
  using stderr = capture(process.stderr)
  const code = await runCommand(args, { environment, root })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function capture(stream: NodeJS.WriteStream): Disposable & { text(): string } {
  const { write } = stream
  const listeners = new Set(stream.listeners('error'))
  let text = ''
  stream.write = (chunk: string | Uint8Array, ...more: unknown[]) => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    const done = more.at(-1)
    if (typeof done === 'function') done()
    return true
  }
  return {
    text: () => text,
    [Symbol.dispose]() {
      stream.write = write
      // Commands don't remove their listeners, because the process usually ends with them.
      for (const listener of stream.listeners('error'))
        if (!listeners.has(listener)) stream.off('error', listener as () => void) // it is a listener of the stream
    },
  }
}
