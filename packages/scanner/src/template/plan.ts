/** Loads checks and decides which of them may run. */
import type { CheckPermission } from '@glacis/contract/primitives'
import { readdirSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { digestOf, writeCache, readCache, type CacheEntry } from '#template/cache.ts'
import { groupRequests, type Group } from '#template/groups.ts'
import { listReader } from '#template/lists.ts'
import type { ReadList } from '#template/payloads.ts'
import type { ParsedTemplate } from '#template/parse.ts'
import type { RejectedTemplate, CheckInfo, Template } from '#template/template.ts'
import { lazyTemplate } from '#template/lazy-template.ts'

export type { CheckInfo } from '#template/template.ts'

const FILES_MAX = 50_000
const FILE_BYTES_MAX = 1024 * 1024
/** Below this number, parsing is as fast as reading the cache. */
const FILES_WORTH_CACHING = 20

export interface CheckPlan {
  readonly templates: readonly Template[]
}

/** Loaded and skipped templates. */
export interface LoadedTemplates {
  readonly plan: CheckPlan
  readonly checks: readonly CheckInfo[]
  readonly rejected: readonly RejectedTemplate[]
}

/**
 * Loads every `.yaml` file in the folders, ordered by name; symbolic links are not followed.
 * Templates that can't run are listed with the reason. On duplicate IDs, the first template wins.
 *
 * @param cacheFolder folder for parsed templates; absent: no cache
 * @throws when a folder can't be read
 */
export async function loadTemplates(folders: readonly string[], cacheFolder?: string): Promise<LoadedTemplates> {
  const templates = new Map<string, Template>()
  const rejected: RejectedTemplate[] = []
  for (const folder of folders) {
    const loaded = await loadFolder(folder, cacheFolder)
    rejected.push(...loaded.rejected)
    for (const template of loaded.templates) {
      if (templates.has(template.id)) rejected.push(duplicate(template))
      else templates.set(template.id, template)
    }
  }
  const plan = { templates: [...templates.values()] }
  let checks: readonly CheckInfo[] | undefined
  return {
    plan,
    // A scan doesn't need the metadata of most templates.
    get checks() {
      return (checks ??= plan.templates.map(({ info }) => info))
    },
    rejected,
  }
}

interface Loaded {
  readonly templates: readonly Template[]
  readonly rejected: readonly RejectedTemplate[]
}

async function loadFolder(folder: string, cacheFolder: string | undefined): Promise<Loaded> {
  const files = await yamlFiles(folder)
  const readList = listReader(folder)
  if (files.length < FILES_WORTH_CACHING) {
    const { parsed, rejected } = await readAll(files, readList)
    return { templates: parsed.map(({ template }) => template), rejected }
  }
  const { templates, rejected } = await cachedTemplates(folder, files, readList, cacheFolder)
  return { templates: templates.map((template) => lazyTemplate(template, readList)), rejected }
}

/** Most templates of a large pack are never used, so their parsed data is released again. */
async function cachedTemplates(
  folder: string,
  files: readonly string[],
  readList: ReadList,
  cacheFolder: string | undefined,
): Promise<CacheEntry> {
  const digest = cacheFolder === undefined ? '' : digestOf(folder, files)
  const cached = cacheFolder === undefined ? undefined : await readCache(cacheFolder, digest)
  if (cached) return mapFileNames(cached, (file) => `${folder}${file}`)
  const { parsed, rejected } = await readAll(files, readList)
  const kept = { templates: parsed.map((template) => template.cacheable), rejected }
  if (cacheFolder !== undefined)
    await writeCache(
      cacheFolder,
      digest,
      mapFileNames(kept, (file) => file.slice(folder.length)),
    )
  return kept
}

/** Cached file names are relative to their folder. */
function mapFileNames({ templates, rejected }: CacheEntry, rename: (file: string) => string): CacheEntry {
  return {
    templates: templates.map((template) => ({
      ...template,
      facts: { ...template.facts, file: rename(template.facts.file) },
    })),
    rejected: rejected.map((entry) => ({ ...entry, file: rename(entry.file) })),
  }
}

interface Read {
  readonly parsed: readonly ParsedTemplate[]
  readonly rejected: readonly RejectedTemplate[]
}

async function readAll(files: readonly string[], readList: ReadList): Promise<Read> {
  // Loads the YAML parser only when something must be parsed.
  const { parseCacheable: understand } = await import('#template/parse.ts')
  const parsed: ParsedTemplate[] = []
  const rejected: RejectedTemplate[] = []
  for (const file of files) {
    const { size } = await stat(file)
    const read = size > FILE_BYTES_MAX ? tooLarge(file) : understand(file, await readFile(file, 'utf8'), readList)
    if ('reason' in read) rejected.push(read)
    else parsed.push(read)
  }
  return { parsed, rejected }
}

async function yamlFiles(folder: string): Promise<string[]> {
  if ((await stat(folder)).isFile()) return [folder]
  return [...filesBelow(folder)].sort().slice(0, FILES_MAX)
}

/**
 * Synchronous reads per folder are twice as fast as concurrent asynchronous ones for ten thousand
 * files.
 */
function* filesBelow(folder: string): Iterable<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) yield* filesBelow(join(folder, entry.name))
    else if (entry.isFile() && entry.name.endsWith('.yaml')) yield join(folder, entry.name)
  }
}

