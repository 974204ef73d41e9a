/** Pages with personal data that anyone can open by number, such as the invoice of another customer. */
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { distinct, linkedItems, type Parameter, parametersOf } from '#native/web/parameters.ts'
import { hasAccessCode, isDecisive } from '#native/web/personal-data.ts'
import { readPages } from '#native/web/site-pages.ts'
import { isChanging } from '#native/web/verbs.ts'
import { requestWeb, webProof, type WebResponse } from '#native/web/request.ts'
import { readSite } from '#native/web/site.ts'
import { withoutElements } from '#html.ts'

export const recordPages = checkInfo({
  id: 'record-pages-exposed',
  name: 'Pages with personal data can be opened by number without authentication',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'The site links to a page with personal data of one person, such as an invoice, and shows the data of another person for the next or previous number in the URL, without authentication.',
  impact: 'An attacker can try all numbers and copy the personal data of all customers or users.',
  remediation:
    'Require authentication for the pages, and check in each request whether the record belongs to the user. If links must work without a login, use random identifiers of at least 128 bits instead of numbers.',
  reference: 'https://cwe.mitre.org/data/definitions/639.html',
  tags: 'exposure unauth',
  verifiedOn: 'flask-invoices',
})

const recordsMax = 4

export const webRecordPages: NativeCheck = {
  checks: [recordPages],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const site = await readSite(context)
    if (!site) return {}
    const { pages, scripts } = await readPages(context, site)
    const items = pages.flatMap((front) => linkedItems({ front, base: site.base }))
    const numbered = distinct([...items, ...parametersOf(pages, scripts)]).filter(
      ({ value, path }) => /^\d{1,10}$/.test(value) && !isChanging(path),
    )
    for (const parameter of numbered.slice(0, recordsMax)) {
      const proof = await otherPerson(context, parameter)
      if (proof) return { [recordPages.id]: proof }
    }
    return { [recordPages.id]: null }
  },
}

async function otherPerson(context: NativeContext, parameter: Parameter): Promise<Proof | undefined> {
  const page = await requestWeb(context, { target: targetOf(parameter, parameter.value) })
  const isPersonal = isPersonalRecord(`${parameter.path}?${parameter.name}`)
  const own = page && personalValues(page, isPersonal)
  // Pages that aren't records may contain the bank account of their owner.
  if (!own || (own.length === 0 && !isPersonal)) return undefined
  const number = Number(parameter.value)
  for (const other of [number + 1, number - 1]) {
    const text = String(other).padStart(parameter.value.length, '0')
    const target = targetOf(parameter, text)
    const neighbor = other < 0 ? undefined : await requestWeb(context, { target })
    // The page that the site links to may be an example without data of a person.
    const values = neighbor ? personalValues(neighbor, isPersonal && own.length > 0) : []
    const [differing] = values.filter((value) => !own.includes(value))
    const isSameKind = own.length === 0 || own.some((value) => !values.includes(value))
    if (neighbor && differing !== undefined && isSameKind)
      return { ...webProof(neighbor, [differing]), path: target.split('?', 1)[0] ?? target }
  }
  return undefined
}

function targetOf({ path, name, query, isInPath }: Parameter, value: string): string {
  if (isInPath === true) return path.replace(`{${name}}`, () => value)
  const pairs = query.map(([key, text]) => [key, key === name ? value : text].map(encodeURIComponent).join('='))
  return `${path}?${pairs.join('&')}`
}

const pageLengthMax = 200_000
const email = /\b[\w.+-]{1,40}@[\w-]{1,40}\.[\w.-]{2,40}\b/g
const iban = /\b[A-Z]{2}\d{2}(?: ?[\dA-Z]{4}){3,7}(?: ?[\dA-Z]{1,3})?\b/g
const reachable =
  /^(?:phone|mobile|telephone|tel|telefon|address|street|billing address|shipping address|delivery address|adresse)$/i
/** A phone number alone. */
const phone = /^(?:\+|00)\d[\d ()/-]{6,20}$/
const labelMax = 30
/** Unlike those of shops or offices, whose pages also have an address and an email address. */
const personal =
  /account|applicant|application|booking|\bcard|client|contract|customer|donation|employee|invoice|member|order|patient|payment|profile|receipt|registration|reservation|shipment|student|subscriber|tenant|ticket|user/i

export function isPersonalRecord(path: string): boolean {
  return personal.test(path)
}

/**
 * Bank accounts, codes of doors, and values with a label such as `Date of birth`; in the record of a person also email addresses next to a
 * phone number or an address.
 */
export function personalValues(
  { status, body }: Pick<WebResponse, 'status' | 'body'>,
  isPersonal: boolean,
): readonly string[] {
  if (status !== 200 || body.length > pageLengthMax || !/<[a-z!]/i.test(body.slice(0, 200))) return []
  const visible = ['script', 'style', 'footer', 'form'].reduce((text, tag) => withoutElements(text, tag), body)
  const lines = visible
    .replaceAll(/<\/?(?:b|em|i|span|strong)\b[^<>]{0,200}>/gi, '')
    .split(/<[^<>]{0,500}>|\n/)
    .map((line) => line.replaceAll('&nbsp;', ' ').trim())
    .filter((line) => line !== '')
  const labeled = lines.flatMap((line, at) => {
    const [, label = '', value = ''] = /^([^:]{2,30}):\s{0,9}(.{0,200})$/.exec(line) ?? ['', line, '']
    return label.length <= labelMax ? [{ label: label.trim(), value: value.trim() || (lines[at + 1] ?? '') }] : []
  })
  const decisive = labeled.filter(({ label, value }) => isDecisive(label) && /\d/.test(value)).map(({ value }) => value)
  const codes = lines.filter((line) => hasAccessCode(line))
  const text = lines.join('\n')
  const accounts = text.match(iban) ?? []
  const isContact =
    isPersonal &&
    (labeled.some(({ label, value }) => reachable.test(label) && /\d/.test(value)) ||
      lines.some((line) => phone.test(line)))
  return [...new Set([...decisive, ...codes, ...accounts, ...(isContact ? (text.match(email) ?? []) : [])])]
}
