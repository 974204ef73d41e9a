/** What an agent reports about its own machine. */
import { z } from 'zod/mini'
import { endpoint } from '#endpoint.ts'

const text = (max: number) => z.string().check(z.maxLength(max))
const port = z.int().check(z.minimum(1), z.maximum(65_535))

export const PackageManager = z.enum(['dpkg', 'rpm', 'apk'])
export type PackageManager = z.infer<typeof PackageManager>

export const InventoryPackage = z.object({
  kind: z.literal('package'),
  manager: PackageManager,
  name: text(200),
  version: text(200),
  architecture: text(40),
  /** The source package and its version. */
  source: text(200),
  sourceVersion: text(200),
})
export type InventoryPackage = z.infer<typeof InventoryPackage>
export const InventorySocket = z.object({
  kind: z.literal('socket'),
  transport: z.enum(['tcp', 'udp']),
  /** The local address; `0.0.0.0` or `::` for all. */
  address: text(64),
  port,
  /** Name of the process; empty if the agent isn't permitted to read it. */
  process: text(64),
})
export type InventorySocket = z.infer<typeof InventorySocket>
export const InventoryContainer = z.object({
  kind: z.literal('container'),
  id: text(128),
  name: text(255),
  /** The name used when the container was created, such as `nginx:1.27`. */
  image: text(500),
  /** Digest of the image. */
  imageId: text(200),
  /** Ports published on the machine. */
  ports: z.array(port).check(z.maxLength(200)),
})
export type InventoryContainer = z.infer<typeof InventoryContainer>
export const InventoryItem = z.discriminatedUnion('kind', [InventoryPackage, InventorySocket, InventoryContainer])
export type InventoryItem = z.infer<typeof InventoryItem>

/** The machine itself. */
export const Machine = z.object({
  /** `ID`, `VERSION_ID`, and `PRETTY_NAME` of os-release(5); empty if unknown. */
  systemId: text(40),
  systemVersion: text(40),
  systemName: text(200),
  /** Release of the running kernel. */
  kernel: text(100),
  addresses: z.array(text(64)).check(z.maxLength(256)),
})
export type Machine = z.infer<typeof Machine>

/** Limits on an inventory. */
export const inventoryLimits = {
  /** Added and removed items per part. */
  partItemsMax: 2000,
  packagesMax: 20_000,
  socketsMax: 2000,
  containersMax: 1000,
} as const

/**
 * One part of the changes since the last reported state of a machine, or of its complete inventory. Each part names the
 * state that it applies to and the state that it results in, so that lost and repeated parts are recognized.
 */
export const reportAgentInventory = endpoint({
  method: 'POST',
  path: '/v1/agent/inventory',
  summary: "Report the inventory of an agent's machine",
  description:
    "Changes since the state with the digest `base`; without `base`, the complete inventory. `isFullNeeded` in the response means that the server's state differs, so the agent must send the complete inventory. `409` if the inventory is turned off for this agent.",
  input: z.strictObject({
    /** Digest of the state that the changes apply to; absent to replace the inventory. */
    base: z.optional(text(100)),
    /** Digest of the state with the changes. */
    digest: text(100),
    /** The packages are matched against advisories after the last part. */
    isLast: z.boolean(),
    machine: Machine,
    /** A changed item is removed and added. */
    removed: z.array(InventoryItem).check(z.maxLength(inventoryLimits.partItemsMax)),
    added: z.array(InventoryItem).check(z.maxLength(inventoryLimits.partItemsMax)),
  }),
  result: z.object({ isFullNeeded: z.boolean() }),
})
