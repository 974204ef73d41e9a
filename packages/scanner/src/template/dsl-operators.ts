/** Operators of the expression language. */
import { noValue, toNumber, toText, type DslValue, type Lookup } from '#template/dsl-value.ts'
import { compilePattern } from '#template/regex.ts'

/** A compiled subexpression; throws NoValue when it can't be evaluated. */
export type Node = (lookup: Lookup) => DslValue

/** Evaluates a binary operator; `||` and `&&` short-circuit. */
export function operation(operator: string, left: Node, right: Node): Node {
  switch (operator) {
    case '||':
      return (lookup) => isTrue(left(lookup)) || isTrue(right(lookup))
    case '&&':
      return (lookup) => isTrue(left(lookup)) && isTrue(right(lookup))
    case '==':
      return (lookup) => left(lookup) === right(lookup)
    case '!=':
      return (lookup) => left(lookup) !== right(lookup)
    case '=~':
      return (lookup) => matches(left(lookup), right(lookup))
    case '!~':
      return (lookup) => !matches(left(lookup), right(lookup))
    case 'in':
      return (lookup) => asList(right(lookup)).includes(left(lookup))
    case '+':
      return (lookup) => plus(left(lookup), right(lookup))
    case '>':
    case '<':
    case '>=':
    case '<=':
      return (lookup) => compare(operator, left(lookup), right(lookup))
    default:
      return (lookup) => arithmetic(operator, toNumber(left(lookup)), toNumber(right(lookup)))
  }
}

function compare(operator: '>' | '<' | '>=' | '<=', left: DslValue, right: DslValue): boolean {
  if (typeof left !== typeof right || (typeof left !== 'number' && typeof left !== 'string')) return noValue()
  if (operator === '>') return left > right
  if (operator === '<') return left < right
  return operator === '>=' ? left >= right : left <= right
}

function arithmetic(operator: string, left: number, right: number): number {
  if (operator === '-') return left - right
  if (operator === '*') return left * right
  // Division by zero has no value.
  if (right === 0) return noValue()
  return operator === '/' ? left / right : left % right
}

function plus(left: DslValue, right: DslValue): DslValue {
  return typeof left === 'number' && typeof right === 'number' ? left + right : toText(left) + toText(right)
}

function matches(text: DslValue, pattern: DslValue): boolean {
  return compilePattern(toText(pattern))?.test(toText(text)) ?? noValue()
}

/** @throws NoValue when the value is not a boolean */
export function isTrue(value: DslValue): boolean {
  return typeof value === 'boolean' ? value : noValue()
}

function asList(value: DslValue): readonly DslValue[] {
  return typeof value === 'object' ? value : [value]
}