function tooLarge(file: string): RejectedTemplate {
  return { file, line: 0, feature: 'too large', reason: `larger than ${FILE_BYTES_MAX} bytes` }
}

function duplicate({ file, id }: Template): RejectedTemplate {
  return { file, line: 1, feature: 'duplicate id', reason: `line 1: duplicate id ${id} in ${basename(file)}` }
}

/** Permissions of a scan beyond passive requests. */
export interface Permissions {
  /** Kinds of intrusive checks that may run. */
  readonly allowed: ReadonlySet<CheckPermission>
  /** A callback server is available. */
  readonly callbacks: boolean
  /** Names of values supplied by the operator. */
  readonly suppliedValues: ReadonlySet<string>
}
/** Runnable checks by the way they run. */
export interface Prepared {
  readonly groups: readonly Group[]
  readonly sequences: readonly Template[]
  readonly network: readonly Template[]
  readonly ssl: readonly Template[]
  readonly dns: readonly Template[]
  /** Intrusive checks without permission. */
  readonly withoutPermission: readonly Template[]
  /** There are so few HTTP checks that all of them run on every service. */
  readonly isSmall: boolean
}

/** HTTP checks that run on every service, regardless of the identified products. */
const CHECKS_WITHOUT_SELECTION_MAX = 300

const prepared = new WeakMap<CheckPlan, Map<string, Prepared>>()

/** The runnable part of a plan, computed once per set of permissions. */
export function prepare(plan: CheckPlan, permissions: Permissions): Prepared {
  const { allowed, callbacks, suppliedValues } = permissions
  const key = `${[...allowed].sort().join(' ')} ${callbacks} ${[...suppliedValues].sort().join(' ')}`
  const cached = prepared.get(plan) ?? new Map<string, Prepared>()
  const preparedChecks = cached.get(key) ?? prepareTemplates(plan, permissions)
  prepared.set(plan, cached.set(key, preparedChecks))
  return preparedChecks
}

function prepareTemplates({ templates }: CheckPlan, { allowed, callbacks, suppliedValues }: Permissions): Prepared {
  const possible = templates.filter(
    (template) => (callbacks || !template.needsCallback) && template.missingValues.isSubsetOf(suppliedValues),
  )
  const runnable = possible.filter(({ permission }) => permission === null || allowed.has(permission))
  const web = runnable.filter(({ counts }) => counts.http > 0)
  return {
    withoutPermission: possible.filter(({ permission }) => permission !== null && !allowed.has(permission)),
    isSmall: web.length <= CHECKS_WITHOUT_SELECTION_MAX,
    groups: groupRequests(web.filter(({ isSequence }) => !isSequence)),
    sequences: web.filter(({ isSequence }) => isSequence),
    network: runnable.filter(({ counts }) => counts.network > 0),
    ssl: runnable.filter(({ counts }) => counts.ssl > 0),
    dns: runnable.filter(({ counts }) => counts.dns > 0),
  }
}
