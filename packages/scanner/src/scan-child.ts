/** The program of the process that scans batches. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { loadPacks, type Packs, scan } from '#index.ts'
import { borrowCallbacks } from '#callback/relay.ts'
import { serveTasks, type Task } from '#process/serve-tasks.ts'
import type { PackPaths, ScanInput, ScanOutput, ScanRequest } from '#scan-process.ts'
import { digestOf } from '#template/cache.ts'

/** Packs of the last batch, for the next one. */
let loaded: { readonly key: string; readonly packs: Packs } | null = null

serveTasks(async (message, task) => {
  const request = message as ScanRequest // passed by scan-process.ts
  const send = (output: ScanOutput) => task.send(output)
  const options = {
    signal: task.signal,
    packs: await packsOf(request.packs),
    knownOpen: request.knownOpen,
    stopped: request.stopped,
    closedCandidates: request.closedCandidates,
    withoutAccelerator: (reason: string) => void send({ withoutAccelerator: reason }),
    ...(request.callbacks && { callbacks: callbacksOf(request.callbacks, task) }),
  }
  for await (const observation of scan(request.job, options)) await send({ observation })
})

async function packsOf(paths: PackPaths): Promise<Packs> {
  const key = `${JSON.stringify(paths)} ${[...paths.checks, ...paths.fingerprints].map(stampOf).join(' ')}`
  if (loaded?.key !== key) loaded = { key, packs: await loadPacks({ ...paths, validatesPatterns: false }) }
  return loaded.packs
}

/** Changes when any file of the pack changes. */
function stampOf(path: string): string {
  if (!statSync(path).isDirectory()) return digestOf(path, [path])
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return digestOf(path, entries.map((entry) => join(entry.parentPath, entry.name)).toSorted())
}

function callbacksOf(endpoint: NonNullable<ScanRequest['callbacks']>, task: Task) {
  const borrowed = borrowCallbacks(endpoint, (callback) => void task.send({ callback }))
  task.onMessage((message) => borrowed.receive((message as ScanInput).callback)) // sent by scan-process.ts
  return borrowed
}
