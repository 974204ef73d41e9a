import { describe, expect, it } from 'vitest'
import { parseExpression } from '#template/dsl.ts'
import type { DslValue } from '#template/dsl-value.ts'

const variables = new Map<string, DslValue>([
  ['body', 'Welcome to Acme 2.4'],
  ['header', 'Server: nginx\r\nX-A: b\r\n'],
  ['status_code', 200],
  ['version', '1.4.2'],
])

function value(source: string): DslValue | undefined {
  const expression = parseExpression(source)
  if (typeof expression === 'string') throw new Error(expression)
  return expression.evaluate((name) => variables.get(name))
}

describe('operators', () => {
  it.each<[string, DslValue]>([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['-2 + 5 % 3', 0],
    ['true || false && false', true],
    ['!false && status_code == 200', true],
    ['!(status_code == 200)', false],
    ['status_code >= 200 && status_code < 300', true],
    ['status_code != 404', true],
    ['status_code == "200"', false],
    ['"a" + 1', 'a1'],
    ['"a" < "b"', true],
    ['body =~ "Acme [0-9.]+"', true],
    ['body !~ "Acme [0-9.]+"', false],
    ['status_code in (200, 204)', true],
    ["'it\\'s'", "it's"],
    ['"a\\\\d"', 'a\\d'],
    ['"say \'hi\'"', "say 'hi'"],
    ['1>0&&2>1', true],
    ['version, status_code', ['1.4.2', 200]],
    ['"{{version}} {{nosuch}}"', '1.4.2 {{nosuch}}'],
    ['"{{to_upper(version + \'a\')}}"', '1.4.2A'],
  ])('%s is %j', (source, expected) => {
    expect(value(source)).toEqual(expected)
  })
})

