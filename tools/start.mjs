/**
 * `npm start`: installs what is missing, builds the portal when it has changed, starts Glacis.
 * The second start finds both done and needs no network.
 */
const oldest = 20
if (Number(process.versions.node.split('.')[0]) < oldest) {
  console.error(
    `Glacis needs Node ${oldest} or newer to install itself, and this is Node ${process.versions.node}; see https://nodejs.org.`,
  )
  process.exit(1)
} else {
  // Loaded late, because an older Node could not even read it.
  void import('./prepare.mjs').then(({ start }) => start())
}
