/** Inventory: hosts, their services, and installed software. */
export { describeHosts, getHost, type Targets } from '#inventory/hosts.ts'
export { listHosts } from '#inventory/host-list.ts'
export { mergeHosts, splitHost, splitHostsOfTargets, updateHost } from '#inventory/host-changes.ts'
export { refreshEndOfLife } from '#inventory/end-of-life.ts'
export { exportProducts } from '#inventory/export.ts'
export { getProduct, listProducts } from '#inventory/products.ts'
export { listProductThreats } from '#inventory/product-threats.ts'
export { searchSoftware } from '#inventory/software.ts'
export { deleteProduct, updateProduct, watchProduct } from '#inventory/watched-products.ts'
export {
  type HostPackages,
  hostsOfMachine,
  machineHostRows,
  machinesAmong,
  type MachineHost,
  packagesOnHosts,
} from '#inventory/machine.ts'
export { getAgentInventory, listAgentPackages } from '#inventory/machine-list.ts'
export { deleteMachine, recordMachine } from '#inventory/machine-record.ts'
export { refreshPackageThreats, type VulnerablePackage } from '#inventory/package-threats.ts'
export { recordInventory } from '#inventory/record.ts'
export { subtractTargetHosts } from '#inventory/host-counts.ts'
export { hostTimeline } from '#inventory/timeline.ts'
