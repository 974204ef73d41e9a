/**
 * Runs the hostile servers in a separate thread, so that their cost doesn't affect the scanner's
 * timing.
 */
import { parentPort } from 'node:worker_threads'
import { otherHostiles, webHostiles } from '#testing/hostile.ts'
import { listen } from '#testing/loopback.ts'

const all = [...webHostiles, ...otherHostiles]
const servers = await Promise.all(
  all.map(({ port = 0, handle }, index) => listen(`127.67.8.${index + 1}`, port, handle)),
)
parentPort?.postMessage(servers.map(({ address, port }) => ({ address, port })))
