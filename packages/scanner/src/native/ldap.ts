/** What an LDAP directory returns to a client that has not authenticated: accounts, password hashes, its own settings. */
import { checkInfo, type CheckResults, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { type BerElement, berElements, bytes, hex, tlv } from '#wire.ts'

const remediation =
  'In OpenLDAP, allow only `auth` access to `userPassword` for anonymous clients (`access to attrs=userPassword by self write by anonymous auth by * none`), and grant read access to `users` instead of `*`.'
const hashes = checkInfo({
  id: 'ldap-password-hashes-readable',
  name: 'LDAP password hashes exposed to anonymous clients',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary: 'The LDAP directory returns the attribute `userPassword` to clients that have not authenticated.',
  impact: 'An attacker can crack the hashes offline and sign in to every application that uses the directory.',
  remediation,
  reference: 'https://www.openldap.org/doc/admin26/access-control.html',
  tags: 'misconfig ldap disclosure unauth network',
  verifiedOn: 'slapd-accounts',
})
const accounts = checkInfo({
  id: 'ldap-accounts-readable',
  name: 'LDAP user accounts exposed to anonymous clients',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 5.3,
  summary: 'The LDAP directory returns user entries to clients that have not authenticated.',
  impact: 'An attacker learns names, email addresses, and groups, and can use them for password guessing and phishing.',
  remediation,
  reference: 'https://www.rfc-editor.org/rfc/rfc4513#section-5.1.1',
  tags: 'misconfig ldap disclosure unauth network',
  verifiedOn: 'slapd-accounts slapd-ldaps',
})
const configuration = checkInfo({
  id: 'ldap-configuration-readable',
  name: 'OpenLDAP configuration exposed to anonymous clients (cn=config)',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary: 'OpenLDAP returns its configuration (the entries below `cn=config`) to clients that have not authenticated.',
  impact:
    'An attacker learns the access rules and paths of the server, and can crack the hashes of administrator passwords (`olcRootPW`) offline.',
  remediation:
    'Remove read access from the configuration database, for example with `olcAccess: to * by dn.exact=gidNumber=0+uidNumber=0,cn=peercred,cn=external,cn=auth manage by * none` in `olcDatabase={0}config,cn=config`, and change the passwords that were readable.',
  reference: 'https://www.openldap.org/doc/admin26/slapdconf2.html',
  tags: 'misconfig ldap openldap disclosure unauth network',
  verifiedOn: 'slapd-config',
})
const monitor = checkInfo({
  id: 'ldap-monitor-readable',
  name: 'OpenLDAP monitoring data exposed to anonymous clients (cn=Monitor)',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 5.3,
  summary: 'OpenLDAP returns the entries of `cn=Monitor` to clients that have not authenticated.',
  impact:
    'An attacker learns the exact version of the server, its listeners, and the addresses and names of connected clients.',
  remediation:
    'Restrict the monitor database to administrators, for example with `olcAccess: to * by dn.exact="cn=admin,dc=example,dc=com" read by * none` in `olcDatabase={1}monitor,cn=config`.',
  reference: 'https://www.openldap.org/doc/admin26/monitoringslapd.html',
  tags: 'misconfig ldap openldap disclosure unauth network',
  verifiedOn: 'slapd-config slapd-monitor',
})
const contextsMax = 3
const searchEntry = 0x64
const searchDone = 0x65

/** Reads at most three entries below each naming context, and of the server's own databases. */
export const ldap: NativeCheck = {
  checks: [hashes, accounts, configuration, monitor],
  appliesTo: ({ protocol, transport }) => protocol === 'ldap' && transport === 'tcp',
  async run(context) {
    const root = await search(context, '', 0, present('objectClass'), [
      'namingContexts',
      'configContext',
      'monitorContext',
    ])
    if (!root) return {}
    const valuesOf = (type: string) => root.flatMap(({ attributes }) => attributes.get(type) ?? [])
    const bases = valuesOf('namingcontexts').slice(0, contextsMax)
    const results: Record<string, Proof | null> = {
      [hashes.id]: null,
      [accounts.id]: null,
      [configuration.id]: await readConfiguration(context, valuesOf('configcontext')[0]),
      [monitor.id]: await readMonitor(context, valuesOf('monitorcontext')[0]),
    }
    for (const base of bases.filter((name) => name !== '')) {
      Object.assign(results, await readEntries(context, base))
    }
    return results
  },
}

async function readEntries(context: NativeContext, base: string): Promise<CheckResults> {
  const withPassword = await search(context, base, 2, present('userPassword'), ['userPassword'])
  const leaking = withPassword?.find(({ attributes }) => (attributes.get('userpassword') ?? []).some(Boolean))
  const classes = ['person', 'posixAccount', 'account', 'user'].map((name) =>
    tlv(0xa3, Buffer.concat([tlv(0x04, bytes('objectClass')), tlv(0x04, bytes(name))])),
  )
  const people = await search(context, base, 2, tlv(0xa1, Buffer.concat(classes)), ['cn', 'uid', 'mail'])
  const named = people?.filter(({ attributes }) => attributes.size > 0) ?? []
  const [first] = named
  return {
    ...(leaking && {
      [hashes.id]: {
        request: `search ${base} (userPassword=*)`,
        answer: `${leaking.name}: userPassword, ${schemeOf(leaking.attributes.get('userpassword')?.[0] ?? '')}`,
        highlights: [leaking.name],
      },
    }),
    ...(first && {
      [accounts.id]: {
        request: `search ${base} (|(objectClass=person)(objectClass=posixAccount)(objectClass=account)(objectClass=user))`,
        answer: named.map(({ name }) => name).join('\n'),
        highlights: [first.name],
      },
    }),
  }
}

/** The database with an administrator's password if there is one, otherwise any database. */
async function readConfiguration(context: NativeContext, base: string | undefined): Promise<Proof | null> {
  if (base === undefined) return null
  for (const type of ['olcRootPW', 'olcDatabase']) {
    const entries = await search(context, base, 2, present(type), [type])
    const entry = entries?.find(({ attributes }) => attributes.has(type.toLowerCase()))
    if (!entry) continue
    const [value = ''] = entry.attributes.get(type.toLowerCase()) ?? []
    const shown = type === 'olcRootPW' ? schemeOf(value) : value
    return {
      request: `search ${base} (${type}=*)`,
      answer: `${entry.name}: ${type}, ${shown}`,
      highlights: [entry.name],
    }
  }
  return null
}

async function readMonitor(context: NativeContext, base: string | undefined): Promise<Proof | null> {
  if (base === undefined) return null
  const entries = await search(context, base, 0, present('objectClass'), ['monitoredInfo'])
  const [info] = entries?.flatMap(({ attributes }) => attributes.get('monitoredinfo') ?? []) ?? []
  return info === undefined ? null : { request: `search ${base}`, answer: `monitoredInfo: ${info}`, highlights: [info] }
}

/** The filter `(type=*)`. */
function present(type: string): Uint8Array {
  return tlv(0x87, bytes(type))
}

/** The storage scheme (RFC 3112), without the hash. */
function schemeOf(value: string): string {
  return /^\{[\w-]{1,20}\}/.exec(value)?.[0] ?? 'stored without a scheme'
}

interface Entry {
  readonly name: string
  /** Values by lower-case type. */
  readonly attributes: ReadonlyMap<string, readonly string[]>
}

/** An anonymous search (RFC 4511, section 4.5) for at most three entries within five seconds. */
async function search(
  context: NativeContext,
  base: string,
  scope: 0 | 2,
  filter: Uint8Array,
  types: readonly string[],
): Promise<readonly Entry[] | undefined> {
  const request = Buffer.concat([
    tlv(0x04, bytes(base)),
    Buffer.from([0x0a, 1, scope]),
    hex('0a0100 020103 020105 010100'),
    filter,
    tlv(0x30, Buffer.concat(types.map((type) => tlv(0x04, bytes(type))))),
  ])
  const message = tlv(0x30, Buffer.concat([hex('020101'), tlv(0x63, request)]))
  const isDone = (received: Buffer) => operationsOf(received).some(({ tag }) => tag === searchDone)
  const received = await context.exchange(message, { enough: isDone })
  if (!received) return undefined
  const operations = operationsOf(received)
  if (operations.length === 0) return undefined
  return operations.filter(({ tag }) => tag === searchEntry).map(({ content }) => entryOf(content))
}

function operationsOf(received: Buffer): readonly BerElement[] {
  return [...berElements(received)].flatMap(({ content }) => [...berElements(content)].slice(1, 2))
}

function entryOf(content: Buffer): Entry {
  const [name, list] = berElements(content)
  const attributes = [...berElements(list?.content ?? Buffer.alloc(0))].map((attribute) => {
    const [type, values] = berElements(attribute.content)
    const texts = [...berElements(values?.content ?? Buffer.alloc(0))].map((value) => value.content.toString('latin1'))
    return [type?.content.toString('latin1').toLowerCase() ?? '', texts] as const
  })
  return { name: name?.content.toString('latin1') ?? '', attributes: new Map(attributes) }
}
