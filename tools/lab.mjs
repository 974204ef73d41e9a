/**
 * `npm run lab`: scans real programs with known weaknesses. Where possible, everything runs in a network namespace
 * with only a loopback interface, so that the weak servers can't be reached from outside and don't conflict with
 * other programs.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { exitWithNpm, nodeProgram, root } from './node.mjs'
import { install } from './prepare.mjs'

exitWithNpm()
await install({ dev: false })
const args = process.argv.slice(2)
const lab = join(root, 'lab/zoo.ts')
const options = ['--node', process.env['npm_node_execpath'] ?? process.execPath]
const selection = args.filter((arg) => !['serve', 'check', 'install'].includes(arg))
await run(nodeProgram(), [lab, 'install'].concat(selection, options))

const namespaces = [['--net'], ['--user', '--map-root-user', '--net']]
const flags = namespaces.find((some) => spawnSync('unshare', some.concat('ip', 'link', 'set', 'lo', 'up')).status === 0)
const command = ['serve', 'check', 'install'].includes(args[0]) ? [] : ['check']
const fullCommand = [nodeProgram(), lab].concat(command, args, options)
if (flags) {
  const script = 'ip link set lo up && exec "$@"'
  await run('unshare', flags.concat('sh', '-c', script, 'lab', fullCommand, '--isolated'))
} else await run(fullCommand[0], fullCommand.slice(1))

/** Runs a program and forwards signals, so that it can stop its servers. */
async function run(program, rest) {
  const child = spawn(program, rest, { cwd: root, stdio: 'inherit' })
  const forward = (signal) => child.kill(signal)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward)
  const [code, signal] = await once(child, 'exit')
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(name, forward)
  if (code !== 0) process.exit(code ?? (signal ? 1 : 0))
}
