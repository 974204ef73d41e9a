/** Evaluation order of blocks, as in `http(1) && (http(2) || http(3))`. */

/** Block numbers start at 0; `all` runs every block and is true when any of them is. */
export type Flow =
  | { readonly kind: 'block'; readonly at: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'not'; readonly inner: Flow }
  | { readonly kind: 'and' | 'or'; readonly left: Flow; readonly right: Flow }

const FLOW_MAX = 2_000
const DEPTH_MAX = 20

/**
 * Parses a flow of blocks, `&&`, `||`, `!`, and parentheses.
 *
 * @param blocks number of blocks
 * @returns an error message for anything else, including JavaScript loops and assignments
 */
export function parseFlow(source: string, blocks: number): Flow | string {
  const text = source.trim().replace(/;$/, '')
  const found = [...text.matchAll(/\s+|(http\s*\(\s*(?:(\d+)\s*)?\))|(&&|\|\||[!()])/gy)]
  if (text.length > FLOW_MAX || found.map(([token]) => token).join('') !== text || text === '')
    return 'a flow that contains JavaScript'
  const tokens = found.filter(([token]) => token.trim() !== '')
  const reader: Reader = { tokens: tokens.map(([, call, at, sign]) => ({ call, at, sign })), at: 0, blocks }
  try {
    const flow = parseOr(reader, 0)
    return reader.at === tokens.length ? flow : 'an invalid flow'
  } catch (error) {
    if (error instanceof FlowSyntaxError) return error.message
    throw error
  }
}

/** Evaluates a flow with short-circuiting. */
export async function evaluateFlow(
  flow: Flow,
  blocks: number,
  runBlock: (at: number) => Promise<boolean>,
): Promise<boolean> {
  switch (flow.kind) {
    case 'block':
      return runBlock(flow.at)
    case 'all': {
      let isAny = false
      for (let at = 0; at < blocks; at++) isAny = (await runBlock(at)) || isAny
      return isAny
    }
    case 'not':
      return !(await evaluateFlow(flow.inner, blocks, runBlock))
    case 'and':
      return (await evaluateFlow(flow.left, blocks, runBlock)) && (await evaluateFlow(flow.right, blocks, runBlock))
    case 'or':
      return (await evaluateFlow(flow.left, blocks, runBlock)) || (await evaluateFlow(flow.right, blocks, runBlock))
  }
}

class FlowSyntaxError extends Error {}

interface Reader {
  readonly tokens: readonly {
    readonly call: string | undefined
    readonly at: string | undefined
    readonly sign: string | undefined
  }[]
  at: number
  readonly blocks: number
}

function parseOr(reader: Reader, depth: number): Flow {
  let left = parseAnd(reader, depth)
  while (take(reader, '||')) left = { kind: 'or', left, right: parseAnd(reader, depth) }
  return left
}

function parseAnd(reader: Reader, depth: number): Flow {
  let left = parseOperand(reader, depth)
  while (take(reader, '&&')) left = { kind: 'and', left, right: parseOperand(reader, depth) }
  return left
}

function parseOperand(reader: Reader, depth: number): Flow {
  if (depth > DEPTH_MAX) throw new FlowSyntaxError('a flow that is nested too deeply')
  if (take(reader, '!')) return { kind: 'not', inner: parseOperand(reader, depth + 1) }
  if (take(reader, '(')) {
    const inner = parseOr(reader, depth + 1)
    if (!take(reader, ')')) throw new FlowSyntaxError('a flow with a missing ")"')
    return inner
  }
  const token = reader.tokens[reader.at++]
  if (token?.call === undefined) throw new FlowSyntaxError('an invalid flow')
  if (token.at === '' || token.at === undefined) return { kind: 'all' }
  const at = Number(token.at) - 1
  if (at < 0 || at >= reader.blocks) throw new FlowSyntaxError(`a flow with a block ${token.at} that does not exist`)
  return { kind: 'block', at }
}

function take(reader: Reader, sign: string): boolean {
  if (reader.tokens[reader.at]?.sign !== sign) return false
  reader.at++
  return true
}
