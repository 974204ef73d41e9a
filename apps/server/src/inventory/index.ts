/** Inventory: hosts, the services on them, and the software they run. */
export { describeHosts, getHost, listHosts, type Targets } from '#inventory/hosts.ts'
export { getProduct, listProducts } from '#inventory/products.ts'
export { recordInventory } from '#inventory/record.ts'
