/**
 * Parameters in JSON bodies and POST forms that reach an interpreter, the file system, or the network unchecked.
 *
 * POST requests are sent only to operations whose path or button names something that only reads, such as a search, a
 * preview, a conversion, or a ping, and only with the members that the site itself sends. Other POST requests could
 * change data, so they are never sent, even if writes are permitted.
 */
import { randomBytes } from 'node:crypto'
import { type BodyParameter, bodyParameters } from '#native/web/body-parameters.ts'
import { requestedCallback } from '#native/web/callback-proof.ts'
import type { NativeCheck, NativeContext, Proof } from '#native/native-check.ts'
import type { Attempt } from '#native/web/reflected-markup.ts'
import { isFile, isUrl } from '#native/web/parameters.ts'
import {
  proveTemplateInjection,
  requestForgery,
  proveRequestForgery,
  templateInjection,
} from '#native/web/server-evaluation.ts'
import { commandInjection, proveCommandInjection } from '#native/web/server-commands.ts'
import { expressionInjection, isExpression, proveExpressionInjection } from '#native/web/server-expressions.ts'
import { fileTraversal, proveFileTraversal } from '#native/web/server-files.ts'
import { conditionInjection, proveSqlError, errorInjection, proveSqlCondition } from '#native/web/sql-injection.ts'
import { requestWeb } from '#native/web/request.ts'
import { readSite, type WebSite } from '#native/web/site.ts'
import { identifiedNames } from '#template/relevance.ts'
import { keepsDocuments } from '#template/selection.ts'

export const webBodies: NativeCheck = {
  checks: [
    fileTraversal,
    errorInjection,
    conditionInjection,
    templateInjection,
    requestForgery,
    commandInjection,
    expressionInjection,
  ],
  isPerFolder: true,
  appliesTo: ({ protocol, technologies }) => protocol === 'http' && !keepsDocuments(identifiedNames(technologies)),
  async run(context) {
    const site = await readSite(context)
    if (!site) return {}
    const attempts = await attemptsOf(context, await bodyParameters(context))
    const sender = (parameter: BodyParameter) => (value: string) => send(context, parameter, value)
    const those = (accepts: (parameter: BodyParameter) => boolean) =>
      attempts.filter(({ parameter }) => accepts(parameter))
    const error = await firstProof(attempts, (attempt) => proveSqlError(attempt, sender(attempt.parameter)))
    return {
      [fileTraversal.id]: await firstProof(those(isFile), ({ parameter }) =>
        proveFileTraversal(parameter, sender(parameter)),
      ),
      [errorInjection.id]: error,
      [conditionInjection.id]: error
        ? null
        : await firstProof(attempts, ({ parameter }) => proveSqlCondition(parameter, sender(parameter))),
      [templateInjection.id]: await firstProof(attempts, ({ parameter }) => proveTemplateInjection(sender(parameter))),
      [requestForgery.id]: await firstProof(those(isUrl), ({ parameter }) => requests(context, site, parameter)),
      [commandInjection.id]: await firstProof(attempts, ({ parameter }) =>
        proveCommandInjection((value) => send(context, parameter, `${hostOf(parameter)}${value}`)),
      ),
      [expressionInjection.id]: await firstProof(those(isExpression), ({ parameter }) =>
        proveExpressionInjection(sender(parameter)),
      ),
    }
  },
}

async function firstProof<Item extends { readonly parameter: BodyParameter }>(
  items: readonly Item[],
  prove: (item: Item) => Promise<Proof | null>,
): Promise<Proof | null> {
  for (const item of items) {
    const proof = await prove(item)
    if (proof) return { ...proof, path: item.parameter.path }
  }
  return null
}

interface BodyAttempt extends Attempt {
  readonly parameter: BodyParameter
}

const unreachable = new Set([401, 403, 404, 405, 415])

/** Responses to quotation marks and a tag, without those of operations that reject every request. */
async function attemptsOf(
  context: NativeContext,
  parameters: readonly BodyParameter[],
): Promise<readonly BodyAttempt[]> {
  const attempts: BodyAttempt[] = []
  for (const parameter of parameters) {
    const tag = `<g${randomBytes(6).toString('hex')}>`
    const response = await send(context, parameter, `${parameter.value}"'${tag}`)
    if (response && !unreachable.has(response.status)) attempts.push({ parameter, tag, response })
  }
  return attempts
}

async function requests(context: NativeContext, site: WebSite, parameter: BodyParameter): Promise<Proof | null> {
  const sendUrl = (url: string) => send(context, parameter, url)
  return (await proveRequestForgery(context, site.front, sendUrl)) ?? (await requestedCallback(context, sendUrl))
}

const hostName = /^(?:addr(?:ess)?|domain|host(?:_?name)?|ip(?:_?addr(?:ess)?)?|server|target)$/i

/** The usual value, or an address for programs that return an error without one. */
function hostOf({ name, value }: BodyParameter): string {
  return value === '' && hostName.test(name) ? '127.0.0.1' : value
}

function send(context: NativeContext, { path, kind, members, name }: BodyParameter, value: string) {
  const all = { ...members, [name]: value }
  const [type, body] =
    kind === 'json' ? ['application/json', asciiJson(all)] : ['application/x-www-form-urlencoded', encodedForm(all)]
  const headers = { Accept: 'application/json, text/html;q=0.9, */*;q=0.8', 'Content-Type': type }
  return requestWeb(context, { method: 'POST', target: path, headers, body })
}

/** Bodies are sent as one byte per character. */
function asciiJson(members: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(members).replaceAll(
    /[\u0080-\uffff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function encodedForm(members: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(members).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return new URLSearchParams(pairs).toString()
}
