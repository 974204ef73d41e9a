/** Types shared by all entities of the contract. */
import { z } from 'zod/mini'

export const Id = z.uuid()
/** Maximum length of a target's or agent's name, in characters. */
export const nameLengthMax = 128
/** Control and bidirectional characters can disguise a name. */
const invisible = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u
const isVisible = (text: string) => !invisible.test(text)
const invisibleMessage = 'The name contains invisible characters'
/** Nothing but spaces and characters without a glyph, such as U+200B; the Braille blank is neither by its properties. */
const blank = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]+$/u
/** The length check reports an empty text. */
const isNotBlank = (text: string) => !blank.test(text)
export const Name = z
  .string()
  .check(
    z.minLength(1),
    z.maxLength(nameLengthMax),
    z.refine(isNotBlank, 'Required'),
    z.refine(isVisible, invisibleMessage),
  )
/** A short name, for tags and views. */
export const ShortName = z
  .string()
  .check(
    z.trim(),
    z.minLength(1),
    z.maxLength(40),
    z.refine(isNotBlank, 'Required'),
    z.refine(isVisible, invisibleMessage),
  )
/** ISO 8601 date and time in UTC. */
export const Timestamp = z.iso.datetime({ offset: true })
/** A number of seconds followed by `s`, such as `3.5s`. */
export const Duration = z.string().check(z.regex(/^-?\d+(\.\d+)?s$/, 'Expected a number of seconds followed by "s"'))
/** An http(s) URL, or an empty string. */
export const UrlOrEmpty = z.union([z.url({ protocol: /^https?$/ }), z.literal('')])

export const pageSizeMax = 500
/** Query parameters are strings, so numbers are coerced. */
export const Page = {
  pageSize: z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(pageSizeMax))),
  pageToken: z.optional(z.string().check(z.maxLength(2000))),
} as const
export const NextPage = {
  /** Empty on the last page. */
  nextPageToken: z._default(z.string(), ''),
  /** Counted up to a limit; see `totalSizeIsExact`. */
  totalSize: z.optional(z.int()),
  totalSizeIsExact: z.optional(z.boolean()),
} as const

/** A list in a query: one or more values. */
export function listOf<Item extends z.ZodMiniType>(item: Item) {
  return z.optional(
    z.pipe(
      z.transform((value: unknown) => (value === undefined || Array.isArray(value) ? value : [value])),
      z.array(item),
    ),
  )
}
/** A boolean in a query. */
export const Flag = z.union([
  z.boolean(),
  z.pipe(
    z.enum(['true', 'false']),
    z.transform((word) => word === 'true'),
  ),
])

/** Addresses, and networks in CIDR notation. */
export const AllowedNetworks = z.array(z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()])).check(z.maxLength(50))

/** How a list of networks is replaced. */
export const NetworkChange = {
  /** Addresses or networks in CIDR notation; empty for all. */
  networks: AllowedNetworks,
  /** Confirms a list that excludes the address of the request. */
  excludesYou: z.optional(z.boolean()),
  /** The current list. If it is another one, the request is rejected with the reason `SETTINGS_CHANGED`. */
  replaces: z.optional(z.array(z.string())),
} as const

export const SeverityCount = z.object({
  critical: z._default(z.int(), 0),
  high: z._default(z.int(), 0),
  medium: z._default(z.int(), 0),
  low: z._default(z.int(), 0),
})
export type SeverityCount = z.infer<typeof SeverityCount>

/** Pace of a scan: `gentle` for production networks, `deep` for all ports, on hosts that can handle the load. */
export const ScanProfile = z.enum(['gentle', 'standard', 'deep'])
export type ScanProfile = z.infer<typeof ScanProfile>
/**
 * What intrusive checks need permission for: logging in with default credentials, which may lock an
 * account; writing to the target; and requests that may crash it.
 */
export const CheckPermission = z.enum(['logins', 'writes', 'crashes'])
export type CheckPermission = z.infer<typeof CheckPermission>

/** The fields that a PATCH changes. */
export const UpdateMask = z.strictObject({ paths: z.array(z.string().check(z.minLength(1))).check(z.minLength(1)) })

export const Empty = z.object({})

/** The body of every API error. Codes are gRPC status codes. */
export const ApiErrorBody = z.object({
  code: z.int(),
  message: z.string(),
  details: z.optional(z.array(z.looseObject({ '@type': z.string() }))),
})
export type ApiErrorBody = z.infer<typeof ApiErrorBody>
