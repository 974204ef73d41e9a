/**
 * Location paths of child and descendant steps with simple conditions, in time linear in the document for each step.
 * The XPath library takes quadratic time for them.
 */
import { type Attr, type Document, Element, type Node } from '@xmldom/xmldom'
import { spend } from '#unit.ts'

/** Selects nodes in document order. */
export type SimplePath = (document: Document, isXml: boolean) => readonly (Attr | Node)[]

interface Step {
  readonly isDeep: boolean
  readonly name: string
  readonly conditions: readonly Condition[]
}
type Condition =
  | { readonly kind: 'position'; readonly position: number }
  | { readonly kind: 'equals' | 'contains' | 'exists'; readonly attribute: string; readonly value: string }

/** Steps for each node and each step of the path. */
const nodeSteps = 20

const STEP = /(\/\/?)(?:@([\w-]+|\*)|(text\(\))|([\w-]+|\*))/y
const CONDITION =
  /\[\s*(?:(\d{1,6})|@([\w-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'))?|contains\(\s*@([\w-]+)\s*,\s*(?:"([^"]*)"|'([^']*)')\s*\))\s*\]/y

/** @returns null for a path that uses other syntax */
export function parseSimplePath(source: string): SimplePath | null {
  const steps: Step[] = []
  let at = 0
  while (at < source.length) {
    STEP.lastIndex = at
    const match = STEP.exec(source)
    if (!match) return null
    const [whole, slashes, attribute, text, name = ''] = match
    at += whole.length
    const isDeep = slashes === '//'
    if (attribute !== undefined || text !== undefined) {
      if (at < source.length) return null
      if (isDeep) steps.push({ isDeep, name: '*', conditions: [] })
      // A deep text or attribute also selects from nodes that are no elements.
      if (isDeep && text !== undefined) return null
      return (document, isXml) => {
        const owners = selectElements(document, steps, isXml)
        return owners.flatMap((owner) =>
          attribute === undefined ? textNodes(owner) : attributesOf(owner, attribute, isXml),
        )
      }
    }
    const conditions: Condition[] = []
    for (; source[at] === '['; at = CONDITION.lastIndex) {
      CONDITION.lastIndex = at
      const condition = readCondition(CONDITION.exec(source))
      if (!condition) return null
      conditions.push(condition)
    }
    steps.push({ isDeep, name, conditions })
  }
  return steps.length > 0 ? (document, isXml) => selectElements(document, steps, isXml) : null
}

function readCondition(match: RegExpExecArray | null): Condition | null {
  if (!match) return null
  const [, position, attribute, double, single, container, part, otherPart] = match
  if (position !== undefined) return { kind: 'position', position: Number(position) }
  if (container !== undefined) return { kind: 'contains', attribute: container, value: part ?? otherPart ?? '' }
  const value = double ?? single
  return { kind: value === undefined ? 'exists' : 'equals', attribute: attribute ?? '', value: value ?? '' }
}

function selectElements(document: Document, steps: readonly Step[], isXml: boolean): readonly Element[] {
  const all = [...descendants(document)]
  let selected: ReadonlySet<Node> = new Set([document])
  for (const { isDeep, name, conditions } of steps) {
    spend(nodeSteps * all.length)
    const parents = isDeep ? withDescendants(document, all, selected) : selected
    const next = new Set<Node>()
    for (const parent of parents) {
      let found = childElements(parent).filter((child) => name === '*' || isNamed(child.localName, name, isXml))
      for (const condition of conditions)
        found = found.filter((element, index) => isMet(condition, element, index, isXml))
      for (const node of found) next.add(node)
    }
    selected = next
  }
  return all.filter((element) => selected.has(element))
}

/** `all` is in document order, so a parent is decided before its children. */
function withDescendants(document: Document, all: readonly Element[], selected: ReadonlySet<Node>): ReadonlySet<Node> {
  const result = new Set<Node>(selected.has(document) ? [document] : [])
  for (const node of all) if (selected.has(node) || (node.parentNode && result.has(node.parentNode))) result.add(node)
  return result
}

function* descendants(document: Document): Iterable<Element> {
  const stack: Node[] = [document]
  for (let node = stack.pop(); node; node = stack.pop()) {
    spend(nodeSteps)
    if (node instanceof Element) yield node
    // Not spread: too many arguments overflow the call stack.
    for (const child of childElements(node).toReversed()) stack.push(child)
  }
}

function childElements(parent: Node): Element[] {
  const result: Element[] = []
  for (let child = parent.firstChild; child; child = child.nextSibling) if (child instanceof Element) result.push(child)
  return result
}

const TEXT_NODE = 3
const CDATA_NODE = 4

function textNodes(owner: Element): Node[] {
  const result: Node[] = []
  for (let child: Node | null = owner.firstChild; child; child = child.nextSibling)
    if (child.nodeType === TEXT_NODE || child.nodeType === CDATA_NODE) result.push(child)
  return result
}

function attributesOf(element: Element, name: string, isXml: boolean): Attr[] {
  const result: Attr[] = []
  for (let index = 0; index < element.attributes.length; index++) {
    const attribute = element.attributes.item(index)
    if (attribute && (name === '*' || isNamed(attribute.localName, name, isXml))) result.push(attribute)
  }
  return result
}

function isNamed(found: string | null, name: string, isXml: boolean): boolean {
  return found === name || (!isXml && found?.toLowerCase() === name.toLowerCase())
}

function isMet(condition: Condition, element: Element, index: number, isXml: boolean): boolean {
  if (condition.kind === 'position') return index + 1 === condition.position
  const values = attributesOf(element, condition.attribute, isXml).map(({ value }) => value)
  if (condition.kind === 'exists') return values.length > 0
  return values.some((value) =>
    condition.kind === 'equals' ? value === condition.value : value.includes(condition.value),
  )
}
