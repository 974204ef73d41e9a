/** Kinds of records that are internal: how APIs name their lists, and which members prove them. */
import { z } from 'zod'
import { jsonIn } from '#native/json.ts'

export interface RecordKind {
  /** Matches the last part of a path. */
  readonly names: RegExp
  /** How many of the members a record must have. */
  readonly membersMin: number
  readonly members: RegExp
  /** Members, any one of which is enough. */
  readonly decisive?: RegExp
}

const kinds: readonly RecordKind[] = [
  {
    names: /^(?:accounts|customers|employees|subscribers|users)$/,
    membersMin: 2,
    members: /^(?:e_?mail(?:_?address)?|user_?name|login|phone|roles?|is_?admin|is_?staff|last_?login|password)$/,
    decisive: /^(?:e_?mail(?:_?address)?|password(?:_?hash)?)$/,
  },
  {
    names: /^(?:api_?keys|credentials|keys|passwords|secrets|tokens)$/,
    membersMin: 1,
    members: /^(?:api_?key|key|password|secret|token|access_?token)$/,
  },
  {
    names: /^(?:coupons|discounts|gift_?cards|promo_?codes|promotions|vouchers)$/,
    membersMin: 2,
    members: /^(?:active|amount|balance|code|discount\w{0,9}|expires?(?:_?at)?|percent(?:age)?|uses?|value)$/,
  },
  {
    names:
      /^(?:appointments|bookings|claims|complaints|deliveries|invoices|leads|orders|parcels|payments|rentals|reservations|shipments|tickets)$/,
    membersMin: 2,
    members:
      /^(?:address|billing_?\w{3,20}|buyer\w{0,9}|client\w{0,9}|customer\w{0,9}|from|guest\w{0,9}|iban|notes?|patient\w{0,9}|phone|reason|recipient\w{0,9}|reporter|requester|shipping_?\w{3,20})$/,
    decisive: /^(?:(?:customer|client|guest|buyer|contact)_?)?e_?mail(?:_?address)?$/,
  },
  {
    names: /^(?:e?mails|inbox|messages)$/,
    membersMin: 2,
    members: /^(?:subject|from|to|sender\w{0,9}|recipients\w{0,9})$/,
  },
  {
    names: /^(?:crons?|executions|jobs|pipelines|queues|runs|schedules|tasks|workers|workflows)$/,
    membersMin: 2,
    members:
      /^(?:aborted|active|args|arguments|attempts(?:made)?|command|completed?|cron|delayed|enabled|exit_?code|failed|func|function|kwargs|last_?run\w{0,5}|next_?run\w{0,5}|pending|pid|processed|progress|queue|queued|retried|schedule|scheduled|started(?:_?at)?|finished(?:_?at|on)?|state|status|trigger|waiting|workers?)$/,
  },
  {
    names:
      /^(?:agents|clients|connections|containers|databases|devices|hosts|instances|nodes|peers|processes|servers)$/,
    membersMin: 2,
    members:
      /^(?:address|connected|cpu\w{0,8}|database|firmware\w{0,8}|host|hostname|image|ip|ip_?address|last_?seen|mac|mac_?address|memory\w{0,8}|online|os|pid|platform|port|protocol|serial(?:_?number)?|state|uptime|username|vendor)$/,
  },
  {
    names: /^(?:hits|measurements|profiles|queries|requests|spans|statements|traces|transactions)$/,
    membersMin: 3,
    members:
      /^(?:args|body|client_?ip|context|duration\w{0,9}|elapsed|endpoint|headers|ip|kwargs|method|path|query|remote_?addr\w{0,5}|request|response|sql|started_?at|statement|status(?:_?code)?|time(?:stamp)?|uri|url|user(?:_?agent)?)$/,
  },
  {
    names: /^sessions$/,
    membersMin: 2,
    members:
      /^(?:expires\w{0,5}|ip|ip_?address|last_?\w{2,20}|session_?id|token|user|user_?agent|user_?id|user_?name)$/,
  },
  {
    names: /^(?:audit|audit_?logs?|logs)$/,
    membersMin: 2,
    members: /^(?:action|level|message|msg|severity|source|user)$/,
  },
]

const people =
  /^(?:accounts|applicants|applications|appointments|bookings|claims|complaints|contacts|contracts|customers|deliveries|drivers|employees|guests|invoices|leads|members|orders|parcels|patients|payments|people|persons|rentals|reservations|shipments|staff|students|subscribers|tenants|tickets|users)$/

/** Whether a path names a list of people, or of what belongs to them. */
export function listsPeople(path: string): boolean {
  return people.test(normalize(/([\w-]{1,40})\/?$/.exec(path)?.[1] ?? ''))
}

/** The kind of records that a path lists. */
export function kindOf(path: string): RecordKind | undefined {
  const name = /([\w-]{1,40})\/?$/.exec(path)?.[1] ?? ''
  const normalized = normalize(name)
  return kinds.find(({ names }) => names.test(normalized))
}

const Rows = z.array(z.record(z.string(), z.unknown())).min(1)
const parsedLengthMax = 600_000

/**
 * Finds a record of the kind in a JSON list, or in the list that is a member of a JSON object.
 *
 * @returns the members that prove it, as JSON
 */
export function recordsIn(body: string, { members, membersMin, decisive }: RecordKind): string | undefined {
  for (const rows of listsIn(body)) {
    const [first = {}] = rows
    const filled = Object.keys(first).filter((name) => !isEmpty(first[name]))
    const proving = filled.filter((name) => members.test(normalize(name)))
    const [sufficient] = filled.filter((name) => decisive?.test(normalize(name)))
    if (sufficient !== undefined) return `"${sufficient}"`
    if (proving.length >= membersMin) return `"${proving[0]}"`
  }
  return undefined
}

const personName = /"(?:buyer|client|customer|guest|patient|recipient)\w{0,9}"\s{0,9}:\s{0,9}"[^"]{2}/i

/** Like {@link recordsIn}, for one record of a person, such as `{"patient": "Ann", "reason": "Surgery"}` at `/api/appointments/7`. */
export function personalRecordIn(body: string, path: string): string | undefined {
  const kind = listsPeople(path) && personName.test(body) ? kindOf(path) : undefined
  return kind && recordsIn(`[${body}]`, kind)
}

/** Like {@link recordsIn}, for lists whose name in a JSON object is that of a kind. */
export function namedRecordsIn(body: string): string | undefined {
  if (!/^\s{0,99}\{/.test(body) || body.length > parsedLengthMax) return undefined
  const members = z.record(z.string(), z.unknown()).safeParse(jsonIn(body)).data ?? {}
  return Object.entries(members).flatMap(([name, value]) => {
    const kind = kindOf(name)
    return (kind && recordsIn(JSON.stringify(value), kind)) ?? []
  })[0]
}

function listsIn(body: string): (readonly Record<string, unknown>[])[] {
  if (!/^\s{0,99}[[{]/.test(body) || body.length > parsedLengthMax) return []
  const value = jsonIn(body)
  const lists = Array.isArray(value) || typeof value !== 'object' || value === null ? [value] : Object.values(value)
  return lists.flatMap((list) => {
    const rows = Rows.safeParse(list)
    return rows.success ? [rows.data] : []
  })
}

function normalize(name: string): string {
  return name.toLowerCase().replaceAll('-', '_')
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}
