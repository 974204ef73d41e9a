import { expect, it } from 'vitest'
import { findOnPages } from '#native/testing/examine.ts'
import { personalColumn } from '#native/web/people-pages.ts'

function table(header: readonly string[], ...rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag} class="a">${cell}</${tag}>`).join('')}</tr>`
  return `<!doctype html><table>${row(header, 'th')}${rows.map((cells) => row(cells, 'td')).join('')}</table>`
}

const contacts = table(
  ['Name', 'Email', 'Phone'],
  ['Ann', 'ann@example.com', '555 0100'],
  ['Bob', '<a href="#">bob@example.com</a>', '555 0101'],
)

it.each<[string, string, string | undefined]>([
  ['/accounting', table(['Name', 'IBAN'], ['Ann', 'DE89 3704'], ['Bob', 'DE75 5121']), 'IBAN'],
  ['/team', table(['Name', 'Date of birth'], ['Ann', '1990-02-01'], ['Bob', '1985-07-12']), 'Date of birth'],
  ['/team', table(['Name', 'Date of birth'], ['Ann', '1990-02-01']), undefined],
  ['/help', table(['Member', 'Password'], ['Ann', 'required'], ['Bob', 'optional']), undefined],
  ['/customers', contacts, 'Email'],
  ['/offices', contacts, undefined],
])('evaluates the table at %s', (path, body, expected) => {
  expect(personalColumn({ path, status: 200, body })).toBe(expected)
})

it('finds the page among those that the site links to', async () => {
  const found = await findOnPages({ '/': '<!doctype html><a href="/customers">Customers</a>', '/customers': contacts })
  expect(found).toContain('personal-data-page-exposed')
})
