/** Installs programs with the ordinary clients of their registries. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Entry, Install } from './entry.ts'

export type VariantName = 'weak' | 'hardened'

const timeoutMs = 240_000
/** For programs that are compiled from source. */
const buildTimeoutMs = 900_000

/** The folder of a variant's packages. */
export function packagesFolder(cache: string, entry: Entry, variant: VariantName): string {
  return join(cache, 'packages', entry[variant]?.install ? `${entry.id}-${variant}` : entry.id)
}

/**
 * @param canDownload false where there is no network; missing packages are only reported
 * @returns the reasons why entries can't be installed, by entry
 */
export function install(
  cache: string,
  entries: readonly Entry[],
  { canDownload, log }: { canDownload: boolean; log: (line: string) => void },
): Map<string, string> {
  const problems = new Map<string, string>()
  if (canDownload) installDebian(entries, log)
  for (const entry of entries) {
    for (const variant of ['weak', 'hardened'] as const) {
      if (!entry[variant]) continue
      const needed = entry[variant].install ?? entry.install
      const problem = canDownload
        ? installPackages(packagesFolder(cache, entry, variant), needed, `${entry.id} ${variant}`, log)
        : missingPackages(packagesFolder(cache, entry, variant), needed)
      if (problem) problems.set(entry.id, problem)
    }
  }
  return problems
}

function missingPackages(folder: string, { apt, ...local }: Install): string | undefined {
  const missing = apt.filter((item) => !isInstalled(item))
  if (missing.length > 0) return `${missing.join(' ')} could not be installed`
  const stamp = join(folder, 'installed')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === JSON.stringify(local)) return undefined
  return 'its packages could not be installed'
}

function installPackages(folder: string, needed: Install, name: string, log: (line: string) => void) {
  const missing = needed.apt.filter((item) => !isInstalled(item))
  if (missing.length > 0) return `${missing.join(' ')} could not be installed`
  const compiler = compilerOf(needed)
  if (compiler && spawnSync(compiler, ['--help']).error) return `${compiler} is not installed`
  const { apt: _, ...local } = needed
  const stamp = join(folder, 'installed')
  const spec = JSON.stringify(local)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === spec) return undefined
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const steps = stepsOf(needed)
  if (steps.length > 0) log(`Installing ${name}`)
  for (const step of steps) {
    const { status, stdout, stderr } = spawnSync('sh', ['-ec', step], {
      cwd: folder,
      encoding: 'utf8',
      timeout: compiler ? buildTimeoutMs : timeoutMs,
    })
    if (status !== 0) return `${step.split(' ', 1)[0]} failed: ${lastLine(stderr) || lastLine(stdout) || status}`
  }
  writeFileSync(stamp, spec)
  return undefined
}

function compilerOf({ go, goMain, cargo }: Install): 'go' | 'cargo' | undefined {
  if (go.length > 0 || goMain !== '') return 'go'
  return cargo.length > 0 ? 'cargo' : undefined
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 200) ?? ''
}

/** Shell commands that install the packages to the current folder. */
function stepsOf(needed: Install): string[] {
  const { unpack, npm, npmOverrides, pip, maven, mavenDependencies, cargo } = needed
  const steps: string[] = []
  if (unpack.length > 0) {
    steps.push(`apt-get download ${unpack.join(' ')}`, 'for file in *.deb; do dpkg -x "$file" .; done')
  }
  if (npm.length > 0) {
    writeStep(steps, 'package.json', JSON.stringify({ name: 'lab-program', private: true, overrides: npmOverrides }))
    steps.push(`npm install --no-audit --no-fund --loglevel=error ${npm.map(quoted).join(' ')}`)
  }
  if (pip.length > 0) {
    steps.push('python3 -m venv venv', `venv/bin/pip install --quiet ${pip.map(quoted).join(' ')}`)
  }
  if (maven.length > 0)
    steps.push(...(mavenDependencies ? dependencySteps(maven) : maven.map(mavenStep)), unpackArchives)
  if (compilerOf(needed) === 'go') steps.push(...goSteps(needed))
  steps.push(...cargo.map((crate) => `cargo install --quiet --locked --root . ${quoted(crate)}`))
  return steps
}

function mavenStep(artifact: string): string {
  return `mvn -q -B dependency:copy -Dartifact=${quoted(artifact)} -DoutputDirectory=maven`
}

