/** Schemas that parse setting values from text. */
import { isIP } from 'node:net'
import { z } from 'zod'
import { addresses, type SourceKey } from './packs/sources.ts'

const list = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
export const listOf = <T>(item: z.ZodType<T, string>) => z.string().transform(list).pipe(z.array(item).min(1))

const isOrigin = (text: string) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href
}
export const origin = z
  .string()
  .refine(isOrigin)
  .transform((text) => new URL(text).origin)
export const urlOf = (scheme: RegExp) => z.string().refine((text) => scheme.test(text) && URL.canParse(text))
export const listenHost = z.string().refine((text) => isIP(text) > 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text))
/** An address with an optional display name. Line breaks are rejected because the value becomes an email header. */
export const sender = z.string().regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*@[^\p{Cc}\p{Zl}\p{Zp}]+$/u)
/** A public key of age: X25519, post-quantum, or of a hardware token. */
export const ageRecipient = z.string().regex(/^age1[a-z0-9]{20,4000}$/)
export const network = z.union([z.cidrv4(), z.cidrv6()])

/** `host:port`, or a port of 127.0.0.1. IPv6 addresses are in brackets. */
export const listenAddress = z
  .string()
  .regex(/^((\[[\da-f:.]+\]|[^:[\]\s]+):)?[1-9]\d{0,4}$/i)
  .transform((text) => {
    const at = text.lastIndexOf(':')
    const host = at < 0 ? '127.0.0.1' : text.slice(0, at).replace(/^\[|\]$/g, '')
    return { host, port: Number(text.slice(at + 1)) }
  })
  .refine(({ host, port }) => listenHost.or(z.ipv6()).safeParse(host).success && port <= 65_535)

/** Milliseconds per duration suffix. */
export const unitsMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
export const duration = z
  .string()
  .regex(/^[1-9]\d{0,5}[smhd]$/)
  .transform((text) => Number(text.slice(0, -1)) * unitsMs[text.slice(-1) as keyof typeof unitsMs]) // checked by the pattern

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    context.addIssue('Invalid JSON')
    return z.NEVER
  }
})

const isSafe = (text: string) => /^https:|^http:\/\/(localhost|127(\.\d+){3}|\[::1\])([:/]|$)/.test(text)
export const safeUrl = urlOf(/^https?:\/\//).refine(isSafe)
export const Provider = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/i),
    label: z.string().min(1).max(64).optional(),
    clientId: z.string().min(1),
    clientSecret: z.string().min(1).optional(),
    issuer: safeUrl.optional(),
    authorizationUrl: safeUrl.optional(),
    tokenUrl: safeUrl.optional(),
    userinfoUrl: safeUrl.optional(),
    scopes: z.array(z.string().min(1)).optional(),
    responseMode: z.enum(['query', 'form_post']).optional(),
  })
  .refine((entry) => entry.issuer ?? (entry.authorizationUrl && entry.tokenUrl && entry.userinfoUrl))
const isAllDifferent = (list: readonly { id: string }[]) => new Set(list.map(({ id }) => id)).size === list.length
export const providers = json.pipe(z.array(Provider).refine(isAllDifferent))

export const feedKeys = Object.keys(addresses) as [SourceKey, ...SourceKey[]] // checked by Object.keys of that table
export const feedSources = json.pipe(z.partialRecord(z.enum(feedKeys), z.union([z.literal(''), safeUrl])))
