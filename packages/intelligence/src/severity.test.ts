import { describe, expect, it } from 'vitest'
import { scoreV2 } from '#cvss/v2.ts'
import { scoreV3 } from '#cvss/v3.ts'
import { scoreV4 } from '#cvss/v4.ts'
import { categoryOf, describeVector, severityOf } from '#severity.ts'

describe('scoreV3', () => {
  // Examples from FIRST's "CVSS v3.1 Examples" and published records.
  it.each([
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 9.8],
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H', 10],
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N', 6.1],
    ['CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N', 6.4],
    ['CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N', 3.1],
    ['CVSS:3.1/AV:L/AC:L/PR:H/UI:N/S:U/C:L/I:L/A:L', 4.2],
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N', 7.5],
    ['CVSS:3.1/AV:P/AC:L/PR:N/UI:N/S:U/C:N/I:H/A:N', 4.6],
    ['CVSS:3.1/AV:A/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 8.8],
    ['CVSS:3.1/AV:L/AC:L/PR:N/UI:R/S:U/C:H/I:H/A:H', 7.8],
    ['CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:H', 8.1],
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N', 0],
    ['CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H', 10],
    ['CVSS:3.0/AV:L/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:H', 7.4],
    ['CVSS:3.0/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:L/A:N', 4.2],
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/E:P/RL:O', 9.8],
  ])('%s scores %s', (vector, score) => {
    expect(scoreV3(vector)).toBe(score)
  })
  it.each([
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H',
    'CVSS:3.1/AV:N/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    'CVSS:3.1/AV:X/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    'CVSS:2.0/AV:N',
    '',
  ])('returns null for %j', (vector) => {
    expect(scoreV3(vector)).toBeNull()
  })
})

describe('scoreV2', () => {
  // The three worked examples of section 3.3 of the guide and published records.
  it.each([
    ['AV:N/AC:L/Au:N/C:N/I:N/A:C', 7.8],
    ['AV:N/AC:L/Au:N/C:C/I:C/A:C', 10],
    ['AV:L/AC:H/Au:N/C:C/I:C/A:C', 6.2],
    ['AV:N/AC:M/Au:N/C:N/I:P/A:N', 4.3],
    ['(AV:N/AC:L/Au:N/C:P/I:P/A:P)', 7.5],
    ['AV:L/AC:L/Au:N/C:N/I:N/A:N', 0],
  ])('%s scores %s', (vector, score) => {
    expect(scoreV2(vector)).toBe(score)
  })
})

describe('scoreV4', () => {
  // Scores published by NVD and CNAs.
  it.each([
    ['AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:H/SI:H/SA:H', 10],
    ['AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 9.3],
    ['AV:N/AC:L/AT:N/PR:L/UI:N/VC:H/VI:H/VA:H/SC:H/SI:H/SA:H', 9.4],
    ['AV:N/AC:L/AT:P/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 9.2],
    ['AV:N/AC:L/AT:N/PR:L/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 8.7],
    ['AV:L/AC:L/AT:N/PR:L/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 8.5],
    ['AV:N/AC:L/AT:N/PR:N/UI:N/VC:L/VI:L/VA:L/SC:N/SI:N/SA:N', 6.9],
    ['AV:N/AC:H/AT:N/PR:N/UI:N/VC:L/VI:L/VA:L/SC:N/SI:N/SA:N', 6.3],
    ['AV:P/AC:H/AT:N/PR:H/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 5.4],
    ['AV:N/AC:L/AT:N/PR:L/UI:N/VC:L/VI:N/VA:N/SC:N/SI:N/SA:N', 5.3],
    ['AV:A/AC:H/AT:N/PR:L/UI:N/VC:L/VI:L/VA:L/SC:N/SI:N/SA:N', 2.1],
    ['AV:P/AC:H/AT:N/PR:N/UI:N/VC:L/VI:N/VA:N/SC:N/SI:N/SA:N', 1],
    ['AV:N/AC:L/AT:N/PR:N/UI:N/VC:N/VI:N/VA:N/SC:N/SI:N/SA:N', 0],
    ['AV:L/AC:L/AT:N/PR:L/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/E:P', 7.1],
    ['AV:N/AC:L/AT:N/PR:N/UI:P/VC:N/VI:L/VA:N/SC:N/SI:N/SA:N/E:U', 1.3],
    ['AV:P/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/MAV:N', 9.3],
  ])('%s scores %s', (vector, score) => {
    expect(scoreV4(`CVSS:4.0/${vector}`)).toBe(score)
  })
  it.each([
    'AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N',
    'AV:N/AC:L/AT:N/PR:N/UI:N/VC:C/VI:H/VA:H/SC:N/SI:N/SA:N',
    'AV:N',
  ])('returns null for %s', (vector) => {
    expect(scoreV4(`CVSS:4.0/${vector}`)).toBeNull()
  })
})

it.each([
  [0, 'CATEGORY_NONE'],
  [0.1, 'CATEGORY_LOW'],
  [3.9, 'CATEGORY_LOW'],
  [4, 'CATEGORY_MEDIUM'],
  [6.9, 'CATEGORY_MEDIUM'],
  [7, 'CATEGORY_HIGH'],
  [8.9, 'CATEGORY_HIGH'],
  [9, 'CATEGORY_CRITICAL'],
  [10, 'CATEGORY_CRITICAL'],
])('categoryOf(%s) is %s', (score, category) => {
  expect(categoryOf(score)).toBe(category)
})

describe('severityOf and describeVector', () => {
  it('prefers the score stated by the source', () => {
    const vector = 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:L/VI:L/VA:L/SC:N/SI:N/SA:N/E:P'
    expect(severityOf(vector, 6.9)).toEqual({ cvss: vector, score: 6.9, category: 'CATEGORY_MEDIUM' })
    expect(severityOf(vector).score).toBe(5.5)
  })
  it('returns an unspecified severity without a vector', () => {
    expect(severityOf('')).toEqual({ cvss: '', score: 0, category: 'CATEGORY_UNSPECIFIED' })
  })
  it('describes a vector', () => {
    expect(describeVector('CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:H/I:L/A:N')).toBe(
      'Exploitable over the network, without authentication, with user interaction. ' +
        "Depends on conditions beyond the attacker's control. " +
        'Impact: confidentiality high, integrity low.',
    )
  })
})