/** Resolves the artifacts together, as a dependent project would. Artifacts with `pom` packaging determine versions. */
function dependencySteps(artifacts: readonly string[]): string[] {
  const dependencies = artifacts.map((artifact) => {
    const [group, name, version, type = 'jar'] = artifact.split(':')
    const scope = type === 'pom' ? '<scope>import</scope>' : ''
    return `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version><type>${type}</type>${scope}</dependency>`
  })
  const [imported, direct] = [true, false].map((isImport) =>
    dependencies.filter((text) => text.includes('<scope>import') === isImport).join(''),
  )
  const steps: string[] = []
  writeStep(
    steps,
    'pom.xml',
    `<project><modelVersion>4.0.0</modelVersion><groupId>lab</groupId><artifactId>lab</artifactId><version>1</version><dependencyManagement><dependencies>${imported}</dependencies></dependencyManagement><dependencies>${direct}</dependencies></project>`,
  )
  return [...steps, 'mvn -q -B dependency:copy-dependencies -DoutputDirectory=maven']
}

/** A module that depends on the programs, because `go install` refuses modules that replace dependencies. */
function goSteps({ go, goMain, goLinker, goTags, goReplace, goFiles }: Install): string[] {
  const build = `go build -mod=mod -buildvcs=false -tags ${quoted(goTags)} -ldflags ${quoted(goLinker)} -o bin/`
  const modules = go.map((item) => {
    const [, module = '', version = '', folder = ''] = /^(.*)@([^/]*)(.*)$/.exec(item) ?? []
    return { version: `${module}@${version}`, program: `${module}${folder}`, folder }
  })
  const steps = ['go mod init lab']
  if (Object.keys(goFiles).length > 0)
    return [...steps, ...modules.flatMap((module) => sourceSteps(module, goFiles, build))]
  if (goMain !== '') writeStep(steps, 'main.go', goMain)
  steps.push(...goReplace.map((item) => `go mod edit -replace=${quoted(item)}`))
  steps.push(...modules.map(({ version }) => `go get ${quoted(version)}`))
  if (goMain !== '') return [...steps, `${build}lab .`]
  return [...steps, ...modules.map(({ program }) => `${build} ${quoted(program)}`)]
}

/** Builds in a copy of the module. The requirement in `go.mod` records its version. */
function sourceSteps(
  { version, folder }: { version: string; folder: string },
  files: Readonly<Record<string, string>>,
  build: string,
): string[] {
  const steps = [
    `go mod edit -require=${quoted(version)}`,
    'rm -rf source',
    String.raw`cp -r "$(go mod download -json ${quoted(version)} | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')" source`,
    'chmod -R u+w source',
  ]
  for (const [path, text] of Object.entries(files)) {
    steps.push(`mkdir -p source/${quoted(dirname(path))}`)
    writeStep(steps, `source/${path}`, text)
  }
  return [...steps, `cd source && ${build.replace('-o bin/', '-o ../bin/')} .${folder}`]
}

const unpackArchives = `cd maven; for file in *.zip *.tar.gz *.tgz; do
  case "$file" in '*'*) ;; *.zip) unzip -q -o "$file" && rm "$file" ;; *) tar xzf "$file" && rm "$file" ;; esac
done`

function writeStep(steps: string[], file: string, text: string): void {
  steps.push(`cat > ${file} <<'end-of-file'\n${text}\nend-of-file`)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function isInstalled(name: string): boolean {
  const { status, stdout } = spawnSync('dpkg-query', ['-W', '-f', '${Status}', name], { encoding: 'utf8' })
  return status === 0 && stdout.includes('install ok installed')
}

/** A `policy-rc.d` that exits with 101 prevents packages from starting their services. */
function installDebian(entries: readonly Entry[], log: (line: string) => void): void {
  const names = entries.flatMap((entry) =>
    [entry.install, entry.weak.install, entry.hardened?.install].flatMap((step) => step?.apt ?? []),
  )
  const missing = [...new Set(names)].filter((name) => !isInstalled(name))
  if (missing.length === 0) return
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) {
    log('Skipping Debian programs: root and apt-get are required.')
    return
  }
  const policy = '/usr/sbin/policy-rc.d'
  const isCreatedByUs = !existsSync(policy)
  if (isCreatedByUs) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  // Waits for another apt-get to finish.
  const apt = (args: readonly string[]) =>
    spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], { env, stdio: 'ignore' }).status === 0
  const installAll = (some: readonly string[]) => {
    log(`Installing with apt-get: ${some.join(' ')}`)
    return apt(['install', '-y', '--no-install-recommends', ...some])
  }
  try {
    apt(['update'])
    // One package that doesn't exist makes apt-get refuse all of them.
    if (!installAll(missing)) for (const name of missing.filter((item) => !isInstalled(item))) installAll([name])
  } finally {
    if (isCreatedByUs) rmSync(policy)
  }
}
