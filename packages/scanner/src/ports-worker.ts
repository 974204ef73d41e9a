/**
 * The sweeping thread: connects to the ports of many hosts at once and tells the states of each host when it
 * is done. Runs in a worker so that thousands of sockets delay nobody else; `sweep-engine.ts` starts and stops it.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { connectWithSockets } from '#net/connect-sockets.ts'
import type { SweepOrder } from '#sweep-host.ts'
import { createSweep } from '#sweep-loop.ts'

// A refused connect makes an error object; its stack is the dearest part of it and nobody reads it.
Error.stackTraceLimit = 0
const sweep = createSweep(workerData, connectWithSockets, (reply) => parentPort?.postMessage(reply))
parentPort?.on('message', (order: SweepOrder) => sweep.add(order))
