import { afterAll, describe, expect, it } from 'vitest'
import { openTestUsers } from '#testing/test-users.ts'

const users = await openTestUsers()
afterAll(() => users.close())

describe('exports', () => {
  it('have a file name and the requested content type', async () => {
    const csv = await users.request({ method: 'GET', url: '/v1/issues/export?columns=id&columns=name' })
    expect([csv.statusCode, csv.headers['content-type'], csv.body]).toEqual([
      200,
      'text/csv; charset=utf-8',
      'id,name\r\n',
    ])
    expect(csv.headers['content-disposition']).toMatch(/^attachment; filename="glacis-risks-\d{4}-\d\d-\d\d\.csv"$/)
    const unknown = '/v1/issues/export?filter.scanId=01a20517-7eb5-7872-a820-6652a18220b1'
    expect((await users.request({ method: 'GET', url: unknown })).statusCode).toBe(404)
    const json = await users.request({ method: 'GET', url: '/v1/issues/export?format=json&filter.kev=true' })
    expect(json.json()).toEqual({ issues: [] })
  })

  it('contain technologies as a table or a software bill of materials', async () => {
    const wfn = { part: 'a', vendor: 'f5', product: 'nginx' }
    const watched = (name: string, version: string) =>
      users.request({ method: 'POST', url: '/v1/products', payload: { name, version, wfn } })
    expect((await watched('=nginx', '1.22.1')).statusCode).toBe(200)
    await watched('nginx', '1.24.0')
    const url = '/v1/products/export?filter.vendor=f5&filter.product=nginx'
    const csv = await users.request({ method: 'GET', url })
    expect(csv.headers['content-disposition']).toMatch(/filename="glacis-technologies-\d{4}-\d\d-\d\d\.csv"$/)
    const [head, ...rows] = csv.body.trim().split('\r\n')
    expect(head).toMatch(/^name,version,vendor,product,cpe,hosts,/)
    // Spreadsheets must not interpret cells as formulas.
    expect(rows.map((row) => row.split(',').slice(0, 4).join(' '))).toEqual([
      "'=nginx 1.22.1 f5 nginx",
      'nginx 1.24.0 f5 nginx',
    ])
    const bill = await users.request({ method: 'GET', url: `${url}&format=cyclonedx` })
    expect(bill.headers['content-type']).toContain('application/vnd.cyclonedx+json')
    expect(bill.json()).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      components: [{ type: 'application', version: '1.22.1' }, { cpe: 'cpe:2.3:a:f5:nginx:1.24.0:*:*:*:*:*:*:*' }],
    })
    expect((await users.request({ method: 'GET', url: '/v1/products/export?filter.product=apache' })).body.trim()).toBe(
      head,
    )
    expect((await users.request({ method: 'GET', url }, null)).statusCode).toBe(401)
    for (const query of ['format=xml', 'filter.query=a%00'])
      expect((await users.request({ method: 'GET', url: `/v1/products/export?${query}` })).statusCode).toBe(400)
  })

  it('are rejected without a session or with an invalid filter', async () => {
    expect((await users.request({ method: 'GET', url: '/v1/issues/export' }, null)).statusCode).toBe(401)
    for (const query of ['format=xml', 'columns=secret', 'filter.nonsense=1', 'nonsense=1', 'filter.query=%00'])
      expect([query, (await users.request({ method: 'GET', url: `/v1/issues/export?${query}` })).statusCode]).toEqual([
        query,
        400,
      ])
  })
})
