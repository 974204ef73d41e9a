/** What the real laboratory is made of: one row is one program with a weakness, on an address of its own. */
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface Row {
  readonly id: string
  /** `name@version` for npm, package names for Debian; traps are our own. */
  readonly packages: readonly string[]
  /** TCP ports that are open once it runs, as `address:port`. */
  readonly listens: readonly string[]
  /** Writes what the program needs into the folder and says how to start it. */
  prepare(place: RowPlace): Program
}
export interface RowPlace {
  /** Of this run and this row; the working folder of the program. Everyone may read it. */
  readonly folder: string
  /** Where the packages of this row were installed; for Debian the folder of unpacked packages. */
  readonly packages: string
  /** A Node for programs of npm. */
  readonly node: string
}
export interface Program {
  readonly command: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** Run as this user instead of root. */
  readonly user?: string
  /** What must run and end before it, such as a database's initialisation. */
  readonly before?: readonly (readonly string[])[]
  /** Of a program that leaves its process group: the file in which it says its process id. */
  readonly pidFile?: string
  /** What runs once it listens; tried until it succeeds. */
  readonly after?: readonly (readonly string[])[]
}

/** Writes a file below the folder, with the folders above it. */
export function put(folder: string, path: string, text: string, mode = 0o644): string {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, mode)
  return file
}

/** An npm program finds its packages beside its working folder. */
export function linkModules({ folder, packages }: RowPlace, below = ''): void {
  const link = join(folder, below, 'node_modules')
  mkdirSync(dirname(link), { recursive: true })
  if (!existsSync(link)) symlinkSync(join(packages, 'node_modules'), link)
}

/** A web root that somebody deployed without looking: repository, settings, a dump of the database. */
export function carelessSite(folder: string, { withIndex = true } = {}): string {
  const root = join(folder, 'www')
  put(
    root,
    '.git/config',
    '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n[remote "origin"]\n\turl = https://git.lab.test/app.git\n',
  )
  put(root, '.git/HEAD', 'ref: refs/heads/main\n')
  put(
    root,
    '.env',
    `APP_NAME=lab\nAPP_ENV=production\nAPP_KEY=base64:${Buffer.from('lab'.repeat(11)).toString('base64')}\nDB_HOST=localhost\nDB_USERNAME=lab\nDB_PASSWORD=lab-secret\n`,
  )
  put(root, 'backup/dump.sql', '-- MySQL dump 10.13\nCREATE TABLE `users` (id int);\nINSERT INTO `users` VALUES (1);\n')
  if (withIndex) put(root, 'index.html', '<html><head><title>lab</title></head><body>lab</body></html>\n')
  return root
}
