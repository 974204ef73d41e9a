import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'

const page = `<script>fetch('/api/visits'); const show = (id) => fetch('/api/customers/' + id)</script>`

/** A site whose script calls a list and records by number. */
async function isFound(answers: Readonly<Record<string, unknown>>, otherwise?: unknown): Promise<boolean> {
  const found = await findOnSite(({ url = '' }, response) => {
    response.setHeader('connection', 'close')
    const answer = answers[url] ?? (url.startsWith('/api/') ? otherwise : undefined)
    if (url === '/') response.end(page)
    else if (answer === undefined) response.writeHead(404).end()
    else response.end(JSON.stringify(answer))
  })
  return found.includes('api-personal-data-exposed')
}

const order = (number: number) => ({ id: number, user_id: 2, total: 38.4, address: `Mara Quist, Torggatan ${number}` })

it('finds orders that the site links to by number', async () => {
  const found = await findOnSite(({ url = '' }, response) => {
    response.setHeader('connection', 'close')
    const number = Number(/^\/api\/orders\/(100[12])$/.exec(url)?.[1])
    if (url === '/') response.end('<a href="/api/orders/1001">Order</a>')
    else if (number > 0) response.end(JSON.stringify(order(number)))
    else response.writeHead(404).end()
  })
  expect(found).toContain('api-personal-data-exposed')
})

it.each([
  ['appointments of patients', { patient: 'Ann', reason: 'Surgery' }, true],
  ['appointments without names', { patient: 7, reason: 'Surgery' }, false],
])('evaluates %s that the site links to by number', async (_, appointment, expected) => {
  const found = await findOnSite(({ url = '' }, response) => {
    response.setHeader('connection', 'close')
    const number = Number(/^\/api\/appointments\/([123])$/.exec(url)?.[1])
    if (url === '/') response.end('<a href="/api/appointments/2">Your appointment</a>')
    else if (number > 0) response.end(JSON.stringify({ id: number, ...appointment }))
    else response.writeHead(404).end()
  })
  expect(found.includes('api-personal-data-exposed')).toBe(expected)
})

it('follows the JSON index of an API', async () => {
  const found = await findOnSite(({ url = '' }, response) => {
    response.setHeader('connection', 'close')
    if (url === '/') response.end('<h1>Loans</h1>')
    else if (url === '/api/') response.end('{"staff":"http://shop.example/api/staff/"}')
    else if (url === '/api/staff/') response.end('[{"username":"ann","password":"pbkdf2_sha256$600000$abc"}]')
    else response.writeHead(404).end()
  })
  expect(found).toContain('api-personal-data-exposed')
})

const customer = (number: number) => ({ number, birthDate: `1970-01-0${number}` })

it.each([
  ['a list with bank accounts', { '/api/visits': [{ name: 'Ann', iban: 'DE02120300000000202051' }] }],
  [
    'a list of contacts',
    { '/api/visits': { data: [1, 2].map((id) => ({ email: `${id}@shop.example`, phone: '+49 30 1234' })) } },
  ],
  [
    'orders with masked cards',
    { '/api/visits': [1, 2].map((id) => ({ user: id, address: `I. Falk, Storgatan ${id}`, card: '**** 1201' })) },
  ],
  ['notes with the code of a door', { '/api/visits': [{ id: 1, note: 'Back door, entrance code 4471' }] }],
  ['records by number', { '/api/customers/1': customer(1), '/api/customers/2': customer(2) }],
  [
    'contacts by number',
    Object.fromEntries(
      [1, 2].map((id) => [`/api/customers/${id}`, { id, mail: `${id}@shop.example`, phone: '+49 30 1234' }]),
    ),
  ],
])('finds %s', async (_, answers) => {
  expect(await isFound(answers)).toBe(true)
})

it.each<[string, Readonly<Record<string, unknown>>, unknown]>([
  ['the contact of a company', { '/api/visits': { email: 'info@shop.example', phone: '+49 30 1234' } }, undefined],
  ['masked values', { '/api/visits': [{ name: 'Ann', iban: '****' }] }, undefined],
  ['settings', { '/api/visits': { password: true, passwordMinLength: 12 } }, undefined],
  [
    'products',
    { '/api/customers/1': { id: 1, name: 'Chair' }, '/api/customers/2': { id: 2, name: 'Table' } },
    undefined,
  ],
  [
    'branches',
    {
      '/api/customers/1': { id: 1, name: 'Umea', address: 'Torggatan 4' },
      '/api/customers/2': { id: 2, name: 'Bodo', address: 'Storgata 11' },
    },
    undefined,
  ],
  ['the same record for any number', {}, customer(1)],
])('is silent on %s', async (_, answers, otherwise) => {
  expect(await isFound(answers, otherwise)).toBe(false)
})

it.each([
  ['a list that requires a login', 401],
  ['an unknown list', 404],
])('finds records by number below %s', async (_, status) => {
  const claim = (number: number) => ({ id: number, diagnosis: `Fracture of wrist ${number}` })
  const found = await findOnSite(({ url = '' }, response) => {
    response.setHeader('connection', 'close')
    const number = Number(/^\/api\/claims\/([123])$/.exec(url)?.[1])
    if (url === '/') response.end(`<script>fetch('/api/claims')</script>`)
    else if (number > 0) response.end(JSON.stringify(claim(number)))
    else response.writeHead(url === '/api/claims' ? status : 404).end()
  })
  expect(found).toContain('api-personal-data-exposed')
})
