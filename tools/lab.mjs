/**
 * `npm run lab`: real programs with known weaknesses, scanned by Glacis. Where the machine allows it
 * everything runs in a network of its own that has nothing but loopback, so that no weak server can
 * be reached from anywhere and none gets in the way of another program.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { followNpm, nodeProgram, root } from './node.mjs'
import { install } from './prepare.mjs'

followNpm()
await install({ dev: false })
const words = process.argv.slice(2)
const lab = join(root, 'lab/real.ts')
const options = ['--node', process.env['npm_node_execpath'] ?? process.execPath]
await run(nodeProgram(), [lab, 'install'].concat(words, options))

const ways = [['--net'], ['--user', '--map-root-user', '--net']]
const flags = ways.find((some) => spawnSync('unshare', some.concat('ip', 'link', 'set', 'lo', 'up')).status === 0)
const command = words[0] === 'serve' || words[0] === 'check' ? [] : ['check']
const inside = [nodeProgram(), lab].concat(command, words, options)
if (flags) {
  const script = 'ip link set lo up && exec "$@"'
  await run('unshare', flags.concat('sh', '-c', script, 'lab', inside, '--isolated'))
} else await run(inside[0], inside.slice(1))

/** What ends us ends the program too, which stops its servers first. */
async function run(program, rest) {
  const child = spawn(program, rest, { cwd: root, stdio: 'inherit' })
  const pass = (signal) => child.kill(signal)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, pass)
  const [code, signal] = await once(child, 'exit')
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(name, pass)
  if (code !== 0) process.exit(code ?? (signal ? 1 : 0))
}
