/** Requests and functions in the text of an application's own scripts. */

export interface ScriptCall {
  /** In upper case. */
  readonly method: string
  /** With `*` for its variable parts, such as `/api/jobs/*`. */
  readonly path: string
}

const textLengthMax = 2_000_000
const callsMax = 400

/** `axios.delete("/jobs/" + id)`, `$.post('jobs/add')` */
const methodCall =
  /(^|[\w$)]\.|[\s=(,;!&|?:{}])(get|getJSON|post|put|patch|delete|del)\(\s{0,9}(?:[\w.$]{1,40}\s{0,3}\+\s{0,3})?["'`]([^"'`\s?#]{1,160})/g
/** `fetch(base + "/jobs", …)` */
const fetchCall = /\bfetch\(\s{0,9}(?:[\w.$]{1,40}\s{0,3}\+\s{0,3})?["'`]([^"'`\s?#]{1,160})/g
/** `async function api(path, options) { …` and `const api = (path) => …`. */
const declared =
  /\bfunction\s{1,3}([\w$]{1,30})\s{0,3}\(\s{0,3}([\w$]{1,30})|\b(?:const|let|var)\s{1,3}([\w$]{1,30})\s{0,3}=\s{0,3}(?:async\s{0,3})?\(?\s{0,3}([\w$]{1,30})(?=[^;{}]{0,60}=>)/g
/** `{ url: "/jobs", … }` */
const urlMember = /\burl["']?\s{0,3}:\s{0,3}["'`]([^"'`\s?#]{1,160})/g
const methodMember = /\b(?:method|type)["']?\s{0,3}:\s{0,3}["'`](GET|POST|PUT|PATCH|DELETE)\b/i

/** `// the report uses GET /api/orders` */
const described = /\bGET (\/(?:[\w-]{1,40}\/){1,5}[\w-]{1,40})(?=[\s,;.)]|$)/g

/** Requests whose method and path the scripts name, without repetitions. */
export function scriptCalls(texts: readonly string[]): readonly ScriptCall[] {
  const calls = texts.flatMap((whole) => {
    const text = withFetch(withPathConstants(whole.slice(0, textLengthMax)))
    return [...methodCalls(text), ...fetchCalls(text), ...urlCalls(text), ...describedCalls(text)]
  })
  const known = calls.filter(({ path: target }) => /^(?:\/(?!\/)|[\w-]{1,40}(?:\/|$))/.test(target) && !isAsset(target))
  return [...new Map(known.map((call) => [`${call.method} ${call.path}`, call])).values()]
}

export interface ScriptBody {
  readonly path: string
  readonly kind: 'form' | 'json'
  /** The members of the object literal, as source text. */
  readonly members: string
}

const bodiesMax = 60
const bodyLengthMax = 400
const postCall =
  /(?:[\w$)]\.|[\s=(,;!&|?:{}])post\(\s{0,9}(?:[\w.$]{1,40}\s{0,3}\+\s{0,3})?["'`]([^"'`\s?#]{1,160})["'`]\s{0,9},\s{0,9}(?:JSON\.stringify\(\s{0,9})?\{([^{}]{1,300})\}/g
const stringified = /\bJSON\.stringify\(\s{0,9}\{([^{}]{1,300})\}/
const encoded = /\bnew URLSearchParams\(\s{0,9}\{([^{}]{1,300})\}/

/** POST requests of the scripts whose body is an object literal. */
export function scriptBodies(texts: readonly string[]): readonly ScriptBody[] {
  const bodies = texts.flatMap((whole) => {
    const text = withFetch(withPathConstants(whole.slice(0, textLengthMax)))
    const posted = [...text.matchAll(postCall).take(bodiesMax)].map(([, path = '', members = '']): ScriptBody => ({
      path,
      kind: 'json',
      members,
    }))
    const fetched = [...text.matchAll(fetchCall).take(callsMax)].flatMap((match): ScriptBody[] => {
      const start = match.index + match[0].length
      const [options = ''] = text.slice(start, start + bodyLengthMax).split(/\bfetch\(/, 1)
      if (!/^["'`]/.test(options) || !/\bmethod["']?\s{0,3}:\s{0,3}["'`]POST\b/i.test(options)) return []
      const [, json] = stringified.exec(options) ?? []
      const [, form] = encoded.exec(options) ?? []
      const members = json ?? form
      return members === undefined
        ? []
        : [{ path: match[1] ?? '', kind: json === undefined ? 'form' : 'json', members }]
    })
    return [...posted, ...fetched]
  })
  return [...new Map(bodies.map((body) => [body.path, body])).values()].slice(0, bodiesMax)
}

const constant = /(?:^|[\s,;{(])(?:this\.)?([\w$]{1,40})\s{0,3}[=:]\s{0,3}["'`](\/[\w./-]{0,60})["'`]/g
const constantsMax = 8

/** The same text with paths in place of the constants that hold them, wherever something is appended to a constant. */
function withPathConstants(text: string): string {
  const found = [...text.matchAll(constant).take(constantsMax)].map(([, name = '', path = '']) => ({ name, path }))
  const paths = Map.groupBy(found, ({ name }) => name)
  return [...paths].reduce((result, [name, [first, ...others]]) => {
    const path = first?.path.replace(/\/$/, '') ?? ''
    // Minified code uses a short name more than once.
    if (path === '' || others.some((other) => other.path !== first?.path)) return result
    const used = String.raw`(?<![\w$.])${literal(name)}\s{0,3}\+`
    return result
      .replaceAll(`\${${name}}`, path)
      .replaceAll(new RegExp(String.raw`${used}\s{0,3}(["'\`])\/?`, 'g'), `$1${path}/`)
      .replaceAll(new RegExp(used, 'g'), `'${path}/' +`)
  }, text)
}

function methodCalls(text: string): ScriptCall[] {
  return [...text.matchAll(methodCall).take(callsMax)].flatMap((match) => {
    const [whole, object, name = '', target = ''] = match
    // `map.delete("key")` has no slash; jQuery's paths can be relative.
    if (!target.includes('/') && object !== '$.') return []
    const method = name === 'del' ? 'DELETE' : name === 'getJSON' ? 'GET' : name.toUpperCase()
    return { method, path: pathOf(target, after(match.index + whole.length, text)) }
  })
}

function fetchCalls(text: string): ScriptCall[] {
  return [...text.matchAll(fetchCall).take(callsMax)].map((match) => {
    const [whole, target = ''] = match
    const rest = after(match.index + whole.length, text)
    return { method: methodIn(/^[^;{]{0,80}\{[^{}]{0,120}/.exec(rest)?.[0] ?? ''), path: pathOf(target, rest) }
  })
}

const helpersMax = 4

/**
 * The same text with `fetch` in place of the application's own functions that pass their first argument to it, and with
 * `$.post` in place of those that send an object.
 */
function withFetch(text: string): string {
  const helpers = [...text.matchAll(declared).take(functionsMax)].flatMap((match) => {
    const [whole, first, firstArgument, second, secondArgument] = match
    const [name, argument] = [first ?? second ?? '', firstArgument ?? secondArgument ?? '']
    const body = after(match.index + whole.length, text)
    const passes = new RegExp(String.raw`\bfetch\([^,)]{0,40}(?<![\w$])${literal(argument)}(?![\w$])`)
    // Minified code uses a short name more than once.
    if (name === 'fetch' || !passes.test(body) || (name.length < 3 && isMinified(text))) return []
    const sendsObject =
      /\bmethod["']?\s{0,3}:\s{0,3}["'`]POST\b[^;]{0,120}\bJSON\.stringify\(\s{0,3}[\w$]{1,30}\s{0,3}\)/.test(body)
    return [[name, sendsObject ? '$$.post(' : 'fetch('] as const]
  })
  return [...new Map(helpers)]
    .slice(0, helpersMax)
    .reduce(
      (result, [name, call]) => result.replaceAll(new RegExp(String.raw`(?<![\w$.])${literal(name)}\(`, 'g'), call),
      text,
    )
}

const readableLineMax = 400

function isMinified(text: string): boolean {
  return text.length / text.split('\n').length > readableLineMax
}

function literal(name: string): string {
  return name.replaceAll('$', String.raw`\$`)
}

function urlCalls(text: string): ScriptCall[] {
  return [...text.matchAll(urlMember).take(callsMax)].map((match) => {
    const [whole, target = ''] = match
    const before =
      text
        .slice(Math.max(0, match.index - 80), match.index)
        .split(/[{}]/)
        .at(-1) ?? ''
    const rest = after(match.index + whole.length, text)
    return { method: methodIn(`${before} ${rest.split(/[{}]/, 1)[0] ?? ''}`), path: pathOf(target, rest) }
  })
}

/** Calls in comments. */
function describedCalls(text: string): ScriptCall[] {
  return [...text.matchAll(described).take(callsMax)].map(([, path = '']) => ({ method: 'GET', path }))
}

function after(at: number, text: string): string {
  return text.slice(at, at + 200)
}

/** `"/jobs/" + id + "/stop"` and `"/jobs/".concat(id, "/stop")` */
const continued =
  /^["'`]\s{0,3}(?:\+\s{0,3}[\w.$]{1,40}(?:\([\w.$]{0,40}\))?\s{0,3}\+|\.concat\([\w.$]{1,40},)\s{0,3}["'](\/[\w/-]{1,60})/
const appended = /^["'`]\s{0,3}(?:\+|\.concat\()/

function pathOf(target: string, rest: string): string {
  const path = target.replaceAll(/\$\{[^{}]{0,80}\}/g, '*').replace(/^\*(?=\/)/, '')
  const [, end] = continued.exec(rest) ?? []
  return `${path}${end === undefined ? (appended.test(rest) ? '*' : '') : `*${end}`}`
}

function methodIn(options: string): string {
  return methodMember.exec(options)?.[1]?.toUpperCase() ?? 'GET'
}

function isAsset(target: string): boolean {
  return /\.(?:html?|css|js|json|svg|png|wasm|map)$/.test(target)
}

const functionsMax = 300

/** Names of the functions that the scripts declare, such as `deleteJob`. */
export function functionsOf(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) =>
    [
      ...text
        .slice(0, textLengthMax)
        .matchAll(/\bfunction\s{1,9}([a-z]{2,20}(?:[A-Z_]\w{1,30}))\s{0,9}\(/g)
        .take(functionsMax),
    ].map(([, name = '']) => name),
  )
}

const login =
  /["'`/#](?:(?:log|sign)[-_]?(?:in|out|on|off)|auth|oauth2?|authenticate|session|sessions)["'`/?]|\btype["']?\s{0,3}[:=]\s{0,3}["'`]password\b|\bBearer |\b(?:log|sign) ?(?:in|out)\b[^<>]{0,30}<\/(?:a|button)>/i

/** Whether the application has a login, even if it isn't required. */
export function hasLogin(texts: readonly string[]): boolean {
  return texts.some((text) => login.test(text.slice(0, textLengthMax)))
}
