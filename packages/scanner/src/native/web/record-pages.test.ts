import { expect, it } from 'vitest'
import { findOnPages } from '#native/testing/examine.ts'
import { personalValues } from '#native/web/record-pages.ts'

const page = (content: string) =>
  `<!doctype html><title>Shop</title>${content}<footer>Phone: 555 0100, help@example.com</footer>`
const invoice = (name: string) =>
  page(`<table><tr><th>Email</th><td>${name}@example.com</td></tr><tr><th>Phone</th><td>+1 555 0199</td></tr></table>`)

it.each<[string, Readonly<Record<string, string>>, boolean]>([
  [
    'the next number shows another person',
    { '/': page('<a href="/invoices/7">Example</a>'), '/invoices/7': invoice('ann'), '/invoices/8': invoice('bob') },
    true,
  ],
  [
    'the previous number in a query shows another person',
    {
      '/': page('<a href="/order?no=007">Order</a>'),
      '/order?no=007': invoice('ann'),
      '/order?no=006': invoice('bob'),
    },
    true,
  ],
  [
    'only the name of the parameter says what it numbers',
    {
      '/': page('<a href="/track?order=7">Example</a>'),
      '/track?order=7': invoice('ann'),
      '/track?order=8': invoice('bob'),
    },
    true,
  ],
  [
    'all numbers show the same person',
    { '/': page('<a href="/invoices/7">Example</a>'), '/invoices/7': invoice('ann'), '/invoices/8': invoice('ann') },
    false,
  ],
  [
    'the site links to an example, and the next number shows a person',
    {
      '/': page('<a href="/tickets/7?from=start">Example</a>'),
      '/tickets/7': page('<h1>Street light</h1>'),
      '/tickets/8': page('<h1>Housing</h1><p>Ann, DE89 3704 0044 0532 0130 00</p>'),
    },
    true,
  ],
  [
    'the site links to an example, and the next number shows a contact',
    {
      '/': page('<a href="/tickets/7">Example</a>'),
      '/tickets/7': page('<h1>Printer</h1>'),
      '/tickets/8': invoice('ann'),
    },
    false,
  ],
  [
    'the next page is about donations',
    {
      '/': page('<a href="/page?id=7">News</a>'),
      '/page?id=7': page('<h1>News</h1>'),
      '/page?id=8': page('<h1>Donations</h1><p>DE89 3704 0044 0532 0130 00</p>'),
    },
    false,
  ],
  [
    'there is no other number',
    { '/': page('<a href="/invoices/7">Example</a>'), '/invoices/7': invoice('ann') },
    false,
  ],
  [
    'the pages show shops',
    { '/': page('<a href="/stores/7">Store</a>'), '/stores/7': invoice('north'), '/stores/8': invoice('south') },
    false,
  ],
  [
    'the pages show articles',
    {
      '/': page('<a href="/articles/7">Bolt</a>'),
      '/articles/7': page('<h1>Bolt</h1><p>By ann@example.com</p>'),
      '/articles/8': page('<h1>Nut</h1><p>By bob@example.com</p>'),
    },
    false,
  ],
])('evaluates record pages where %s', async (_, pages, expected) => {
  expect((await findOnPages(pages)).includes('record-pages-exposed')).toBe(expected)
})

it.each<[string, readonly string[]]>([
  ['<dl><dt>Date of birth</dt><dd>1990-02-01</dd></dl>', ['1990-02-01']],
  ['<p><b>IBAN:</b> DE89 3704 0044 0532 0130 00</p>', ['DE89 3704 0044 0532 0130 00']],
  ['<p>Leave it in the hall, door code 8812</p>', ['Leave it in the hall, door code 8812']],
  ['<p>Salary: on request</p>', []],
  ['<p>Email: ann@example.com</p>', []],
  ['<p>Phone: 555 0100</p><p>ann@example.com</p>', ['ann@example.com']],
  ['<h1>Card 1</h1>Ann<br>ann@example.com<br>+49 431 5550144<br>', ['ann@example.com']],
  ['<p>Membership 2026, Ann, DE89370400440532013000</p>', ['DE89370400440532013000']],
])('finds the personal data of %s', (body, expected) => {
  expect(personalValues({ status: 200, body }, true)).toEqual(expected)
})
