/** Personal data in responses of an API to anyone, in lists and by number. */
import { collectionsOf, readAnswers } from '#native/web/api-answers.ts'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { personalMember } from '#native/web/personal-data.ts'
import { personalRecordIn } from '#native/web/record-kinds.ts'
import { requestWeb, webProof, type WebResponse } from '#native/web/request.ts'

export const personalData = checkInfo({
  id: 'api-personal-data-exposed',
  name: 'API returns personal data without authentication',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'An API endpoint from a script or the OpenAPI description returns personal data, such as birth dates, bank accounts, or password hashes, to unauthenticated requests, as a list or at sequential IDs (IDOR).',
  impact:
    'An attacker can copy the personal data of all users or customers. Such a breach may have to be reported under privacy laws such as the GDPR.',
  remediation:
    'Require authentication for the endpoint, and check that each requested record belongs to the user. Return only the fields that the client needs.',
  reference: 'https://owasp.org/API-Security/editions/2023/en/0xa1-broken-object-level-authorization/',
  tags: 'exposure api unauth',
  verifiedOn: 'express-tickets fastapi-customers records-by-number',
})

export const webPersonalData: NativeCheck = {
  checks: [personalData],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const answers = await readAnswers(context)
    if (!answers) return {}
    for (const { target, page } of answers) {
      const found = page.status === 200 ? personalMember(page.body, 'list') : undefined
      if (found !== undefined) return { [personalData.id]: { ...webProof(page, [found]), path: target } }
    }
    return { [personalData.id]: await recordsByNumber(context) }
  },
}

/** Two consecutive identifiers return records of the same kind, and one that is unlikely to exist returns none. */
async function recordsByNumber(context: NativeContext): Promise<Proof | null> {
  for (const { target, examples } of await collectionsOf(context)) {
    const [list = ''] = target.split('*', 1)
    const read = (id: string) =>
      requestWeb(context, { target: target.replace('*', id), headers: { Accept: 'application/json' } })
    for (const id of [...examples, '1']) {
      const page = await read(id)
      const member =
        page?.status === 200 ? (personalMember(page.body, 'record') ?? personalRecordIn(page.body, list)) : undefined
      if (!page || member === undefined) continue
      const neighbors = [
        await read(withNumber(id, (number) => number + 1)),
        await read(withNumber(id, (number) => number - 1)),
      ]
      const unlikely = await read(withNumber(id, () => 987_654_321))
      if (neighbors.some((next) => isSameKind(page, next)) && !isSameKind(page, unlikely))
        return { ...webProof(page, [member]), path: target.replace('*', id).split('?', 1)[0] ?? target }
    }
  }
  return null
}

/** Another record with the same members, some of which may be empty. */
function isSameKind(page: WebResponse, other: WebResponse | undefined): boolean {
  return other?.status === 200 && other.body !== page.body && membersOf(other) === membersOf(page)
}

function membersOf({ body }: WebResponse): string {
  return [...body.matchAll(/"(\w{1,60})"\s{0,9}:/g).take(200)].map(([, name = '']) => name).join()
}

function withNumber(id: string, change: (number: number) => number): string {
  return id.replace(/\d{1,12}$/, (digits) => String(change(Number(digits))).padStart(digits.length, '0'))
}
