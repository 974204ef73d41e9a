/** Pages that list the personal data of several people to any visitor. */
import { withoutElements } from '#html.ts'
import { checkInfo, type NativeCheck } from '#native/native-check.ts'
import { isDecisive, normalized } from '#native/web/personal-data.ts'
import { readPages } from '#native/web/site-pages.ts'
import { isPersonalRecord } from '#native/web/record-pages.ts'
import { type Page, webProof } from '#native/web/request.ts'
import { readSite } from '#native/web/site.ts'

export const peoplePage = checkInfo({
  id: 'personal-data-page-exposed',
  name: 'Page lists personal data without authentication',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'A page that the site links to contains a table with personal data of several people, such as bank accounts, birth dates, or the contact details of customers, and requires no authentication.',
  impact: 'An attacker can copy the personal data, and search engines can index it.',
  remediation: 'Require authentication for the page, and show each user only what the user needs.',
  reference: 'https://cwe.mitre.org/data/definitions/306.html',
  tags: 'exposure unauth',
  verifiedOn: 'flask-invoices',
})

export const webPeoplePages: NativeCheck = {
  checks: [peoplePage],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const site = await readSite(context)
    if (!site) return {}
    const { pages } = await readPages(context, site)
    for (const page of pages) {
      const column = personalColumn(page)
      if (column !== undefined)
        return { [peoplePage.id]: { ...webProof(page, [column]), path: page.path.split('?', 1)[0] ?? page.path } }
    }
    return { [peoplePage.id]: null }
  },
}

const tablesMax = 10
const rowsMax = 50
const cellsMax = 30
const email = /[\w.+-]{1,40}@[\w-]{1,40}\.[\w.-]{2,40}/
const reachable = /^(?:phone|mobile|telephone|tel|address|street|city)(?:_|$)/

/**
 * A column with personal data in at least two rows with different values.
 *
 * @returns its heading
 */
export function personalColumn({ path, status, body }: Pick<Page, 'path' | 'status' | 'body'>): string | undefined {
  if (status !== 200) return undefined
  const [, ...tables] = withoutElements(body, 'script').split(/<table\b/i, tablesMax)
  for (const table of tables) {
    const [header = [], ...rows] = (table.split(/<\/table>/i, 1)[0] ?? '')
      .split(/<tr\b/i, rowsMax)
      .slice(1)
      .map(cellsOf)
    const names = header.map(normalized)
    const isContact = isPersonalRecord(path) && names.some((name) => reachable.test(name))
    const at = header.findIndex((name, index) => {
      const values = rows.map((row) => row[index] ?? '').filter((value) => value !== '')
      const isPersonal = isDecisive(name) ? /\d/ : isContact && /^e_?mail/.test(names[index] ?? '') ? email : /(?!)/
      return new Set(values.filter((value) => isPersonal.test(value))).size >= 2
    })
    if (at !== -1) return header[at]
  }
  return undefined
}

function cellsOf(row: string): readonly string[] {
  const [, ...cells] = row.split(/<t[dh]\b[^<>]{0,300}>/i, cellsMax)
  return cells.map((cell) => cell.replaceAll(/<[^<>]{0,300}>/g, ' ').trim())
}
