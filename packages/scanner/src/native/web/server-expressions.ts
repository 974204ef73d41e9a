/** Parameters whose value the server runs as code. */
import { randomInt } from 'node:crypto'
import { checkInfo, type Proof } from '#native/native-check.ts'
import type { Parameter } from '#native/web/parameters.ts'
import type { SendValue } from '#native/web/server-evaluation.ts'
import { webProof } from '#native/web/request.ts'

export const expressionInjection = checkInfo({
  id: 'expression-injection',
  name: 'Code injection in an expression parameter',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary:
    'The server evaluates a parameter as an expression of a programming language, not only as arithmetic: it called a function that the check defined or named, and returned the result.',
  impact: 'An unauthenticated attacker can run any code with the permissions of the application.',
  remediation:
    'Parse the expression with a library that knows only numbers, operators, and permitted names. With the Spring Expression Language, use `SimpleEvaluationContext`.',
  reference: 'https://cwe.mitre.org/data/definitions/95.html',
  tags: 'rce injection',
  verifiedOn: 'flask-formula',
})

const names =
  /^(?:calc\w{0,20}|code|cond|condition|eval\w{0,20}|expr\w{0,20}|filter|formula|function|rule|script|where)$/i

export function isExpression({ name, isInPath }: Parameter): boolean {
  return isInPath !== true && names.test(name)
}

type Expression = (left: number, right: number) => string

/** Python, JavaScript, Ruby, PHP, and the Spring Expression Language. A calculator doesn't understand any of them. */
const expressions: readonly Expression[] = [
  (left, right) => `(lambda: ${left}*${right})()`,
  (left, right) => `(() => ${left}*${right})()`,
  (left, right) => `->{${left}*${right}}.call`,
  (left, right) => `array_product([${left},${right}])`,
  (left, right) => `T(Math).multiplyExact(${left},${right})`,
]

/** The first product is confirmed by a second one, so a number that the page shows anyway isn't mistaken for it. */
export async function runsExpression(send: SendValue): Promise<Proof | null> {
  for (const expression of expressions) {
    const first = await productOf(send, expression)
    if (first && (await productOf(send, expression))) return first
  }
  return null
}

async function productOf(send: SendValue, expression: Expression): Promise<Proof | null> {
  const [left, right] = [randomInt(10_000, 40_000), randomInt(10_000, 40_000)]
  const response = await send(expression(left, right))
  const product = String(left * right)
  return response?.body.includes(product) ? webProof(response, [product]) : null
}
