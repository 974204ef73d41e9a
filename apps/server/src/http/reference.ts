/** The reference page: the OpenAPI document as people read it. */
import { proseOf } from '#http/document-page.ts'
import { errors, problems } from '#http/openapi-refusals.ts'
import { escape, framed } from '#http/page-frame.ts'
import { isRecord, membersOf, typeOf } from '#http/reference-types.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: unknown
}
interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly group: string
  readonly summary: string
  readonly parameters: readonly Parameter[]
  readonly body: unknown
  readonly bodyExample: unknown
  readonly result: unknown
  readonly resultExample: unknown
  /** What it answers with where that is no JSON. */
  readonly files: readonly string[]
}

/** Renders the calls by group, in the order of the document's tags. Every text is escaped. */
export function referencePage(document: Readonly<Record<string, unknown>>): string {
  const url = String(at(document, 'servers', 0, 'url') ?? '')
  const byGroup = Map.groupBy(operationsOf(document), ({ group }) => group)
  const groups = listAt(document, 'tags').flatMap((tag) => {
    const [name, words] = [String(at(tag, 'name')), String(at(tag, 'description') ?? '')]
    const calls = byGroup.get(name)
    return calls ? [{ name, words, calls }] : []
  })
  const navigation = groups.map(
    ({ name, calls }) =>
      `<li><details><summary>${titleOf(name)}</summary><ul>${calls.map(linkTo).join('')}</ul></details></li>`,
  )
  const sections = groups.map(
    ({ name, words, calls }) =>
      `<section id="${escape(name)}"><h2>${titleOf(name)}</h2><p>${withCode(words)}</p>${calls.map((one) => article(one, url)).join('')}</section>`,
  )
  const prose = proseOf(String(at(document, 'info', 'description') ?? ''))
  return framed({
    title: 'API documentation · Glacis',
    styles: ['/docs/api.css'],
    aside: `<nav aria-label="Calls"><p><a href="/v1/openapi.json">OpenAPI 3.1 document</a></p><ul>${navigation.join('')}</ul></nav>`,
    main: `<h1>API documentation</h1>${prose}${errorTable()}${sections.join('')}`,
  })
}

function linkTo({ id, method, path }: Operation): string {
  return `<li><a href="#${escape(id)}"><b>${method}</b> ${escape(path.replace('/v1', ''))}</a></li>`
}

/** `api-tokens` as a heading. */
function titleOf(name: string): string {
  const words = name.replaceAll('-', ' ').replace('api', 'API')
  return escape(words.charAt(0).toUpperCase() + words.slice(1))
}

/** What each call may answer in place of its result. */
function errorTable(): string {
  const rows = Object.entries(problems).map(
    ([status, words]) =>
      `<tr><td><code>${status}</code></td><td>${escape(words)}</td><td><code>${escape(errors[status]?.message ?? '')}</code></td></tr>`,
  )
  return table(['Status', 'When', 'For example'], rows, 'Errors')
}

function article({ parameters, ...call }: Operation, url: string): string {
  const rows = parameters.map(
    (one) =>
      `<tr><td><code>${escape(one.name)}</code><small>${escape(one.in)}${one.required ? ', required' : ''}</small></td><td>${escape(typeOf(one.schema))}</td><td>${withCode(one.description ?? '')}</td></tr>`,
  )
  const isAnswered = call.result !== undefined
  return `<article id="${escape(call.id)}"><h3><a href="#${escape(call.id)}"><span class="method ${call.method}">${call.method}</span><code>${escape(call.path)}</code></a></h3>
<p>${withCode(call.summary)}</p>${rows.length > 0 ? table(['Parameter', 'Type', 'Meaning'], rows, 'Parameters') : ''}${bodyOf(call.body)}
<details><summary>Request</summary><pre tabindex="0">${escape(curlOf({ parameters, ...call }, url))}</pre></details>
${isAnswered ? `<details><summary>Answer</summary><pre tabindex="0">${escape(JSON.stringify(call.resultExample, null, 2))}</pre>${memberTable(call.result, 'Members of the answer')}</details>` : ''}${call.files.length > 0 ? `<p>Answers with ${call.files.map((type) => `<code>${escape(type)}</code>`).join(', ')}.</p>` : ''}</article>`
}

function bodyOf(schema: unknown): string {
  return schema === undefined ? '' : memberTable(schema, 'Members of the body')
}

