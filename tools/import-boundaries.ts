/**
 * Import boundaries, as an oxlint plugin.
 *
 * A module is a folder directly under a workspace's `src`, or a single file there. It may import the
 * modules that the table lists for it and nothing else; a folder's public API is its `index.ts`.
 * Every module may import the `shared` ones. See ARCHITECTURE.md.
 */
import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

interface WorkspaceRules {
  /** Module → the modules it may import. */
  readonly imports: Readonly<Record<string, readonly string[]>>
  readonly shared: readonly string[]
  /** Files that wire everything together and may import any module and any file. */
  readonly entryPoints: readonly string[]
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
  'workspaces',
  'installation',
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
  'audit-export',
  'tokens',
  'workspaces',
  'installation',
  'views',
  'search',
]

const rulesByWorkspace: Readonly<Record<string, WorkspaceRules>> = {
  'apps/server': {
    entryPoints: [
      'main',
      'cli',
      'commands',
      'serve',
      'compose',
      'config',
      'settings',
      'setting-values',
      'portal-config',
      'testing',
    ],
    shared: [
      'bearer',
      'database',
      'csv',
      'ctx',
      'for-each-settled',
      'errors',
      'files-below',
      'egress-policy',
      'log',
      'networks',
      'cli-error',
      'error-code',
      'sarif',
      'scan-networks',
      'time-zone',
      'tracing',
      'version',
    ],
    imports: {
      http: [...serverNouns, 'idempotency', 'jobs', 'live'],
      background: [
        'backups',
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
        'audit',
        'workspaces',
        'request-counts',
      ],
      'identity-audit': ['audit', 'workspaces'],
      scans: ['targets', 'agents', 'inventory', 'issues', 'packs', 'billing', 'jobs', 'audit', 'notifications'],
      reports: ['scans', 'issues', 'inventory', 'targets', 'threats'],
      issues: ['threats', 'inventory', 'notifications', 'jobs', 'audit', 'mail'],
      packs: ['threats', 'jobs'],
      targets: ['agents', 'billing', 'audit'],
      agents: ['billing', 'audit', 'notifications'],
      inventory: ['audit'],
      billing: ['audit'],
      notifications: ['jobs', 'mail', 'audit'],
      tokens: ['audit'],
      'audit-export': ['audit'],
      workspaces: ['audit', 'deletions', 'installation', 'jobs', 'mail'],
      backups: ['jobs', 'lock', 'notifications'],
      installation: ['audit', 'jobs', 'mail'],
      deletions: [],
      callbacks: ['endpoints'],
      metrics: ['backups', 'jobs'],
    },
  },
  'apps/portal': {
    entryPoints: ['main', 'sign-in', 'start', 'config'],
    shared: ['ui', 'api', 'lib', 'styles'],
    imports: {
      routes: ['shell', 'identity', 'profile', ...nouns],
      shell: ['identity/session', ...queriesOf('shell')],
      profile: ['identity'],
      identity: [],
      ui: ['lib'],
      api: ['lib'],
      lib: [],
      ...Object.fromEntries(nouns.map((noun) => [noun, queriesOf(noun)])),
      // "Assigned to me" needs the current user.
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
  meta: { name: 'boundaries' },
  rules: {
    'public-api': onImport((context, node, source) => {
      const importer = moduleOf(context.cwd, context.filename)
      const imported = importer && moduleOf(context.cwd, resolveImport(context, source))
      if (!importer || !imported || importer.name === imported.name) return
      const { rules } = importer
      if (rules.entryPoints.includes(importer.name) || rules.shared.includes(imported.name)) return
      if (imported.name === 'testing' && isTest(context.filename)) return
      const allowed = rules.imports[importer.name] ?? []
      if (allowed.includes(imported.path)) return
      if (!allowed.includes(imported.name)) {
        context.report({ node, message: `${importer.name} must not import ${imported.name}` })
      } else if (
        importer.workspace === 'apps/server' &&
        imported.path !== imported.name &&
        imported.path !== `${imported.name}/index`
      ) {
        context.report({ node, message: `Import ${imported.name} through its index.ts` })
      }
    }),

    'ts-extension': onImport((context, node, source) => {
      if (/^[.#].*\.jsx?$/.test(source))
        context.report({ node, message: 'Import the .ts file; Node runs TypeScript as is' })
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

function isTest(file: string): boolean {
  return /(\.test|\.config|\/testing\/[\w-]+)\.tsx?$/.test(file)
}

/** The absolute path of an imported file; empty for packages. */
function resolveImport(context: Context, source: string): string {
  if (source.startsWith('#')) return join(workspaceOf(context.filename), 'src', source.slice(1))
  return source.startsWith('.') ? resolve(dirname(context.filename), source) : ''
}

function moduleOf(cwd: string, file: string) {
  const [, workspace = '', path = ''] = /^(\w+\/\w+)\/src\/(.+?)\.tsx?$/.exec(relative(cwd, file)) ?? []
  const rules = rulesByWorkspace[workspace]
  // A test next to a single-file module belongs to that module.
  return rules && { workspace, rules, path, name: path.split('/')[0]?.replace(/\.test$/, '') ?? '' }
}

function workspaceOf(file: string): string {
  let folder = dirname(file)
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
}
