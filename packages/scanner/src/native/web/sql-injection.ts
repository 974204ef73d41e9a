/** Parameters that the server inserts into an SQL statement. */
import { randomInt } from 'node:crypto'
import { sqlErrorIn } from '#native/web/debug-pages.ts'
import { checkInfo, type Proof } from '#native/native-check.ts'
import { type Parameter, placeOf } from '#native/web/parameters.ts'
import type { Attempt } from '#native/web/reflected-markup.ts'
import type { SendValue } from '#native/web/server-evaluation.ts'
import { webProof, type WebResponse } from '#native/web/request.ts'

const description = {
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  impact: 'An attacker can read and often change the database, and in some configurations run commands on its host.',
  remediation: 'Pass values to the database as bound parameters, never as parts of the statement.',
  reference: 'https://cwe.mitre.org/data/definitions/89.html',
  tags: 'sqli injection',
} as const

export const errorInjection = checkInfo({
  id: 'sql-injection-error',
  name: 'SQL injection (error-based)',
  summary:
    'A quotation mark in a parameter causes a database syntax error, which shows that the value is inserted into an SQL statement unescaped.',
  ...description,
  verifiedOn: 'express-tickets post-operations sql-parameter',
})
export const conditionInjection = checkInfo({
  id: 'sql-injection-boolean',
  name: 'SQL injection (boolean-based)',
  summary:
    'A condition appended to a parameter decides what the page shows: with a true condition the page stays the same, with a false one it changes. The check confirmed this with other numbers.',
  ...description,
  verifiedOn: 'flask-items',
})

export async function proveSqlError({ parameter, response }: Attempt, send: SendValue): Promise<Proof | null> {
  const error = sqlErrorIn(response.body)
  if (error === undefined) return null
  const control = await send(parameter.value)
  if (!control || sqlErrorIn(control.body) !== undefined) return null
  return { ...webProof(response, [error]), path: placeOf(parameter) }
}

type Condition = (left: number, right: number) => string

/** For numbers, for texts, and for texts in a pattern. */
const conditions: readonly Condition[] = [
  (left, right) => ` AND ${left}=${right}`,
  (left, right) => `' AND '${left}'='${right}`,
  (left, right) => `%' AND '${left}%'='${right}`,
]

/** A condition can only limit what a statement reads or changes, unlike an alternative with OR. */
export async function proveSqlCondition(parameter: Parameter, send: SendValue): Promise<Proof | null> {
  const { value } = parameter
  if (value === '') return null
  const plain = await send(value)
  if (plain?.status !== 200) return null
  const candidates = /^\d+$/.test(value) ? conditions : conditions.slice(1)
  for (const condition of candidates) {
    const decides = async () => {
      const [left, other] = [randomInt(1000, 9000), randomInt(10_000, 90_000)]
      const [trueValue, falseValue] = [`${value}${condition(left, left)}`, `${value}${condition(left, other)}`]
      const whenTrue = await send(trueValue)
      if (!whenTrue || !isSame(plain, whenTrue, [value, trueValue])) return undefined
      const whenFalse = await send(falseValue)
      return whenFalse && !isSame(plain, whenFalse, [value, falseValue]) ? { whenFalse, falseValue } : undefined
    }
    const first = await decides()
    const again = first && (await decides())
    // A page with changing content must not look like a decision.
    const isStable = again && isSame(first.whenFalse, again.whenFalse, [value, first.falseValue, again.falseValue])
    if (isStable)
      return { ...webProof(first.whenFalse, [`HTTP/1.1 ${first.whenFalse.status}`]), path: placeOf(parameter) }
  }
  return null
}

/** Whether two responses are the same apart from the values that they repeat. A page may also link to the usual value. */
function isSame(one: WebResponse, other: WebResponse, values: readonly string[]): boolean {
  return one.status === other.status && withoutValues(one.body, values) === withoutValues(other.body, values)
}

function withoutValues(body: string, values: readonly string[]): string {
  const spellings = values.flatMap((value) => [
    ...["'", '&#39;', '&#x27;', '&#039;', '&apos;'].map((quote) => value.replaceAll("'", quote)),
    encodeURIComponent(value),
    encodeURIComponent(value).replaceAll('%20', '+'),
    encodeURI(value),
  ])
  // The longest first: some are parts of others.
  return spellings
    .toSorted((left, right) => right.length - left.length)
    .reduce((text, spelling) => text.replaceAll(spelling, ''), body)
}
