/**
 * `npm run release [folder]`: writes the release of the current commit: source archive, SBOM, licenses, provenance, and
 * digests. The output depends only on the commit, so anyone can reproduce it and compare the digests. Before it writes
 * anything, it searches for secrets, validates the SBOM, and checks the registry for advisories; `--skip-audit` skips
 * the advisories, to reproduce a release offline.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { root } from './node.mjs'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const name = `glacis-${version}`
if (output('git', 'status', '--porcelain')) {
  console.error('The working tree has uncommitted changes. Commit or stash them: a release is built from a commit.')
  process.exit(1)
}
const { positionals, values } = parseArgs({ allowPositionals: true, options: { 'skip-audit': { type: 'boolean' } } })
if (!values['skip-audit']) check('npm', 'audit', '--omit=dev')
check(process.execPath, 'tools/secrets.mjs')
const commit = output('git', 'rev-parse', 'HEAD').trim()
const committedAt = new Date(output('git', 'log', '-1', '--format=%cI').trim()).toISOString()
const folder = resolve(positionals[0] ?? join(root, 'dist/release'))

const archive = archiveOf(commit)
const bom = billOfMaterials(archive)
await validate(bom)
const contents = {
  [`${name}.tar.gz`]: archive,
  [`${name}.cdx.json`]: json(bom),
  [`${name}.licenses.txt`]: licenses(bom),
}
contents[`${name}.intoto.json`] = json(provenance(contents))
mkdirSync(folder, { recursive: true })
for (const [file, content] of Object.entries(contents)) writeFileSync(join(folder, file), content)
const sums = Object.entries(contents).map(([file, content]) => `${sha256(content)}  ${file}\n`)
writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''))
process.stdout.write(sums.join(''))

/** Git sorts the files and sets owners and times from the commit. */
function archiveOf(tree) {
  const options = { cwd: root, maxBuffer: 2 ** 31 - 1 }
  const tar = execFileSync(
    'git',
    ['-c', 'tar.umask=0022', '-c', 'core.autocrlf=false', 'archive', '--format=tar', `--prefix=${name}/`, tree],
    options,
  )
  const packed = gzipSync(tar, { level: 9 })
  // The header names the operating system; 255 is "unknown".
  packed[9] = 255
  return packed
}

/** npm's SBOM of the dependencies of an installation, without its random serial number and the current time. */
function billOfMaterials(content) {
  const bill = withoutDevelopment(
    JSON.parse(output('npm', 'sbom', '--sbom-format', 'cyclonedx', '--package-lock-only')),
  )
  const hex = sha256(content)
  bill.serialNumber = `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  bill.metadata.timestamp = committedAt
  bill.metadata.component.name = 'glacis'
  bill.metadata.component.type = 'application'
  return bill
}

/** `npm sbom --omit dev` would also omit dependencies that something else uses for development. */
function withoutDevelopment(bill) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const installed = Object.entries(packages).flatMap(([path, { name: ownName, version: ownVersion, dev }]) =>
    dev ? [] : [`${ownName ?? path.split('node_modules/').at(-1)}@${ownVersion}`],
  )
  const references = new Set([bill.metadata.component['bom-ref'], ...installed])
  const components = bill.components.filter((component) => references.has(component['bom-ref']))
  const dependencies = bill.dependencies.flatMap(({ ref, dependsOn }) =>
    references.has(ref) ? [{ ref, dependsOn: dependsOn.filter((other) => references.has(other)) }] : [],
  )
  return { ...bill, components: components.map(withoutDevelopmentMark), dependencies }
}

/** npm marks a package that is installed twice if only one of the two is for development. */
function withoutDevelopmentMark(component) {
  return { ...component, properties: component.properties.filter(({ name: key }) => !key.endsWith(':development')) }
}

/** Against the schema of the CycloneDX project. */
async function validate(bill) {
  const error = await new Validation.JsonStrictValidator(Spec.Version.v1dot5).validate(json(bill))
  if (error === null) return
  console.error('The SBOM is invalid:', error)
  process.exit(1)
}

function licenses({ components }) {
  const others = components.filter(({ properties }) => !properties.some(({ name: key }) => key.endsWith(':private')))
  const lines = others.map((component) => `${component.name} ${component.version}: ${licenseOf(component)}\n`)
  return lines.toSorted().join('')
}

function licenseOf({ licenses: list = [] }) {
  return list.map(({ license, expression }) => expression ?? license?.id ?? license?.name).join(', ') || 'not stated'
}

/** An unsigned SLSA statement: which commit the files were built from. */
function provenance(files) {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: Object.entries(files).map(([file, content]) => ({ name: file, digest: { sha256: sha256(content) } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:glacis:release:1',
        externalParameters: { version },
        resolvedDependencies: [{ name: 'source', digest: { gitCommit: commit } }],
      },
      runDetails: { builder: { id: 'urn:glacis:release:local' } },
    },
  }
}

/** Runs a program, and ends this one if it fails. */
function check(program, ...args) {
  try {
    execFileSync(program, args, { cwd: root, stdio: 'inherit' })
  } catch {
    console.error(`"${[program, ...args].join(' ')}" failed, so no release was written.`)
    process.exit(1)
  }
}

function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`
}

function sha256(content) {
  return createHash('sha256').update(content).digest('hex')
}

function output(program, ...args) {
  return execFileSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 })
}
