/** Parameters whose value the server runs as code. */
import { checkInfo, type Proof } from '#native/native-check.ts'
import type { Parameter } from '#native/web/parameters.ts'
import { type ProductExpression, proveProduct, type SendValue } from '#native/web/server-evaluation.ts'

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

/** Python, JavaScript, Ruby, PHP, and the Spring Expression Language. A calculator doesn't understand any of them. */
const expressions: readonly ProductExpression[] = [
  (left, right) => `(lambda: ${left}*${right})()`,
  (left, right) => `(() => ${left}*${right})()`,
  (left, right) => `->{${left}*${right}}.call`,
  (left, right) => `array_product([${left},${right}])`,
  (left, right) => `T(Math).multiplyExact(${left},${right})`,
]

export function proveExpressionInjection(send: SendValue): Promise<Proof | null> {
  return proveProduct(send, expressions)
}
