/** The capabilities of the SCIM service (RFC 7643, sections 5 to 7). */
import { countMax } from '#workspaces/provisioning/list-query.ts'
import { type Resource, groupSchema, userSchema } from '#workspaces/provisioning/resource.ts'

const schemaOf = (name: string) => `urn:ietf:params:scim:schemas:core:2.0:${name}`

export function serviceProviderConfig(url: string): Resource {
  return {
    schemas: [schemaOf('ServiceProviderConfig')],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: countMax },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'A provisioning token of the workspace, created by an owner or admin.',
        specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${url}/ServiceProviderConfig` },
  }
}

export function resourceTypes(url: string): readonly Resource[] {
  const types = [
    { name: 'User', description: 'User account', schema: userSchema },
    { name: 'Group', description: 'Group of users', schema: groupSchema },
  ]
  return types.map(({ name, description, schema }) => ({
    schemas: [schemaOf('ResourceType')],
    id: name,
    name,
    description,
    endpoint: `/${name}s`,
    schema,
    meta: { resourceType: 'ResourceType', location: `${url}/ResourceTypes/${name}` },
  }))
}

export function schemas(url: string): readonly Resource[] {
  const described = [
    { id: userSchema, name: 'User', description: 'User account', attributes: userAttributes },
    { id: groupSchema, name: 'Group', description: 'Group of users', attributes: groupAttributes },
  ]
  return described.map((schema) => ({
    schemas: [schemaOf('Schema')],
    ...schema,
    meta: { resourceType: 'Schema', location: `${url}/Schemas/${schema.id}` },
  }))
}

const attribute = (name: string, description: string, more: Resource = {}) => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
})
/** Complex attributes and booleans have no case. */
const complex = (name: string, description: string, subAttributes: readonly Resource[], more: Resource = {}) => {
  const { caseExact: _, ...rest } = attribute(name, description)
  return { ...rest, type: 'complex', subAttributes, ...more }
}
const flag = (name: string, description: string) => {
  const { caseExact: _, ...rest } = attribute(name, description)
  return { ...rest, type: 'boolean' }
}

const userAttributes: readonly Resource[] = [
  attribute('userName', 'Unique name, such as the email address', { required: true, uniqueness: 'server' }),
  complex('name', 'Name of the user', [
    attribute('formatted', 'Full name'),
    attribute('familyName', 'Family name'),
    attribute('givenName', 'Given name'),
    attribute('middleName', 'Middle name'),
    attribute('honorificPrefix', 'Title, such as Dr.'),
    attribute('honorificSuffix', 'Suffix, such as III'),
  ]),
  attribute('displayName', 'Display name'),
  { ...flag('active', 'Whether the user has access to the workspace'), required: true },
  complex(
    'emails',
    'Email addresses; the user signs in with the primary one',
    [
      attribute('value', 'Address'),
      attribute('display', 'Display name'),
      attribute('type', 'Kind, such as work', { canonicalValues: ['work', 'home', 'other'] }),
      flag('primary', 'Whether it is the primary address'),
    ],
    { multiValued: true },
  ),
  complex(
    'groups',
    'Groups of the user',
    [
      attribute('value', 'ID of the group', { mutability: 'readOnly', caseExact: true }),
      attribute('$ref', 'URL of the group', {
        type: 'reference',
        referenceTypes: ['Group'],
        mutability: 'readOnly',
        caseExact: true,
      }),
      attribute('display', 'Name of the group', { mutability: 'readOnly' }),
      attribute('type', 'Kind of membership', { mutability: 'readOnly', canonicalValues: ['direct'] }),
    ],
    { multiValued: true, mutability: 'readOnly' },
  ),
]

const groupAttributes: readonly Resource[] = [
  attribute('displayName', 'Name of the group, used to map it to a role', { required: true }),
  complex(
    'members',
    'Users in the group',
    [
      attribute('value', 'ID of the user', { mutability: 'immutable', caseExact: true, required: true }),
      attribute('$ref', 'URL of the user', {
        type: 'reference',
        referenceTypes: ['User'],
        mutability: 'immutable',
        caseExact: true,
      }),
      attribute('type', 'Kind of member', { mutability: 'readOnly', canonicalValues: ['User'] }),
    ],
    { multiValued: true },
  ),
]
