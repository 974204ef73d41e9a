/** Starts the processes that parse untrusted data, with as few rights as the system can enforce. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A module that calls `serveTasks`, and the rights of its process. */
export interface Program {
  readonly module: URL
  readonly heapMb: number
  /** Paths that it may read besides the program itself. */
  readonly readable?: readonly string[]
  /** Paths that it may write. */
  readonly writable?: readonly string[]
  readonly usesNetwork?: boolean
  /** Lets it start processes, which its own limits don't apply to. */
  readonly startsProcesses?: boolean
  /** Lowers its priority, so that requests of users come before it. */
  readonly isBackground?: boolean
}

/** Index of the pipe with the heartbeats. */
export const beatFd = 4

/**
 * Private memory, which includes buffers outside of the heap. V8 reserves 37 GB of addresses for its threads, so a
 * limit of the address space would have no effect; 1.8 GB of them count as data in an ordinary scan.
 */
const dataKb = 3 * 1024 * 1024
/** Relative to the project. Contain the program's code, and nothing that an installation writes. */
const programPaths = ['package.json', 'node_modules', 'packages', 'apps/server/src', 'apps/server/package.json']

export function startProgram(program: Program): ChildProcess {
  const options = [`--max-old-space-size=${program.heapMb}`, ...permissions(program), fileURLToPath(program.module)]
  const child = spawn(...limited(process.execPath, options), {
    // The process needs no environment variables, and must not inherit secrets.
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc', 'pipe'],
    serialization: 'advanced',
  })
  if (program.isBackground === true) lowerPriority(child.pid)
  return child
}

/** Limits the memory where a POSIX shell can, because the heap limit excludes buffers. */
function limited(command: string, args: readonly string[]): [string, string[]] {
  if (process.platform !== 'linux' || !existsSync('/bin/sh')) return [command, [...args]]
  // If the system's own limit is lower, raising it fails, and the lower one applies.
  return ['/bin/sh', ['-c', 'unset PWD; ulimit -d "$0" 2>/dev/null; exec "$@"', String(dataKb), command, ...args]]
}

function permissions({
  readable = [],
  writable = [],
  usesNetwork = false,
  startsProcesses = false,
}: Program): string[] {
  if (process.platform !== 'linux') return []
  const own = programPaths.map((path) => join(projectRoot(), path))
  return [
    '--permission',
    '--allow-worker',
    '--disable-warning=SecurityWarning',
    '--disable-warning=ExperimentalWarning',
    ...(usesNetwork ? ['--allow-net'] : []),
    ...(startsProcesses ? ['--allow-child-process', '--allow-ffi'] : []),
    ...[...own, ...readable, ...writable].map((path, _, all) => `--allow-fs-read=${grantOf(path, all)}`),
    ...writable.map((path) => `--allow-fs-write=${grantOf(path, writable)}`),
  ]
}

/** Node.js denies `/a/pack` itself if `/a/packs` is granted too, unless it is a prefix, which includes `/a/packs`. */
function grantOf(path: string, all: readonly string[]): string {
  const isPrefix = all.some((other) => other.startsWith(path) && !['', sep].includes(other.charAt(path.length)))
  return isPrefix ? `${path}*` : path
}

/** The folder that contains this code: the repository or, for an installed agent, the folder with its `node_modules`. */
function projectRoot(): string {
  const file = fileURLToPath(import.meta.url)
  const libraries = file.lastIndexOf(`${sep}node_modules${sep}`)
  return libraries < 0 ? join(dirname(file), '../../../..') : file.slice(0, libraries)
}

/** Background processes still get a fifth of a busy machine. */
const niceness = 5

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, Math.min(constants.priority.PRIORITY_LOW, getPriority() + niceness))
  } catch {
    // The process has exited already, or the system doesn't permit it. Then the priority stays unchanged.
  }
}
