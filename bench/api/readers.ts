/** Readers of the API: how long their answers take. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { pathToFileURL } from 'node:url'
import { readersMax } from './calls.ts'
import type { Word } from './serve.ts'

export interface Server {
  readonly child: ChildProcess
  readonly url: string
}

export async function start(url: string, role: 'serve' | 'ingest'): Promise<Server> {
  const child = fork(new URL(`${role}.ts`, pathToFileURL(import.meta.filename)), [url])
  const [message] = (await once(child, 'message')) as [{ url: string }] // both begin with where they listen
  return { child, url: message.url }
}

export async function stop({ child }: Server): Promise<void> {
  const exit = once(child, 'exit')
  child.send('stop')
  await exit
}

/** What the process answers to a word; the caller knows the shape. */
export async function ask<T>({ child }: Server, word: Word): Promise<T> {
  const answer = once(child, 'message')
  child.send(word)
  const [message] = (await answer) as [T] // serve.ts answers each word with its own shape
  return message
}

const agent = new Agent({ keepAlive: true, maxSockets: readersMax })

export interface Reading {
  /** The readers take them in turn: with one path all ask the same. */
  readonly paths: readonly string[]
  readonly person: string
  readonly count: number
  readonly forMs: number
}

/** Milliseconds that each answer took, for `count` readers who ask again as soon as they have one. */
export async function timesOf(server: Server, { paths, person, count, forMs }: Reading): Promise<number[]> {
  const until = performance.now() + forMs
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

/** Milliseconds until the last byte. */
export async function timed({ url }: Server, path: string, person: string, change?: Change): Promise<number> {
  const begin = performance.now()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const headers = {
    'x-person': person,
    ...(change && { 'content-type': 'application/json', origin: 'http://localhost' }),
  }
  const asked = request(url + path, { agent, method: change?.method ?? 'GET', headers }, (response) => {
    let text = ''
    response.on('data', (part: Buffer) => {
      if (response.statusCode !== 200) text += part.toString()
    })
    response.on('end', () =>
      response.statusCode === 200 ? resolve() : reject(new Error(`${path}: ${response.statusCode} ${text}`)),
    )
  })
  asked.on('error', reject)
  asked.end(change && JSON.stringify(change.body))
  await promise
  return performance.now() - begin
}

export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0
}
