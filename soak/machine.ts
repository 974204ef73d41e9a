/** Machines of a test: processes with their own network, hostname, and system folders (Linux namespaces, root). */
import { type ChildProcess, execFile, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { root } from '../lab/product.ts'

export interface Machine {
  /** Its first process, in the numbering of this machine. */
  readonly pid: number
  /**
   * Runs a shell script to its end.
   *
   * @throws with the output if it fails
   */
  run(script: string): Promise<string>
  start(command: readonly string[], options?: SpawnOptions): ChildProcess
  /** Ends all of its processes; its network and its files disappear with them. */
  stop(): Promise<void>
}

const execute = promisify(execFile)
const commandMsMax = 60_000
const namespaces = ['--net', '--mount', '--uts', '--pid']
/** Mounts overlays in memory, so that the machine can write to system folders without changing this one. */
const prepareSystem = (name: string) => `
  hostname ${name}
  ip link set lo up
  mount -t tmpfs tmpfs /mnt
  for folder in etc var opt run usr/local; do
    mkdir -p /mnt/$folder /mnt/work-$(basename $folder)
    mount -t overlay overlay -o lowerdir=/$folder,upperdir=/mnt/$folder,workdir=/mnt/work-$(basename $folder) /$folder
  done`

/** Why machines can't be created here; null if they can. */
export function machinesUnavailable(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'namespaces need root on Linux'
  const script = `${prepareSystem('probe')}\nip link add eth0 type veth peer name eth1\nnft list ruleset`
  const { status, stderr, error } = spawnSync('unshare', [...namespaces, '--fork', 'sh', '-ec', script])
  return status === 0 ? null : `this kernel can't create the machines: ${error?.message ?? stderr.toString().trim()}`
}

export async function startMachine(name: string): Promise<Machine> {
  const holder = spawn(
    'unshare',
    [...namespaces, '--fork', '--mount-proc', '--kill-child', 'sh', '-c', 'echo; exec cat'],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  await once(holder.stdout, 'data')
  const pid = Number((await readFile(`/proc/${holder.pid}/task/${holder.pid}/children`, 'utf8')).trim())
  const enter = ['--target', String(pid), '--net', '--mount', '--uts', '--pid', `--wdns=${root}`]
  const machine: Machine = {
    pid,
    // Not synchronous: this process also carries the machine's traffic.
    async run(script) {
      const { stdout } = await execute('nsenter', [...enter, 'sh', '-ec', script], { timeout: commandMsMax })
      return stdout
    },
    start: (command, options = {}) => spawn('nsenter', [...enter, ...command], options),
    async stop() {
      const exit = once(holder, 'exit')
      holder.kill('SIGKILL')
      await exit
    },
  }
  await machine.run(prepareSystem(name))
  return machine
}

/** Connects two machines with a virtual cable; both interfaces are called eth0. */
export async function connectMachines(
  first: Machine,
  firstAddress: string,
  second: Machine,
  secondAddress: string,
): Promise<void> {
  const link = ['link', 'add', 'eth0', 'netns', String(first.pid), 'type', 'veth', 'peer', 'name', 'eth0']
  await execute('ip', [...link, 'netns', String(second.pid)])
  await first.run(`ip address add ${firstAddress} dev eth0 && ip link set eth0 up`)
  await second.run(`ip address add ${secondAddress} dev eth0 && ip link set eth0 up`)
}
