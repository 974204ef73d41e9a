/** Signatures of session cookies, verified without a request. */
import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'
import { secretThat } from '#native/web/known-secrets.ts'

export interface Cookie {
  readonly name: string
  /** As sent. */
  readonly raw: string
  /** Without quotation marks and percent-encoding. */
  readonly value: string
}

type IsSigned = (secret: string) => boolean

/**
 * The well-known secret with which a framework signed the cookie: Flask, Starlette, Django, Express, Fastify, Hono, Koa,
 * cookie-session, Tornado, Bottle, Pyramid, Gorilla, Iron, Rack, or Mojolicious.
 *
 * @param siblings all cookies of the same response; some signatures are cookies of their own
 */
export function secretOfCookie(
  cookie: Cookie,
  siblings: readonly Cookie[],
  names: readonly string[] = [],
): string | undefined {
  const tests = [
    timestamped(cookie),
    ofDjango(cookie),
    ofExpress(cookie),
    ofSibling(cookie, siblings),
    ofBottle(cookie),
    ofPyramid(cookie),
    ofGorilla(cookie),
    ofIron(cookie),
    inHexadecimal(cookie),
  ]
  return tests.map((isSigned) => isSigned && secretThat(isSigned, [...names, cookie.name])).find(Boolean)
}

function hmac(hash: string, key: string | Buffer, text: string | Buffer): Buffer {
  return createHmac(hash, key).update(text).digest()
}

/** The texts before and after the last separator. */
function parted(text: string, separator: string): readonly [signed: string, signature: string] {
  const at = text.lastIndexOf(separator)
  return at < 1 ? ['', ''] : [text.slice(0, at), text.slice(at + separator.length)]
}

// cspell:disable-next-line
const starletteSalt = 'itsdangerous.Signersigner'

/** Payload, time, and signature of itsdangerous, with the key derivations of Flask and Starlette. */
function timestamped({ value }: Cookie): IsSigned | undefined {
  const [signed, signature] = parted(value, '.')
  if (!/^[\w-]{27}$/.test(signature) || !/\.[\w-]{5,8}$/.test(signed)) return undefined
  return (secret) => {
    const flask = hmac('sha1', secret, 'cookie-session')
    const starlette = createHash('sha1').update(`${starletteSalt}${secret}`).digest()
    return [flask, starlette].some((key) => hmac('sha1', key, signed).toString('base64url') === signature)
  }
}

/** Payload, time, and signature of Django: sessions, messages, and other signed cookies, which have their name as salt. */
function ofDjango({ name, value }: Cookie): IsSigned | undefined {
  const [signed, signature] = parted(value, ':')
  if (!/^(?:[\w-]{27}|[\w-]{43})$/.test(signature) || !/:[\da-z]{5,8}$/i.test(signed)) return undefined
  const hash = signature.length === 27 ? 'sha1' : 'sha256'
  const salts = [
    ['django.contrib.sessions.backends.signed_cookies', ''],
    ['django.contrib.messages', 'django.http.cookies'],
    [name, 'django.http.cookies'],
  ] as const
  return (secret) =>
    salts.some(([salt, prefix]) => {
      const key = createHash(hash).update(`${salt}signer${prefix}${secret}`).digest()
      return hmac(hash, key, signed).toString('base64url') === signature
    })
}

/** `s:value.signature` of Express, and without the prefix of Fastify and Hono. */
function ofExpress({ value }: Cookie): IsSigned | undefined {
  const [signed, signature] = parted(value.replace(/^s:/, '').replace(/=$/, ''), '.')
  if (!/^[\w+/]{43}$/.test(signature)) return undefined
  return (secret) => hmac('sha256', secret, signed).toString('base64').slice(0, 43) === signature
}

/** Koa and cookie-session: the signature is another cookie with the ending `.sig`. */
function ofSibling({ name, raw }: Cookie, siblings: readonly Cookie[]): IsSigned | undefined {
  const signature = siblings.find((other) => other.name === `${name}.sig`)?.raw
  if (signature === undefined) return undefined
  return (secret) => hmac('sha1', secret, `${name}=${raw}`).toString('base64url') === signature
}

/** `!signature?payload` */
function ofBottle({ value }: Cookie): IsSigned | undefined {
  const [start, payload] = parted(value, '?')
  const [, signature] = /^!([\w+/]{22,43}={1,2})$/.exec(start) ?? []
  if (signature === undefined) return undefined
  const hash = signature.length === 24 ? 'md5' : 'sha256'
  return (secret) => hmac(hash, secret, payload).toString('base64') === signature
}

/** The signature of 64 bytes is before the payload. */
function ofPyramid({ value }: Cookie): IsSigned | undefined {
  const bytes = inBase64(value)
  if (bytes.length < 70) return undefined
  return (secret) => hmac('sha512', `pyramid.session.${secret}`, bytes.subarray(64)).equals(bytes.subarray(0, 64))
}

function inBase64(value: string): Buffer {
  return /[^\w=-]/.test(value) ? Buffer.alloc(0) : Buffer.from(value, 'base64url')
}

/** Go programs with Gorilla, such as those with the sessions of Gin: time, payload, and signature in Base64. */
function ofGorilla({ name, value }: Cookie): IsSigned | undefined {
  const bytes = inBase64(value)
  const signed = bytes.subarray(0, -33).toString('latin1')
  if (!/^\d{9,11}\|[\w-]/.test(signed) || bytes.at(-33) !== 0x7c) return undefined
  return (secret) => hmac('sha256', secret, `${name}|${signed}`).equals(bytes.subarray(-32))
}

/** Hapi and iron-session: `Fe26.2*id*salt*iv*content*expiration*salt*signature` */
function ofIron({ value }: Cookie): IsSigned | undefined {
  const parts = value.split('*')
  const [version, salt = '', signature] = [parts[0], parts[6], parts[7]?.replace(/~2$/, '')]
  if (version !== 'Fe26.2' || parts.length !== 8) return undefined
  const signed = parts.slice(0, 6).join('*')
  return (secret) => {
    const key = pbkdf2Sync(secret, salt, 1, 32, 'sha1')
    return hmac('sha256', key, signed).toString('base64url') === signature
  }
}

const hexHashes: Readonly<Record<number, string>> = { 32: 'md5', 40: 'sha1', 64: 'sha256' }

/** A value and its HMAC in hexadecimal: of the value (Rack), with the separator (Tornado), or with the name (Mojolicious). */
function inHexadecimal({ name, value }: Cookie): IsSigned | undefined {
  const [end = '', signature = ''] = /(?:--|[.|:])([\da-f]{32,64})$/.exec(value) ?? []
  const hash = hexHashes[signature.length]
  if (hash === undefined) return undefined
  const text = value.slice(0, -end.length)
  const texts = [text, `${text}|`, `${name}=${text}`]
  return (secret) => texts.some((signed) => hmac(hash, secret, signed).toString('hex') === signature)
}
