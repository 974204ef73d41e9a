/** The calls of the contract by name. */
import * as access from '@glacis/contract/access'
import * as subscription from '@glacis/contract/subscription'
import * as agent from '@glacis/contract/agent'
import * as channel from '@glacis/contract/channel'
import type { Endpoint } from '@glacis/contract/endpoint'
import * as host from '@glacis/contract/host'
import * as insights from '@glacis/contract/insights'
import * as installation from '@glacis/contract/installation'
import * as invitation from '@glacis/contract/invitation'
import * as issue from '@glacis/contract/issue'
import { type CallName, permissions } from '@glacis/contract/permissions'
import * as product from '@glacis/contract/product'
import * as provisioning from '@glacis/contract/provisioning'
import * as scan from '@glacis/contract/scan'
import * as search from '@glacis/contract/search'
import * as signInProvider from '@glacis/contract/sign-in-provider'
import * as tag from '@glacis/contract/tag'
import * as target from '@glacis/contract/target'
import * as triage from '@glacis/contract/triage'
import * as view from '@glacis/contract/view'
import * as workspace from '@glacis/contract/workspace'

const modules = { ...access, ...subscription, ...agent, ...channel, ...host, ...insights, ...invitation, ...issue }
const moreModules = {
  ...installation,
  ...product,
  ...provisioning,
  ...scan,
  ...search,
  ...signInProvider,
  ...tag,
  ...target,
  ...triage,
  ...view,
  ...workspace,
}
const names = new Map<unknown, string>(
  Object.entries({ ...modules, ...moreModules }).map(([name, value]) => [value, name]),
)

/**
 * The name of an endpoint in the table of permissions.
 *
 * @throws Error at startup for an endpoint without a line in that table
 */
export function callNameOf(endpoint: Endpoint): CallName {
  const name = names.get(endpoint)
  if (name === undefined || !isCallName(name))
    throw new Error(`${endpoint.method} ${endpoint.path} has no line in the table of permissions`)
  return name
}

function isCallName(name: string): name is CallName {
  return Object.hasOwn(permissions, name)
}
