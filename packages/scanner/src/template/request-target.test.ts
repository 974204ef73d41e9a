import { describe, expect, it } from 'vitest'
import { encodePath } from '#template/request-target.ts'

describe('encodePath', () => {
  it.each([
    ['/../../etc/passwd', '/../../etc/passwd'],
    ['/%2e%2e//a', '/%2e%2e//a'],
    ['/a%00b', '/a%00b'],
    ['/a b?c=d e', '/a%20b?c=d+e'],
    ['/"<x>"', '/%22%3Cx%3E%22'],
    ['/é', '/%C3%A9'],
    ['/%u2s', '/%25u2s'],
    ['/a#b', '/a'],
    ["/'{}|^`\\", "/'{}|^`\\"],
  ])('%s is sent as %s', (written, sent) => {
    expect(encodePath(written)).toBe(sent)
  })
})
