/** Recognizes personal data by the names of members and columns. */
import { z } from 'zod'
import { jsonIn } from '#native/json.ts'

/** Normalized names, in the languages of many applications. */
const decisive =
  /^(?:[a-z\d]{1,20}_){0,3}(?:password(?:_?hash)?|passwd|passwort|kennwort|pwd|pin(?:_?code)?|iban|birth(?:_?da(?:te|y))?|born|date_?of_?birth|dob|birthdate|geburts(?:datum|tag)|salary|gehalt|income|ssn|social_?security(?:_?(?:number|no))?|tax_?(?:id|number)|(?:credit_?)?card_?(?:number|no)|passport(?:_?(?:number|no))?|bank_?account|account_?number|access_?code|door_?code|licen[cs]e_?(?:number|no)|diagnosis|medical(?:_\w{1,20})?|allerg\w{1,10})$/
const objectsMax = 50
const depthMax = 4
const parsedLengthMax = 600_000

/**
 * Finds the first member of a list, or of a single record, whose value is personal data.
 *
 * @returns its name in quotation marks, as in the JSON text
 */
export function personalMember(body: string, kind: 'list' | 'record'): string | undefined {
  if (body.length > parsedLengthMax || !/^\s{0,99}[[{]/.test(body)) return undefined
  const objects = objectsIn(jsonIn(body), { isInList: kind === 'record' }).slice(0, objectsMax)
  const [sufficient] = objects.flatMap((object) => filled(object).filter(isDecisive))
  if (sufficient !== undefined) return `"${sufficient}"`
  const [code] = objects.flatMap((object) => filled(object).filter((name) => hasAccessCode(String(object[name]))))
  if (code !== undefined) return `"${code}"`
  const [contact, second] = objects.filter((object) => isContact(object))
  if (contact && (second || kind === 'record')) return mailOf(contact)
  const addresses = objects.flatMap((object) => deliveryAddressOf(object))
  const [address] = kind === 'record' || addresses.length > 1 ? addresses : []
  return address === undefined ? undefined : `"${address}"`
}

type JsonObject = Readonly<Record<string, unknown>>

const accessCode =
  /\b(?:(?:access|alarm|building|door|entrance|entry|gate|garage|key|lock|lockbox)[ -]?code|t(?:\u00fcr|or)code)\b[: ]{0,3}#?\d{3,8}\b/i

/** Whether a note, such as that of a delivery, contains the code of a door. */
export function hasAccessCode(text: string): boolean {
  return accessCode.test(text.slice(0, 2000))
}

/** An object with an email address and a phone number. */
function isContact(object: JsonObject): boolean {
  const names = filled(object).map(normalized)
  return (
    mailOf(object) !== undefined &&
    names.some((name) => /^(?:phone|mobile|telephone|tel)(?:_?(?:number|no))?$/.test(name))
  )
}

/** The address of a person, or of a customer's order or invoice, unlike that of a shop. */
function deliveryAddressOf(object: JsonObject): readonly string[] {
  const names = filled(object)
  const isOfPerson = names.some(
    (name) =>
      /^(?:customer|guest|patient|recipient)(?:_?name)?$/.test(normalized(name)) &&
      /\p{L}{2}/u.test(String(object[name])),
  )
  const isOfCustomer = names.some((name) =>
    /^(?:user|customer|client|buyer|recipient)(?:_?(?:id|name))?$/.test(normalized(name)),
  )
  // The number of the card is often masked.
  const isOrder = Object.keys(object).some((name) =>
    /^(?:total|amount|card|items|lot|products?|qty|quantity|order_?(?:id|no|number))$/.test(normalized(name)),
  )
  const address = /^(?:(?:shipping|delivery|billing)_?)?(?:address|street)$/
  return isOfPerson || (isOfCustomer && isOrder)
    ? names.filter((name) => address.test(normalized(name)) && /\p{L}{3}.{0,60}\d/u.test(String(object[name])))
    : []
}

function mailOf(object: JsonObject): string | undefined {
  const name = filled(object).find(
    (key) => /^(?:e_?mail|mail(?:_?address)?$)/.test(normalized(key)) && String(object[key]).includes('@'),
  )
  return name === undefined ? undefined : `"${name}"`
}

/** Members with a text or a number that isn't masked. */
function filled(object: JsonObject): readonly string[] {
  return Object.keys(object).filter((name) => {
    const value = object[name]
    return typeof value === 'number' || (typeof value === 'string' && /^(?![*•x]{3}|string$).{3}/.test(value))
  })
}

/** Whether a member or a column with this name is personal or secret by itself. */
export function isDecisive(name: string): boolean {
  return decisive.test(normalized(name))
}

/** In lower case, with underscores between words. */
export function normalized(name: string): string {
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[\s-]/g, '_')
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
