/** The worker thread that renders one PDF and exits. */
import { parentPort, workerData } from 'node:worker_threads'
import { renderPdf } from './pdf/report.ts'

const bytes = new Uint8Array(await renderPdf(workerData))
parentPort?.postMessage(bytes, [bytes.buffer])
