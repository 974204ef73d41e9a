/**
 * Runs the laboratory until it is interrupted: `node lab/main.ts [network]`.
 * The network comes from the first argument or `GLACIS_LAB_NETWORK`; it must lie in 127.0.0.0/8.
 */
import { startLab } from './servers.ts'

const lab = await startLab({
  network: process.argv[2] ?? process.env['GLACIS_LAB_NETWORK'],
  log: (line) => console.log(line),
})
console.log('\nThese servers are weak on purpose. They listen on this machine only. Ctrl+C stops them.')
console.log('Type "host weakness" and Enter to mend one, for example "storefront env-file".')

process.stdin.setEncoding('utf8').on('data', (input: string) => {
  const [host = '', weakness = ''] = input.trim().split(/\s+/)
  if (host === '') return
  try {
    lab.mend(host, weakness)
  } catch (error) {
    console.log(error instanceof Error ? error.message : error)
  }
})

const stop = () => {
  process.stdin.pause()
  void lab.stop()
}
process.once('SIGINT', stop)
process.once('SIGTERM', stop)
