/** Runs the lab until it is interrupted: `npx node lab/main.ts [network]`. The network is within 127.0.0.0/8. */
import { startLab } from './servers.ts'

// The reader of the output, such as `head`, may end first.
process.stdout.on('error', () => {})

const lab = await startLab({ network: process.argv[2], log: (line) => console.log(line) })
console.log('\nThese servers are deliberately vulnerable. They listen on this machine only. Press Ctrl-C to stop them.')
console.log('To fix a weakness, type "host weakness" and press Enter, for example "storefront env-file".')

process.stdin.setEncoding('utf8').on('data', (input: string) => {
  const [host = '', weakness = ''] = input.trim().split(/\s+/)
  if (host === '') return
  try {
    lab.fix(host, weakness)
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
