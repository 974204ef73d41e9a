/** The lab consists of rows. A row is one program with a weakness, on its own address. */
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface Row {
  readonly id: string
  /** `name@version` for npm, package names for Debian; empty for our own trap servers. */
  readonly packages: readonly string[]
  /** TCP ports that are open once it runs, as `address:port`. */
  readonly listens: readonly string[]
  /** Writes the program's files to the folder and returns how to start it. */
  prepare(context: RowContext): Program
}
export interface RowContext {
  /** The working folder of the program in this run, readable by all users. */
  readonly folder: string
  /** Where the packages of this row were installed or unpacked. */
  readonly packages: string
  /** The Node that runs npm programs. */
  readonly node: string
}
export interface Program {
  readonly command: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** User to run as instead of root. */
  readonly user?: string
  /** Commands that must complete before the start, such as initializing a database. */
  readonly before?: readonly (readonly string[])[]
  /** The file with the process id of a program that leaves its process group. */
  readonly pidFile?: string
  /** Commands to run once it listens, retried until they succeed. */
  readonly after?: readonly (readonly string[])[]
}

/** Writes a file below the folder, creating parent folders. */
export function put(folder: string, path: string, text: string, mode = 0o644): string {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, mode)
  return file
}

/** Links the packages next to the program's working folder. */
export function linkModules({ folder, packages }: RowContext, below = ''): void {
  const link = join(folder, below, 'node_modules')
  mkdirSync(dirname(link), { recursive: true })
  if (!existsSync(link)) symlinkSync(join(packages, 'node_modules'), link)
}

/** A web root with exposed files: repository, settings, and a database dump. */
export function exposedSite(folder: string, { withIndex = true } = {}): string {
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
