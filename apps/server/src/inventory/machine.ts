/** The machines that agents run on, and the hosts with their addresses. */
import { detectablePackages, type InstalledPackage } from '@glacis/intelligence'
import type { Ctx } from '#ctx.ts'
import { type RawBuilder, sql } from 'kysely'

export interface MachineHost {
  readonly hostId: string
  readonly targetId: string
  readonly address: string
  readonly agentId: string
}

/**
 * Rows `host_id, target_id, address, agent_id`: hosts with an address of the machine of the agent that scans them. The
 * same address in another agent's target can be another machine.
 */
export const machineHostRows = (ctx: Ctx) => sql`
  select host.id as host_id, host.target_id, host.address, agent_inventory.agent_id
  from agent_inventory
  join target on target.account_id = agent_inventory.account_id and target.agent_id = agent_inventory.agent_id
    and target.deleted_at is null
  join host on host.account_id = target.account_id and host.target_id = target.id
    and host.address = any(agent_inventory.addresses)
  where agent_inventory.account_id = ${ctx.workspace}`

/** The hosts of an agent's machine. */
export async function hostsOfMachine(ctx: Ctx, agentId: string): Promise<MachineHost[]> {
  return readHosts(ctx, sql`machine.agent_id = ${agentId}`)
}

/** The hosts among these that are machines of agents with an inventory. */
export async function machinesAmong(ctx: Ctx, hostIds: readonly string[]): Promise<MachineHost[]> {
  return hostIds.length === 0 ? [] : readHosts(ctx, sql`machine.host_id = any(${hostIds}::uuid[])`)
}

async function readHosts(ctx: Ctx, condition: RawBuilder<unknown>): Promise<MachineHost[]> {
  const { rows } = await sql<MachineHost>`
    select machine.host_id as "hostId", machine.target_id as "targetId", machine.address, machine.agent_id as "agentId"
    from (${machineHostRows(ctx)}) as machine
    where ${condition}
    order by machine.address, machine.host_id`.execute(ctx.tx)
  return rows
}

/** What the inventory reports about software that scans find on a host. */
export interface HostPackages {
  /** Packages that scans can detect. */
  readonly packages: readonly InstalledPackage[]
  /** Ports that containers publish: their software is not from these packages. */
  readonly containerPorts: ReadonlySet<number>
}

/** By host; only hosts of machines with a complete inventory. */
export async function packagesOnHosts(
  ctx: Ctx,
  hostIds: readonly string[],
): Promise<ReadonlyMap<string, HostPackages>> {
  if (hostIds.length === 0) return new Map()
  const { rows } = await sql<{ host_id: string; packages: InstalledPackage[] | null; ports: number[] | null }>`
    select machine.host_id,
      (select jsonb_agg(jsonb_build_object(
          'name', name, 'version', version, 'source', source, 'sourceVersion', source_version,
          'release', agent_inventory.release) order by name)
        from agent_package
        where agent_package.account_id = ${ctx.workspace} and agent_package.agent_id = machine.agent_id
          and source = any(${detectablePackages}::text[])) as packages,
      (select array_agg(port) from agent_container cross join unnest(ports) as port
        where agent_container.account_id = ${ctx.workspace} and agent_container.agent_id = machine.agent_id) as ports
    from (${machineHostRows(ctx)}) as machine
    join agent_inventory on agent_inventory.account_id = ${ctx.workspace}
      and agent_inventory.agent_id = machine.agent_id and agent_inventory.is_complete
    where machine.host_id = any(${hostIds}::uuid[])`.execute(ctx.tx)
  return new Map(rows.map((row) => [row.host_id, { packages: row.packages ?? [], containerPorts: new Set(row.ports) }]))
}
