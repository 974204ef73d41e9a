import { describe, expect, it } from 'vitest'
import { pathOnOrigin } from '#fingerprint/origin.ts'

const origin = { address: '127.67.4.1', port: 8000, tls: false, hostname: 'lab.test' }

describe('pathOnOrigin', () => {
  it.each([
    ['htdocs/index.php', '/', '/htdocs/index.php'],
    ['setup.php?step=1#top', '/zabbix/', '/zabbix/setup.php?step=1'],
    ['./?page=1', '/installer/index.php', '/installer/?page=1'],
    ['../login', '/app/start', '/login'],
    ['http://lab.test:8000/a', '/', '/a'],
  ])('resolves %s from %s', (location, base, path) => {
    expect(pathOnOrigin(location, origin, base)).toBe(path)
  })

  it.each(['//other.test/a', 'http://other.test:8000/a', 'https://lab.test:8000/a', 'mailto:lab@lab.test', ''])(
    'ignores %s',
    (location) => {
      expect(pathOnOrigin(location, origin, '/')).toBeUndefined()
    },
  )

  it('ignores relative paths without a base', () => {
    expect(pathOnOrigin('login', origin)).toBeUndefined()
  })
})
