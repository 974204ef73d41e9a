/** The reference page: the OpenAPI document as a page that needs no script. */

interface Operation {
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly parameters: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema?: unknown
  }[]
  readonly body: unknown
  readonly result: unknown
}

/** Renders the calls, grouped by noun. Every text is escaped. */
export function referencePage(document: Readonly<Record<string, unknown>>): string {
  const groups = Map.groupBy(operationsOf(document), (one) => one.path.split('/')[2] ?? '')
  const navigation = [...groups.keys()]
    .map((name) => `<li><a href="#${escape(name)}">${escape(name)}</a></li>`)
    .join('')
  const sections = [...groups].map(
    ([name, list]) => `<section id="${escape(name)}"><h2>${escape(name)}</h2>${list.map(article).join('')}</section>`,
  )
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Glacis API</title><link rel="stylesheet" href="/docs/api.css"></head><body>
<aside><h1>Glacis API</h1><p><a href="/v1/openapi.json">OpenAPI 3.1 document</a></p><nav aria-label="Calls"><ul>${navigation}</ul></nav></aside>
<main><p class="lead">${withCode(descriptionOf(document))}</p>${sections.join('')}</main></body></html>`
}

export const referenceStyle = `
:root{color-scheme:light dark;--ink:#121a1e;--soft:#4e595e;--line:#e5e8ea;--fill:#f3f5f7;--accent:#005764}
@media (prefers-color-scheme:dark){:root{--ink:#eaedef;--soft:#b8bfc3;--line:#23292c;--fill:#161a1c;--accent:#90d8e7}body{background:#101315}}
*{box-sizing:border-box}body{margin:0;font:14px/22px system-ui,sans-serif;color:var(--ink);display:grid;grid-template-columns:15rem minmax(0,1fr)}
aside{border-right:1px solid var(--line);padding:1.5rem;position:sticky;top:0;height:100vh;overflow:auto}
main{padding:1.5rem 2rem;max-width:60rem}h1{font-size:20px;margin:0}h2{font-size:20px;margin:2.5rem 0 .5rem;text-transform:capitalize}
h3{font:600 14px/22px ui-monospace,monospace;margin:0;overflow-wrap:anywhere}article{border-top:1px solid var(--line);padding:1rem 0}
.method{color:var(--accent);margin-right:.75rem}.lead,p{color:var(--soft);margin:.25rem 0}code{font:12px/18px ui-monospace,monospace;color:var(--ink)}ul{list-style:none;padding:0}a{color:var(--accent)}
pre{background:var(--fill);border-radius:7px;padding:.75rem;overflow:auto;font:12px/18px ui-monospace,monospace;margin:.5rem 0}
table{border-collapse:collapse;width:100%}td{border-top:1px solid var(--line);padding:.25rem .5rem;vertical-align:top}td:last-child{width:100%}td:first-child{font-family:ui-monospace,monospace;font-size:12px;padding-left:0}
@media (max-width:52rem){body{display:block}aside{position:static;height:auto;border:0;border-bottom:1px solid var(--line)}main{padding:1rem}}`

function article(operation: Operation): string {
  const parameters = operation.parameters
    .map(
      (one) =>
        `<tr><td>${escape(one.name)}</td><td>${escape(one.in)}${one.required ? ', required' : ''}</td><td>${escape(typeOf(one.schema))}</td></tr>`,
    )
    .join('')
  return `<article><h3><span class="method">${operation.method}</span>${escape(operation.path)}</h3><p>${escape(operation.summary)}</p>
${parameters && `<table>${parameters}</table>`}${block('Body', operation.body)}${block('Answer', operation.result)}</article>`
}

function block(title: string, schema: unknown): string {
  if (schema === undefined) return ''
  return `<details><summary>${title}</summary><pre tabindex="0">${escape(JSON.stringify(schema, null, 2))}</pre></details>`
}

function typeOf(schema: unknown): string {
  if (!isRecord(schema)) return ''
  if (Array.isArray(schema['enum'])) return schema['enum'].join(' | ')
  if (schema['type'] === 'array') return `list of ${typeOf(schema['items'])}`
  return [schema['type'], schema['format']].filter((word) => typeof word === 'string').join(', ')
}

function operationsOf(document: Readonly<Record<string, unknown>>): Operation[] {
  const paths = isRecord(document['paths']) ? document['paths'] : {}
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(isRecord(methods) ? methods : {}).map(([method, one]) => {
      const operation = isRecord(one) ? one : {}
      const parameters = Array.isArray(operation['parameters']) ? operation['parameters'] : []
      return {
        method: method.toUpperCase(),
        path,
        summary: String(operation['summary'] ?? ''),
        parameters,
        body: at(operation, 'requestBody', 'content', 'application/json', 'schema'),
        result: at(operation, 'responses', '200', 'content', 'application/json', 'schema'),
      }
    }),
  )
}

/** Words between backticks are code, as they are to whoever reads the document itself. */
function withCode(text: string): string {
  return escape(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}

function descriptionOf(document: Readonly<Record<string, unknown>>): string {
  return String(at(document, 'info', 'description') ?? '')
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((place: unknown, name) => (isRecord(place) ? place[name] : undefined), value)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
