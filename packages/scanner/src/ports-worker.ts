/**
 * Sweep thread: connects to ports of many hosts concurrently and posts each host's port states when
 * it is done. Runs in a worker so that thousands of sockets don't delay other work; managed by
 * `sweep-engine.ts`.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { connectWithSockets } from '#net/connect-sockets.ts'
import type { SweepOrder } from '#sweep-host.ts'
import { createSweep } from '#sweep-loop.ts'

// Each refused connect creates an error object; its unused stack trace is the most expensive part.
Error.stackTraceLimit = 0
const sweep = createSweep(workerData, connectWithSockets, (reply) => parentPort?.postMessage(reply))
parentPort?.on('message', (order: SweepOrder) => sweep.add(order))
