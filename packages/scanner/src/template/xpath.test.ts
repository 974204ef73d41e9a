import { describe, expect, it } from 'vitest'
import { parseXPath } from '#template/xpath.ts'
import { Stopped } from '#unit.ts'

const page =
  '<html><head><title>Hello</title></head><body><form><input id="token" value="abc"><br><a href="/x">y</a></form></body></html>'

describe('parseXPath', () => {
  it.each([
    ['/html/head/title', '', ['Hello']],
    ["//input[@id='token'][1]", 'value', ['abc']],
    ['//*/@href', '', ['/x']],
    ["//a[matches(@href, '^/x$')]", '', ['y']],
    ['//table', '', []],
  ])('selects %s', (path, attribute, values) => {
    expect(parseXPath(path)?.read(page, attribute)).toEqual(values)
    expect(parseXPath(path)?.matches(page)).toBe(values.length > 0)
  })

  it.each([
    ['//p[1]', ['a', 'c']],
    ['//p[@class="x"][1]/text()', ['b', 'c']],
    ['/html/body//p[contains(@class, "x")]', ['b', 'c']],
    ['//P/@CLASS', ['x', 'x']],
  ])('selects %s in document order', (path, values) => {
    const nested = '<html><body><div><p>a</p><p class="x">b</p></div><p class="x">c</p></body></html>'
    expect(parseXPath(path)?.read(nested, '')).toEqual(values)
    expect(parseXPath(`${path} | ${path}`)?.read(nested, '')).toEqual(values)
  })

  it('selects one of 18,000 siblings', () => {
    const inputs = `<html><body>${'<input a=1>'.repeat(18_000)}<input name="csrf" value="t"></body></html>`
    expect(parseXPath('//input[@name="csrf"]/@value')?.read(inputs, '')).toEqual(['t'])
  })

  it('selects two cells of each of 5,000 rows', () => {
    const table = `<table>${'<tr><td class="x">1</td><td class="x">2</td></tr>'.repeat(5000)}</table>`
    expect(parseXPath('//td[@class="x"][2]')?.read(table, '')).toEqual(Array.from({ length: 200 }, () => '2'))
  })

  it('can evaluate to a string', () => {
    expect(parseXPath("concat(/u/a, ' ', /u/b)")?.read('<?xml version="1.0"?><u><a>1</a><b>2</b></u>', '')).toEqual([
      '1 2',
    ])
  })

  it('evaluates a union to its first node in document order', () => {
    const nested = '<html><body><i>1</i><b>2<i>3</i></b></body></html>'
    expect(parseXPath('string(//b | //i)')?.read(nested, '')).toEqual(['1'])
    expect(parseXPath('string(//i/ancestor::b | //b/i)')?.read(nested, '')).toEqual(['23'])
  })

  it.each([
    ['//input/preceding::input', '<input a=1>'.repeat(18_000)],
    ['//@*[. = //@*]', '<input a=1>'.repeat(18_000)],
    ['//*[string-length(concat(., ., ., .)) > 0]', '<b/>'.repeat(60_000)],
    ['//*[. = //*]', '<b/>'.repeat(60_000)],
  ])('stops %s at the same step each time', (path, text) => {
    const run = () => parseXPath(path)?.matches(`<html>${text}`)
    expect(run).toThrow(new Stopped('XPath expression exceeds its budget'))
    expect(run).toThrow(Stopped)
  })

  it('returns null for invalid syntax', () => {
    expect(parseXPath('/a[')).toBeNull()
  })

  it.each([
    ['a page nested 50,000 levels deep', '<a>'.repeat(50_000)],
    ['a page of only angle brackets', '<'.repeat(20_000)],
    ['a page with an entity declaration', '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bbbb">]><a>&b;</a>'],
    ['nothing', ''],
  ])('finds nothing in %s', (_name, text) => {
    expect(parseXPath('//link/@href')?.read(text, '')).toEqual([])
  })

  // Each of these took between a second and several minutes before evaluation had a budget.
  it.each([
    ["//input[@id='a'][1]", '<input id="a"/>'.repeat(16_000)],
    ['//*//*//*/@href|//*/@src', '<a href="x"/>'.repeat(18_000)],
    ['//*[count(//*) > 1]', '<b/>'.repeat(60_000)],
    ['//script', `<html><script>${'<'.repeat(250_000)}`],
  ])('evaluates %s on a hostile page within its budget', (path, text) => {
    const start = performance.now()
    try {
      parseXPath(path)?.read(text, '')
    } catch (error) {
      expect(error).toBeInstanceOf(Stopped)
    }
    expect(performance.now() - start).toBeLessThan(4000)
  })

  it('selects many siblings in document order', () => {
    const inputs = Array.from({ length: 500 }, (_, index) => `<input name="n" value="${index}"/>`).join('')
    const values = parseXPath("//input[@name='n']")?.read(`<form>${inputs}</form>`, 'value')
    expect(values).toEqual(Array.from({ length: 200 }, (_, index) => String(index)))
  })
})
