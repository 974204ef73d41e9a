/**
 * Makes the XPath library spend the budget of the running expression for each node that it visits, compares, or reads,
 * and for each character that it produces. The library itself has no limit, and several of its steps are quadratic.
 */
import { spend } from '#unit.ts'

/** The parts of the library's objects that matter here. Its types omit them. */
export interface LibraryPath {
  evaluate(options: object): LibraryValue
}
interface LibraryValue {
  stringValue(): string
  toArray?: () => LibraryNode[]
}
interface LibraryNode {
  readonly parentNode?: LibraryNode | null
  readonly ownerElement?: LibraryNode | null
  readonly firstChild?: LibraryNode | null
  readonly nextSibling?: LibraryNode | null
  readonly attributes?: ArrayLike<LibraryNode> | null
}
interface NodeSet {
  nodes: LibraryNode[]
  size: number
  tree: unknown
  seen?: Set<LibraryNode>
  add(node: LibraryNode): void
  first(): LibraryNode | null
  toArray(): LibraryNode[]
  stringForNode(node: LibraryNode): string
}

/** About 0.2 microseconds. */
const nodeSteps = 20
const valueSteps = 80

/** Applies to all node sets of the library. */
export function limitNodeSets(nodeSet: NodeSet): void {
  const { stringForNode } = nodeSet
  /** The library's `add` searches the whole list for each new node. */
  nodeSet.add = function (this: NodeSet, node) {
    spend(nodeSteps)
    this.seen ??= new Set(this.nodes)
    if (this.seen.has(node)) return
    this.seen.add(node)
    this.tree = null
    this.nodes.push(node)
    this.size += 1
  }
  // The library's methods compare siblings one by one.
  nodeSet.first = function (this: NodeSet) {
    return inDocumentOrder(this.nodes).next().value ?? null
  }
  nodeSet.toArray = function (this: NodeSet) {
    return [...inDocumentOrder(this.nodes)]
  }
  nodeSet.stringForNode = function (this: NodeSet, node) {
    spend(nodeSteps)
    const text = stringForNode.call(this, node)
    spend(text?.length ?? 0)
    return text
  }
}

function* inDocumentOrder(nodes: readonly LibraryNode[]): Generator<LibraryNode, undefined> {
  const [some] = nodes
  if (nodes.length <= 1) {
    yield* nodes
    return undefined
  }
  const wanted = new Set(nodes)
  const parent = some?.parentNode
  // Walking the whole document for the children of each element would be quadratic.
  if (parent && nodes.every((node) => node.parentNode === parent)) {
    for (let node = parent.firstChild; node; node = node.nextSibling) {
      spend(nodeSteps)
      if (wanted.has(node)) yield node
    }
    return undefined
  }
  let root = some
  for (let up = some; up; up = up.parentNode ?? up.ownerElement ?? undefined) root = up
  for (let node: LibraryNode | null = root ?? null; node; node = nextInDocument(node)) {
    spend(nodeSteps)
    if (wanted.has(node)) yield node
    if (node.attributes) yield* Array.from(node.attributes).filter((attribute) => wanted.has(attribute))
  }
}

function nextInDocument(from: LibraryNode): LibraryNode | null {
  if (from.firstChild) return from.firstChild
  for (let node: LibraryNode | null | undefined = from; node; node = node.parentNode)
    if (node.nextSibling) return node.nextSibling
  return null
}

/** Applies to everything in a parsed path. */
export function limitPath(part: unknown, seen = new Set<unknown>()): void {
  if (typeof part !== 'object' || part === null || seen.has(part)) return
  seen.add(part)
  for (const value of Object.values(part)) limitPath(value, seen)
  if ('nodeTest' in part && isNodeTest(part.nodeTest)) part.nodeTest = limitedTest(part.nodeTest)
  else if ('evaluate' in part && typeof part.evaluate === 'function') limitEvaluate(part as Evaluable) // checked here
}

interface NodeTest {
  matches(...args: readonly unknown[]): boolean
}

function isNodeTest(value: unknown): value is NodeTest {
  return typeof value === 'object' && value !== null && 'matches' in value && typeof value.matches === 'function'
}

/** A copy, because paths share some of the library's tests. */
function limitedTest(test: NodeTest): NodeTest {
  const matches = (...args: readonly unknown[]) => {
    spend(nodeSteps)
    return test.matches(...args)
  }
  return Object.create(test, { matches: { value: matches } }) as NodeTest // the same prototype
}

interface Evaluable {
  evaluate(context: unknown): unknown
}

function limitEvaluate(expression: Evaluable): void {
  const { evaluate } = expression
  expression.evaluate = (context) => {
    spend(valueSteps)
    const result = evaluate.call(expression, context)
    if (typeof result === 'object' && result !== null && 'str' in result) spend(String(result.str).length)
    return result
  }
}
