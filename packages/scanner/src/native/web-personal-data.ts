/** Personal data in responses of an API to anyone, in lists and by number. */
import { z } from 'zod'
import { collectionsOf, readAnswers } from '#native/api-answers.ts'
import { checkInfo } from '#native/native-check.ts'
import type { NativeCheck, NativeContext, Proof } from '#native/native-check.ts'
import { requestWeb, webProof, type WebResponse } from '#native/web-request.ts'

export const personalData = checkInfo({
  id: 'api-personal-data-exposed',
  name: 'API returns personal data without authentication',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'An API call that a script or the OpenAPI description names returns personal data such as birth dates, bank accounts, or password hashes to unauthenticated requests, as a list or for consecutive numbers.',
  impact: 'An attacker can copy the personal data of all users or customers.',
  remediation:
    "Require authentication for the call, and check in each request whether the record belongs to the user. Leave members out that the page doesn't need.",
  reference: 'https://owasp.org/API-Security/editions/2023/en/0xa1-broken-object-level-authorization/',
  tags: 'exposure api unauth',
})

/** Members of which any one is enough, normalized. */
const decisive =
  /^(?:password_?hash|password|passwd|iban|birth_?da(?:te|y)|date_?of_?birth|dob|salary|ssn|social_?security_?(?:number|no)|tax_?(?:id|number)|(?:credit_?)?card_?(?:number|no)|passport_?(?:number|no)|bank_?account)$/
const objectsMax = 50
const depthMax = 4
const parsedLengthMax = 600_000

export const webPersonalData: NativeCheck = {
  checks: [personalData],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const answers = await readAnswers(context)
    if (!answers) return {}
    for (const { target, page } of answers) {
      const found = personalMember(page, 'list')
      if (found !== undefined) return { [personalData.id]: { ...webProof(page, [found]), path: target } }
    }
    return { [personalData.id]: await recordsByNumber(context) }
  },
}

/** Two consecutive numbers return different personal records, and a number that is unlikely to exist returns none. */
async function recordsByNumber(context: NativeContext): Promise<Proof | null> {
  for (const collection of await collectionsOf(context)) {
    const read = (number: number) =>
      requestWeb(context, { target: collection.replace('*', String(number)), headers: { Accept: 'application/json' } })
    const second = await read(2)
    const found = second && personalMember(second, 'record')
    if (!second || found === undefined) continue
    const others = [await read(1), await read(987_654_321)]
    const [first, last] = others.map((page) => page && personalMember(page, 'record'))
    if (first !== undefined && last === undefined && others[0]?.body !== second.body)
      return { ...webProof(second, [found]), path: collection.replace('*', '2') }
  }
  return null
}

/** The member that makes a list, or a single record, personal, as it stands in the JSON text. */
function personalMember({ status, body }: WebResponse, kind: 'list' | 'record'): string | undefined {
  if (status !== 200 || body.length > parsedLengthMax || !/^\s{0,99}[[{]/.test(body)) return undefined
  const objects = objectsIn(parsed(body), { isInList: kind === 'record' }).slice(0, objectsMax)
  const [sufficient] = objects.flatMap((object) => filled(object).filter((name) => decisive.test(normalized(name))))
  if (sufficient !== undefined) return `"${sufficient}"`
  const [contact, second] = objects.filter((object) => isContact(object))
  return contact && (second || kind === 'record') ? mailOf(contact) : undefined
}

type JsonObject = Readonly<Record<string, unknown>>

/** An object with an email address and a phone number. */
function isContact(object: JsonObject): boolean {
  const names = filled(object).map(normalized)
  return (
    mailOf(object) !== undefined &&
    names.some((name) => /^(?:phone|mobile|telephone|tel)(?:_?(?:number|no))?$/.test(name))
  )
}

function mailOf(object: JsonObject): string | undefined {
  const name = filled(object).find((key) => /^e_?mail/.test(normalized(key)) && String(object[key]).includes('@'))
  return name === undefined ? undefined : `"${name}"`
}

/** Members with a text or a number that isn't masked. */
function filled(object: JsonObject): readonly string[] {
  return Object.keys(object).filter((name) => {
    const value = object[name]
    return typeof value === 'number' || (typeof value === 'string' && /^(?![*•x]{3}|string$).{3}/.test(value))
  })
}

function normalized(name: string): string {
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll('-', '_')
}

const JsonObject = z.record(z.string(), z.unknown())

/** Objects of lists at any depth; all objects if the value itself counts as an item of a list. */
function objectsIn(value: unknown, { isInList }: { isInList: boolean }, depth = 0): readonly JsonObject[] {
  if (depth > depthMax) return []
  if (Array.isArray(value))
    return value.slice(0, objectsMax).flatMap((item) => objectsIn(item, { isInList: true }, depth + 1))
  const object = JsonObject.safeParse(value).data
  if (!object) return []
  const inner = Object.values(object).flatMap((item) => objectsIn(item, { isInList }, depth + 1))
  return isInList ? [object, ...inner] : inner
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
