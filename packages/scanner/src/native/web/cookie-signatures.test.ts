import { expect, it } from 'vitest'
import { type Cookie, secretOfCookie } from '#native/web/cookie-signatures.ts'

function cookieOf(text: string): Cookie {
  const [name = '', ...rest] = text.split('=')
  const raw = rest.join('=')
  return { name, raw, value: decodeURIComponent(raw.replaceAll('"', '')) }
}

// cspell:disable
/** Issued by the programs of the lab and by gorilla/securecookie 1.1.2. */
const issued: readonly (readonly [framework: string, secret: string, cookies: readonly string[]])[] = [
  ['Starlette', 'itsaseekreet', ['session=eyJ2aXNpdHMiOiAxfQ==.aww8Ag.N53EKBqNiXGKVeogfwLzqyYh9fo']],
  ['Django', 'itsaseekreet', ['sessionid=eyJ2aXNpdHMiOjF9:1xXgFm:lrvPf1Mh5Uczy5cT2ik5Bs9yTpKTi7qn4648GduJ8aA']],
  [
    'Koa',
    'newest secret key',
    [
      'koa.sess=eyJ2aXNpdHMiOjEsIl9leHBpcmUiOjE3OTYwNTAzMDY4MzMsIl9tYXhBZ2UiOjg2NDAwMDAwfQ==',
      'koa.sess.sig=ulKpmXRE6pMdwsrwvofcApgNtg8',
    ],
  ],
  [
    'Tornado',
    'itsaseekreet',
    ['visitor="2|1:0|10:1795963907|7:visitor|4:MQ==|52b5eb6344bff09ccefb0cda3659327a8f58ca98b32400e77e99a7ddeeb9b9c0"'],
  ],
  [
    'Bottle',
    'itsaseekreet',
    ['basket="!IFO1oC7mS+uJpY7deuudlv5Pv2X75UoTP/omW1F7nLU=?gAWVFgAAAAAAAABdlCiMBmJhc2tldJSMBWVtcHR5lGUu"'],
  ],
  [
    'Pyramid',
    'itsaseekreet',
    [
      'session=5fEhWc8htnsIvwA_3dH_oCYIq0-dHXH4HwkORQXVx78sVxEGYr8Ocr0pqgNB_yxHF0-IcawyAKpBh-ihyYuiKFsxNzk1OTYzOTI5LCAxNzk1OTYzOTI5LjU3MjMxOTUsIHsidmlzaXRzIjogMX1d',
    ],
  ],
  [
    'Gorilla',
    'secret',
    [
      'mysession=MTc5NTk2MzkxOHxEWDhFQVFMX2dBQUJFQUVRQUFBZF80QUFBUVp6ZEhKcGJtY01DQUFHZG1semFYUnpBMmx1ZEFRQ0FBST18O8u7uHv1PEAGnty-3qShYwIzmb5yWppuVW8MdRUK550=',
    ],
  ],
  [
    'Gorilla with encryption',
    'something-very-secret',
    [
      'mysession=MTc5NTk2MzkxOHxka3lzOEdmdEhvTHlIUkxUX3NQY3U4MXNpd3lCbHctY2RsbmJFcWZ3WWtxYXpzS09VUUozQXNlLU5rbDZMRklGdVVqMGtUdVc2SEZQM0FjVHzuACOal6CSYVjN_AfOr_IKRosUDHheIULtWUWf-Vy5tQ==',
    ],
  ],
  [
    'Hapi',
    'password-should-be-32-characters',
    [
      'session=Fe26.2**0278c14f976017ab171b52aa0a7003bd22268ea005c7ffaf6c2431d6a8bb08f4*LLiqa9BSG7otaedlqX3e4A*itrtv9L0qrtHq9sbmWFcloHOhlBOlavAlBB6B0kpf-2yrUVGgOkIk0R4fw_PigjCC-Gb9M6W77VrDABSW3X93tkLX0OD8djpI7V07PgitAY**6ccc3021438353496aadf110c6ced0b23e992c57425bf011e7197cd72b4ec2d8*eDWdcsMhSOu_gBtpA6IC6gaz7An6tGbT4Rggid4s5Ns',
    ],
  ],
]

it.each(issued)('recognizes the signature of %s', (_, secret, texts) => {
  const cookies = texts.map(cookieOf)
  expect(cookies.map((cookie) => secretOfCookie(cookie, cookies)).find(Boolean)).toBe(secret)
})

it.each(issued)('rejects the payload of %s with another signature', (_, _secret, texts) => {
  const cookies = texts.map((text) => cookieOf(text.replace(/([\w-])([\w-])(=*"?)$/, '$2$1$3')))
  const payloads = cookies.map((cookie) => ({ ...cookie, name: `${cookie.name}2` }))
  expect(payloads.map((cookie) => secretOfCookie(cookie, payloads))).toEqual(payloads.map(() => undefined))
})

it.each([
  'session=eyJ2aXNpdHMiOiAxfQ==.aww8GQ.7buhZtG3_h9IpZzDUswxbzRxgXA',
  'mysession=MTc5NTk2MzkxOHxnejBkTm1iME9mYkEwWmlDaGxZUzdIeTN5ZHVKN3RmcEFOdm9keUlqTDVabjZ4M1ZXQjlCSUc5dEt3QXRqV2lQclZHOXBaTHRSY3l6OWRxVHyKIuK1hXYkaIq6lcT-X7OOgvh5IXhgZeuA0xoCAWJXVw==',
])('finds nothing in a cookie that is signed with a random secret', (text) => {
  expect(secretOfCookie(cookieOf(text), [])).toBeUndefined()
})
