/** The thread that sets one PDF and ends. */
import { parentPort, workerData } from 'node:worker_threads'
import { setPdf } from './pdf/report.ts'

const bytes = new Uint8Array(await setPdf(workerData))
parentPort?.postMessage(bytes, [bytes.buffer])
