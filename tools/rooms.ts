/**
 * The import rules of the house, as an oxlint plugin.
 *
 * A room is a folder of a workspace's `src`, or a single file there. It may open the doors that
 * the table gives it and nothing else; a folder's door is its `index.ts`. What stands in `ground`
 * is open to every room. See ARCHITECTURE.md.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

interface Floor {
  readonly rooms: Readonly<Record<string, readonly string[]>>
  readonly ground: readonly string[]
  /** Files that wire everything and may open every door. */
  readonly hall: readonly string[]
}

const nouns = [
  'targets',
  'agents',
  'hosts',
  'products',
  'scans',
  'issues',
  'graph',
  'billing',
  'channels',
  'overview',
  'onboarding',
]
const queriesOf = (self: string) => nouns.filter((noun) => noun !== self).map((noun) => `${noun}/queries`)

const serverNouns = [
  'scans',
  'reports',
  'issues',
  'targets',
  'agents',
  'inventory',
  'packs',
  'threats',
  'stats',
  'graph',
  'billing',
  'notifications',
  'audit',
  'tokens',
  'accounts',
  'views',
  'search',
]

const house: Readonly<Record<string, Floor>> = {
  'apps/server': {
    hall: [
      'main',
      'cli',
      'commands',
      'serve',
      'compose',
      'every-migration',
      'config',
      'settings',
      'setting-values',
      'portal-config',
      'testing',
    ],
    ground: ['database', 'ctx', 'each', 'errors', 'log', 'obstacle', 'sarif', 'version'],
    rooms: {
      http: [...serverNouns, 'idempotency', 'jobs', 'live'],
      background: [
        'scans',
        'issues',
        'stats',
        'packs',
        'notifications',
        'jobs',
        'live',
        'targets',
        'agents',
        'idempotency',
      ],
      scans: ['targets', 'agents', 'inventory', 'issues', 'packs', 'billing', 'jobs', 'audit', 'notifications'],
      reports: ['scans', 'issues', 'inventory', 'targets'],
      issues: ['threats', 'inventory', 'notifications', 'jobs', 'audit'],
      packs: ['threats', 'jobs'],
      targets: ['agents', 'billing', 'audit'],
      agents: ['billing', 'audit', 'notifications'],
      inventory: ['audit'],
      billing: ['audit'],
      notifications: ['jobs', 'mail', 'audit'],
      tokens: ['audit'],
      deletions: [],
      callbacks: ['endpoints'],
    },
  },
  'apps/portal': {
    hall: ['boot', 'main', 'config'],
    ground: ['ui', 'api', 'lib', 'styles'],
    rooms: {
      routes: ['shell', 'identity', 'profile', ...nouns],
      shell: ['identity/session', ...queriesOf('shell')],
      profile: ['identity'],
      identity: [],
      ui: ['lib'],
      api: ['lib'],
      lib: [],
      ...Object.fromEntries(nouns.map((noun) => [noun, queriesOf(noun)])),
      // Who "mine" is.
      issues: [...queriesOf('issues'), 'identity/session'],
      channels: [...queriesOf('channels'), 'identity/session'],
    },
  },
}

interface Context {
  readonly filename: string
  readonly cwd: string
  report(problem: { node: unknown; message: string }): void
}
interface ImportNode {
  readonly source: { readonly value: unknown } | null
}

const plugin = {
  meta: { name: 'house' },
  rules: {
    doors: onImport((context, node, source) => {
      const here = place(context.cwd, context.filename)
      const there = here && place(context.cwd, target(context, source))
      if (!here || !there || here.room === there.room || here.floor.hall.includes(here.room)) return
      if (there.room === 'testing' && isTest(context.filename)) return
      const isGround = here.floor.ground.includes(there.room)
      const allowed = here.floor.rooms[here.room] ?? []
      if (isGround || allowed.includes(there.path)) return
      if (!allowed.includes(there.room)) {
        context.report({ node, message: `${here.room} may not open ${there.room}` })
      } else if (
        here.workspace === 'apps/server' &&
        there.path !== there.room &&
        there.path !== `${there.room}/index`
      ) {
        context.report({ node, message: `enter ${there.room} by its index.ts` })
      }
    }),

    imports: onImport((context, node, source) => {
      if (/^[.#]/.test(source)) {
        if (/\.jsx?$/.test(source)) context.report({ node, message: 'name the .ts file; Node runs it as it is' })
        return
      }
      if (source.startsWith('node:')) return
      const workspace = workspaceOf(context.filename)
      const name = source
        .split('/')
        .slice(0, source.startsWith('@') ? 2 : 1)
        .join('/')
      // What stands outside every workspace drives them all.
      if (workspace === context.cwd && name.startsWith('@glacis/')) return
      if (declaredBy(workspace).has(name) || (isTest(context.filename) && declaredBy(context.cwd).has(name))) return
      context.report({ node, message: `${relative(context.cwd, workspace)} does not declare ${name}` })
    }),
  },
}
export default plugin

type Check = (context: Context, node: ImportNode, source: string) => void

function onImport(check: Check) {
  return {
    create(context: Context) {
      const visit = (node: ImportNode) => {
        if (typeof node.source?.value === 'string') check(context, node, node.source.value)
      }
      return {
        ImportDeclaration: visit,
        ImportExpression: visit,
        ExportNamedDeclaration: visit,
        ExportAllDeclaration: visit,
      }
    },
  }
}

/** Tests, what they stand on, and the configuration of tools may use what the root declares. */
function isTest(file: string): boolean {
  return /(\.test|\.config|\/testing\/[\w-]+)\.tsx?$/.test(file)
}

/** Where an import leads, as an absolute path; package imports lead nowhere in the house. */
function target(context: Context, source: string): string {
  if (source.startsWith('#')) return join(workspaceOf(context.filename), 'src', source.slice(1))
  return source.startsWith('.') ? resolve(dirname(context.filename), source) : ''
}

function place(cwd: string, file: string) {
  const [, workspace = '', path = ''] = /^(\w+\/\w+)\/src\/(.+?)\.tsx?$/.exec(relative(cwd, file)) ?? []
  const floor = house[workspace]
  // A test beside a room that is one file belongs to that room.
  return floor && { workspace, floor, path, room: path.split('/')[0]?.replace(/\.test$/, '') ?? '' }
}

const declared = new Map<string, ReadonlySet<string>>()
function declaredBy(workspace: string): ReadonlySet<string> {
  const known = declared.get(workspace)
  if (known) return known
  const manifest: Record<string, Record<string, string> | undefined> = JSON.parse(
    readFileSync(join(workspace, 'package.json'), 'utf8'),
  )
  const names = new Set(['dependencies', 'devDependencies'].flatMap((field) => Object.keys(manifest[field] ?? {})))
  declared.set(workspace, names)
  return names
}

function workspaceOf(file: string): string {
  let folder = dirname(file)
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
}
