import type { Trace } from '#fingerprint/web.ts'
import type { HttpRequest, HttpResponse } from '#net/http.ts'

/** What a server that was recognised tells of itself only when it is asked in its own words. Nothing is changed by it. */
interface WebQuestion {
  isMeant(traces: readonly Trace[]): boolean
  ask(send: Send): Promise<Trace[]>
}

/** @returns undefined when no answer came */
type Send = (request: HttpRequest) => Promise<HttpResponse | undefined>

const sessionHeader = 'x-transmission-session-id'

/**
 * `session-get` of Transmission. The first answer refuses and hands out the word that the second must bring, against
 * requests that a page sends in a visitor's name (rpc-spec.md, 2.3.1). Where a password is set, both refuse.
 */
const transmission: WebQuestion = {
  isMeant: (traces) =>
    traces.some(({ field, text }) => field === `http_header.${sessionHeader}` || isServer(field, text, 'Transmission')),
  async ask(send) {
    const question = {
      method: 'POST',
      path: '/transmission/rpc',
      body: '{"method":"session-get","arguments":{"fields":["version"]}}',
    }
    const refusal = await send(question)
    const [, word] = refusal?.headers.find(([name]) => name.toLowerCase() === sessionHeader) ?? []
    if (refusal?.status !== 409 || word === undefined || !/^[\w-]{1,128}$/.test(word)) return []
    const answer = await send({ ...question, headers: { [sessionHeader]: word } })
    const [, version] = /"version":\s*"([^"]{1,64})"/.exec(answer?.body.toString('utf8', 0, 65_536) ?? '') ?? []
    return answer?.status === 200 && version !== undefined ? [{ field: 'transmission.version', text: version }] : []
  },
}

const modulesMax = 100

/** The modules of a Node-RED whose administration is open (its Admin API, GET /nodes); as a page it tells no versions. */
const nodeRed: WebQuestion = {
  isMeant: (traces) =>
    traces.some(({ field, text }) => field === 'http.path:/settings' && /"httpNodeRoot":/.test(text)),
  async ask(send) {
    const answer = await send({ method: 'GET', path: '/nodes', headers: { Accept: 'application/json' } })
    if (answer?.status !== 200) return []
    const pairs = answer.body.toString('utf8').matchAll(/"module":"([^"]{1,100})","version":"([^"]{1,40})"/g)
    const modules = new Set([...pairs].map(([, name = '', version = '']) => `${name} ${version}`))
    return [...modules].slice(0, modulesMax).map((text) => ({ field: 'node-red.module', text }))
  },
}

const questions: readonly WebQuestion[] = [transmission, nodeRed]

/** Asks a web server what its traces call for; most are asked nothing. */
export async function askInOwnWords(traces: readonly Trace[], send: Send): Promise<Trace[]> {
  const answers: Trace[] = []
  for (const question of questions) if (question.isMeant(traces)) answers.push(...(await question.ask(send)))
  return answers
}

function isServer(field: string, text: string, name: string): boolean {
  return field === 'http_header.server' && text.startsWith(name)
}