describe('functions', () => {
  it.each<[string, DslValue]>([
    ['contains(body, "Acme")', true],
    ['contains_all(body, "Acme", "2.4")', true],
    ['containsall(body, "Acme", "9")', false],
    ['contains_any(body, "x", "Acme")', true],
    ['starts_with(body, "Welcome")', true],
    ['ends_with(body, "2.4")', true],
    ['line_starts_with(header, "X-A")', true],
    ['to_upper(to_lower("aB"))', 'AB'],
    ['tolower("ÄB")', Buffer.from('Äb').toString('latin1')],
    ['len("é")', 2],
    ['trim("--a--", "-")', 'a'],
    ['trim_space("  a ")', 'a'],
    ['concat("a", 1, true)', 'a1true'],
    ['replace("aaa", "a", "$&")', '$&$&$&'],
    ['replace_regex("a1b22", "[0-9]+", "-")', 'a-b-'],
    ['regex("(?i)welcome", body)', true],
    ['md5("test")', '098f6bcd4621d373cade4e832627b4f6'],
    ['sha1("test")', 'a94a8fe5ccb19ba61c4c0873d391e987982fbbd3'],
    ['sha256("test")', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    ['base64("test")', 'dGVzdA=='],
    ['base64_py("test")', 'dGVzdA==\n'],
    ['base64_decode("dGVzdA==")', 'test'],
    ['hex_encode("az")', '617a'],
    ['hex_decode("617a")', 'az'],
    ['url_encode("a b&")', 'a+b%26'],
    ['url_decode("a+b%26")', 'a b&'],
    ['to_number("4") + 1', 5],
    ['repeat("ab", 3)', 'ababab'],
    // Published test vectors of MurmurHash3 x86 32 with seed 0.
    ['mmh3("hello")', '613153351'],
    ['mmh3("foo")', '-156908512'],
    ['mmh3("The quick brown fox jumps over the lazy dog")', String(0x2e4ff723)],
  ])('%s is %j', (source, expected) => {
    expect(value(source)).toEqual(expected)
  })

  it('breaks base64_py lines after 76 characters', () => {
    expect(value('len(base64_py(repeat("a", 60)))')).toBe(82)
  })
})

describe('compare_versions', () => {
  it.each<[string, string, boolean | undefined]>([
    ['1.4.2', '>= 1.4.0', true],
    ['1.4.2', '< 1.4.2', false],
    ['v1.10.0', '> 1.9', true],
    ['1.0', '= 1.0.0', true],
    ['1.2.9', '~> 1.2.3', true],
    ['1.3.0', '~> 1.2.3', false],
    ['1.9.0', '~> 1.2', true],
    ['2.0.0-rc1', '>= 1.0.0', false],
    ['2.0.0-rc1', '< 2.0.0-rc2', true],
    ['1.0.2k', '< 1.0.2l', true],
    ['9.2p1', '< 9.8', false],
    ['', '< 1', undefined],
    ['unknown', '< 1', undefined],
  ])('%s %s: %j', (version, constraint, expected) => {
    expect(value(`compare_versions("${version}", "${constraint}")`)).toBe(expected)
  })

  it('requires every constraint', () => {
    expect(value('compare_versions(version, ">= 1.0", "< 1.4")')).toBe(false)
    expect(value('compare_versions(version, ">= 1.0, < 1.5")')).toBe(true)
  })
})

describe('undefined values', () => {
  it.each([
    'len("a") / len("") > 5',
    'len("a") % len("")',
    'contains(nosuch, "x") || true',
    'true || nosuch',
    'substr("abc", -3)',
    'hex_decode("x")',
    '"a" < 1',
    '!body',
    'repeat("aaaa", 100000000)',
  ])('%s makes the whole expression undefined', (source) => {
    expect(value(source)).toBeUndefined()
  })
})

describe('syntax errors', () => {
  it.each([
    '',
    '1 +',
    'contains(body',
    'contains(body, "x"',
    '"open',
    'no_such_function(body)',
    'a b',
    '1 ? 2 : 3',
    '('.repeat(100),
    '!'.repeat(1000) + 'true',
    'a'.repeat(70_000),
  ])('reports: %s', (source) => {
    expect(parseExpression(source)).toBeTypeOf('string')
  })
})

describe('text functions', () => {
  it.each<[string, DslValue]>([
    ['hmac("sha1", "test", "scrt")', '8856b111056d946d5c6c92a21b43c233596623c6'],
    ['padding("a", "x", 3, "suffix")', 'axx'],
    ['padding("a", "x", 3, "prefix")', 'xxa'],
    ['gzip_decode(gzip("test"))', 'test'],
    ['zlib_decode(zlib("test"))', 'test'],
    ['dec_to_hex("255")', 'ff'],
    ['hex_to_dec("ff")', 255],
    ['bin_to_dec("0b101")', 5],
    ['html_unescape("&lt;b&#62;&#x41;&amp;&quot;")', '<b>A&"'],
    ['remove_bad_chars("abc", "bd")', 'ac'],
    ['json_minify(\'{ "a": 1 }\')', '{"a":1}'],
    ['index(split("a,b,c", ","), 1)', 'b'],
    ['join("-", sort("c", "a"))', 'a-c'],
    ['len(uniq("a", "b", "a"))', 2],
    ['hex_encode(xor("ab", "bb"))', '0300'],
    ['date_time("%Y-%M-%D %H:%m:%S", 0)', '1970-01-01 00:00:00'],
    ['to_unix_time("1970-01-01T00:01:00Z")', 60],
  ])('%s is %j', (source, expected) => {
    expect(value(source)).toEqual(expected)
  })
})

describe('random functions', () => {
  it.each([
    ['rand_text_alpha(9)', /^[A-Za-z]{9}$/],
    ['rand_text_alpha(200, "abc")', /^[A-Zd-z]{200}$/],
    ['rand_text_numeric(5)', /^\d{5}$/],
    ['rand_text_alphanumeric(5)', /^[A-Za-z\d]{5}$/],
    ['rand_base(6)', /^[A-Za-z\d]{6}$/],
    ['randbase(6, "xy")', /^[xy]{6}$/],
    ['to_string(rand_int(1000, 2000))', /^1\d{3}$/],
    ['to_string(unix_time())', /^\d{10}$/],
  ])('%s looks like %s', (source, shape) => {
    expect(value(source)).toMatch(shape)
  })

  it.each(['rand_text_alpha(1000000)', 'rand_int(5, 1)', 'rand_text_alpha("x")', 'gzip_decode("no gzip")'])(
    '%s has no value',
    (source) => {
      expect(value(source)).toBeUndefined()
    },
  )
})
