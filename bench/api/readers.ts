/** Readers that measure response times of the API. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { pathToFileURL } from 'node:url'
import { readersMax } from './calls.ts'
import type { Command } from './serve.ts'

export interface Server {
  readonly child: ChildProcess
  readonly url: string
}

export async function start(url: string, role: 'serve' | 'ingest'): Promise<Server> {
  const child = fork(new URL(`${role}.ts`, pathToFileURL(import.meta.filename)), [url])
  const [message] = (await once(child, 'message')) as [{ url: string }] // both send their URL first
  return { child, url: message.url }
}

export async function stop({ child }: Server): Promise<void> {
  const exit = once(child, 'exit')
  child.send('stop')
  await exit
}

/** Sends a command to the process. The caller knows the type of the response. */
export async function send<T>({ child }: Server, command: Command): Promise<T> {
  const response = once(child, 'message')
  child.send(command)
  const [message] = (await response) as [T] // the type depends on the command, see serve.ts
  return message
}

const agent = new Agent({ keepAlive: true, maxSockets: readersMax })

export interface ReaderOptions {
  /** Distributed among the readers; with one path, all request the same. */
  readonly paths: readonly string[]
  readonly person: string
  readonly count: number
  readonly durationMs: number
}

/** Response times in milliseconds of `count` readers, each of which sends its next request immediately. */
export async function timesOf(server: Server, { paths, person, count, durationMs }: ReaderOptions): Promise<number[]> {
  const until = performance.now() + durationMs
  const times: number[] = []
  const read = async (_: unknown, number: number) => {
    const path = paths[number % paths.length] ?? ''
    do times.push(await timed(server, path, person))
    while (performance.now() < until)
  }
  await Promise.all(Array.from({ length: count }, read))
  return times
}

export interface Change {
  readonly method: 'PUT' | 'POST'
  readonly body: object
}

/** Milliseconds until the last byte of the response. */
export async function timed({ url }: Server, path: string, person: string, change?: Change): Promise<number> {
  const startedAt = performance.now()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const headers = {
    'x-person': person,
    ...(change && { 'content-type': 'application/json', origin: 'http://localhost' }),
  }
  const outgoing = request(url + path, { agent, method: change?.method ?? 'GET', headers }, (response) => {
    let text = ''
    response.on('data', (part: Buffer) => {
      if (response.statusCode !== 200) text += part.toString()
    })
    response.on('end', () =>
      response.statusCode === 200 ? resolve() : reject(new Error(`${path}: ${response.statusCode} ${text}`)),
    )
  })
  outgoing.on('error', reject)
  outgoing.end(change && JSON.stringify(change.body))
  await promise
  return performance.now() - startedAt
}

export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0
}