function memberTable(schema: unknown, label: string): string {
  const rows = membersOf(schema).map(
    ({ name, type, isRequired, words }) =>
      `<tr><td><code>${escape(name)}</code>${isRequired ? '<small>required</small>' : ''}</td><td>${escape(type)}</td><td>${withCode(words)}</td></tr>`,
  )
  return rows.length > 0 ? table(['Member', 'Type', 'Meaning'], rows, label) : ''
}

function table(heads: readonly string[], rows: readonly string[], label: string): string {
  const head = heads.map((name) => `<th scope="col">${name}</th>`).join('')
  return `<div class="wide" tabindex="0" role="group" aria-label="${label}"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}

/** The call as a shell sends it. */
function curlOf({ method, path, group, parameters, body, bodyExample }: Operation, url: string): string {
  const query = parameters.filter((one) => one.in === 'query' && one.required).map((one) => `${one.name}=…`)
  const address = url + path + (query.length > 0 ? `?${query.join('&')}` : '')
  const secret = group === 'agent' ? '$AGENT_KEY' : '$GLACIS_TOKEN'
  const words = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${address}'`,
    `-H "Authorization: Bearer ${secret}"`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(bodyExample)}'`]),
  ]
  return words.join(' \\\n  ')
}

function operationsOf(document: Readonly<Record<string, unknown>>): Operation[] {
  const paths = at(document, 'paths')
  return Object.entries(isRecord(paths) ? paths : {}).flatMap(([path, methods]) =>
    Object.entries(isRecord(methods) ? methods : {}).map(([method, one]) => {
      const answers = at(one, 'responses', '200', 'content')
      const types = Object.keys(isRecord(answers) ? answers : {})
      return {
        id: String(at(one, 'operationId')),
        method: method.toUpperCase(),
        path,
        group: String(at(one, 'tags', 0)),
        summary: String(at(one, 'summary') ?? ''),
        parameters: listAt(one, 'parameters').filter(isParameter),
        body: at(one, 'requestBody', 'content', 'application/json', 'schema'),
        bodyExample: at(one, 'requestBody', 'content', 'application/json', 'example'),
        result: at(answers, 'application/json', 'schema'),
        resultExample: at(answers, 'application/json', 'example'),
        files: types.join() === 'application/json' ? [] : types,
      }
    }),
  )
}

function isParameter(value: unknown): value is Parameter {
  return typeof at(value, 'name') === 'string' && typeof at(value, 'in') === 'string'
}

/** Words between backticks are code, as they are to whoever reads the document itself. */
function withCode(text: string): string {
  return escape(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}

function listAt(value: unknown, name: string): readonly unknown[] {
  const found = at(value, name)
  return Array.isArray(found) ? found : []
}

function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((place, name) => {
    if (Array.isArray(place)) return place[Number(name)]
    return isRecord(place) ? place[name] : undefined
  }, value)
}

export const referenceStyle = `
.page{max-width:90rem;grid-template-columns:20rem minmax(0,1fr)}aside nav{max-height:calc(100vh - 3rem);overflow:auto}aside summary{padding:.25rem 0;cursor:pointer;color:var(--ink);font-weight:500}
aside details ul{padding:0 0 .5rem .9rem}aside details a{font:11.5px/16px "Geist Mono Variable",ui-monospace,monospace;overflow-wrap:anywhere;padding:.2rem 0}aside b{font-weight:600;color:var(--accent)}
h2{margin-top:3rem;font-size:18px}article{border-top:1px solid var(--line);padding:1.25rem 0;margin-top:1.25rem}article h3{margin:0;max-width:none}article h3 a{color:inherit;text-decoration:none}article h3 code{font-size:14px;font-weight:600}
.method{display:inline-block;min-width:4.25rem;margin-right:.75rem;font:600 12px/20px "Geist Mono Variable",ui-monospace,monospace;color:var(--accent)}.DELETE{color:light-dark(#a80024,#ff9a9f)}
table{table-layout:fixed;min-width:40rem}th:first-child{width:30%}th:nth-child(2){width:28%}td{overflow-wrap:anywhere;font-size:13px}td small{margin-left:.6rem;color:var(--soft);font-size:12px;white-space:nowrap}
details{margin:.35rem 0}main summary{cursor:pointer;color:var(--soft);font-size:13px}pre{max-height:28rem}
@media (max-width:52rem){table,tbody,tr,td{display:block;min-width:0}thead{display:none}td{border:0;padding:0}tr{border-bottom:1px solid var(--line);padding:.5rem 0}}`
