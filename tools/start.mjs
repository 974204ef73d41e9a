/**
 * `npm start`: installs missing dependencies, builds the portal if it has changed, and starts Glacis. A second start
 * skips both and needs no network.
 */
const minimumMajor = 20
if (Number(process.versions.node.split('.')[0]) < minimumMajor) {
  console.error(
    `Glacis needs Node.js ${minimumMajor} or later to install itself. This is Node.js ${process.versions.node}; get a later one from https://nodejs.org.`,
  )
  process.exit(1)
} else {
  // Imported dynamically, because older versions can't parse it.
  void import('./prepare.mjs').then(({ start }) => start())
}
