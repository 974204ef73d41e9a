import { join } from 'node:path'
import type { Plugin, Rolldown } from 'vite'

/** The contract, what addresses of pages may say, and what the identity service answers besides. */
const schemas = /\/(?:packages\/contract\/src\/[\w-]+|routes\/search|identity\/client)\.ts$/
/** What begins a schema, or a call that is made of some. */
const makers = ['z', 'endpoint', 'lenient', 'listOf']
const helper = join(import.meta.dirname, 'src/lib/late.ts')

/**
 * Has calls and schemas made when a page first uses them, and leaves out those of the contract that none does:
 * a schema costs to make, and there are several hundred. What the reference page says of a call is left out too.
 */
export function lateSchemas(): Plugin {
  return {
    name: 'late-schemas',
    apply: 'build',
    transform: {
      filter: { id: schemas },
      handler(code) {
        const cuts = cutsOf(this.parse(code), code)
        if (cuts.length === 0) return null
        return { code: `import { late } from ${JSON.stringify(helper)}\n${cut(code, cuts)}`, map: null }
      },
    },
  }
}

/** Something to put in the place of the characters from `start` to `end`. */
interface Cut {
  readonly start: number
  readonly end: number
  readonly text: string
}
type Program = ReturnType<Rolldown.PluginContext['parse']>
type Statement = Program['body'][number]
type Expression = NonNullable<Extract<Statement, { type: 'VariableDeclaration' }>['declarations'][number]['init']>

function cutsOf(program: Program, code: string): Cut[] {
  const known = new Set([...makers, ...program.body.flatMap(importedBy)])
  // `Issue.extend(…)` is made of a schema as `z.object(…)` is.
  const isMade = ({ start }: Expression) => known.has(/^\w+/.exec(code.slice(start))?.[0] ?? '')
  const cuts: Cut[] = []
  for (const statement of program.body) {
    const declaration = declarationIn(statement)
    if (declaration?.type !== 'VariableDeclaration') continue
    for (const { id, init } of declaration.declarations) {
      if (id.type !== 'Identifier' || !init) continue
      if (init.type === 'CallExpression' ? !isMade(init) : !isRecordOf(init, isMade)) continue
      known.add(id.name)
      cuts.push({ start: init.start, end: init.start, text: '/* @__PURE__ */ late(() => (' }, ...summariesIn(init))
      cuts.push({ start: init.end, end: init.end, text: `)${knownOf(init)})` })
    }
  }
  return cuts
}

/** Schemas of other modules. */
function importedBy(statement: Statement): string[] {
  if (statement.type !== 'ImportDeclaration') return []
  return statement.specifiers.map(({ local }) => local.name).filter((name) => /^[A-Z]/.test(name))
}

/** `{ name: z.string(), tag: Tag }`: members that several schemas share. */
function isRecordOf(init: Expression, isMade: (value: Expression) => boolean): boolean {
  if (init.type !== 'ObjectExpression' || init.properties.length === 0) return false
  return init.properties.every((property) => property.type === 'Property' && isMade(property.value))
}

function declarationIn(statement: Statement) {
  return statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
}

function summariesIn(init: Expression): Cut[] {
  return membersOf(init).flatMap(({ name, value: { start, end } }) =>
    name === 'summary' ? [{ start, end, text: "''" }] : [],
  )
}

/**
 * A call is named by its path, in keys of what is stale after a change, say, and asked by path and method: what it is
 * answered is read by what need not be made for that.
 */
function knownOf(init: Expression): string {
  const known = membersOf(init).flatMap(({ name, value }) =>
    (name === 'path' || name === 'method') && value.type === 'Literal' && typeof value.value === 'string'
      ? [`${name}: ${JSON.stringify(value.value)}`]
      : [],
  )
  return known.length > 0 ? `, { ${known.join(', ')} }` : ''
}

/** What a call of the API is made of. */
function membersOf(init: Expression) {
  if (init.type !== 'CallExpression' || init.callee.type !== 'Identifier' || init.callee.name !== 'endpoint') return []
  const [call] = init.arguments
  if (call?.type !== 'ObjectExpression') return []
  return call.properties.flatMap((property) =>
    property.type === 'Property' && property.key.type === 'Identifier'
      ? [{ name: property.key.name, value: property.value }]
      : [],
  )
}

function cut(code: string, cuts: readonly Cut[]): string {
  return cuts
    .toSorted((a, b) => b.start - a.start)
    .reduce((left, { start, end, text }) => left.slice(0, start) + text + left.slice(end), code)
}
