/** Which checks there are, and which of them may run. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { HttpRequest } from '#net/http.ts'
import { digestOf, keep, readKept, type Kept, type KeptTemplate } from '#template/cache.ts'
import { groupRequests, type Group } from '#template/groups.ts'
import { listReader } from '#template/lists.ts'
import type { ReadList } from '#template/payloads.ts'
import { recall, understand, type RefusedTemplate, type Understood } from '#template/parse.ts'
import type { CheckInfo, Template } from '#template/template.ts'

export type { CheckInfo } from '#template/template.ts'

const FILES_MAX = 50_000
const FILE_BYTES_MAX = 1024 * 1024
/** A small pack is read as quickly as what was kept of it. */
const FILES_WORTH_KEEPING = 200

export interface CheckPlan {
  readonly templates: readonly Template[]
}

/** What was loaded, and what was left out. */
export interface LoadedTemplates {
  readonly plan: CheckPlan
  readonly checks: readonly CheckInfo[]
  readonly refused: readonly RefusedTemplate[]
}

/**
 * Loads every `.yaml` file below the folders, in the order of their names; links are not followed.
 * What cannot be run is listed with its reason and does not stop the rest. Of two templates with one
 * id the first stays.
 *
 * @param cacheFolder where what was understood is kept for the next time; absent: nowhere
 * @throws when a folder cannot be read
 */
export async function loadTemplates(folders: readonly string[], cacheFolder?: string): Promise<LoadedTemplates> {
  const templates = new Map<string, Template>()
  const refused: RefusedTemplate[] = []
  for (const folder of folders) {
    const loaded = await loadFolder(folder, cacheFolder)
    refused.push(...loaded.refused)
    for (const template of loaded.templates) {
      if (templates.has(template.info.id)) refused.push(duplicate(template))
      else templates.set(template.info.id, template)
    }
  }
  const plan = { templates: [...templates.values()] }
  return { plan, checks: plan.templates.map(({ info }) => info), refused }
}

interface Loaded {
  readonly templates: readonly Template[]
  readonly refused: readonly RefusedTemplate[]
}

async function loadFolder(folder: string, cacheFolder: string | undefined): Promise<Loaded> {
  const files = await yamlFiles(folder)
  const readList = listReader(folder)
  if (cacheFolder === undefined || files.length < FILES_WORTH_KEEPING) return readAll(files, readList)
  const digest = digestOf(folder, files)
  const kept = await readKept(cacheFolder, digest)
  if (kept) {
    const { templates, refused } = renamed(kept, (file) => `${folder}${file}`)
    return { templates: templates.map((one) => recall(one, readList)), refused }
  }
  return readAll(files, readList, (templates, refused) =>
    keep(
      cacheFolder,
      digest,
      renamed({ templates, refused }, (file) => file.slice(folder.length)),
    ),
  )
}

/** Within the cache, files are named from their folder on. */
function renamed({ templates, refused }: Kept, rename: (file: string) => string): Kept {
  return {
    templates: templates.map(({ facts, document }) => ({ facts: { ...facts, file: rename(facts.file) }, document })),
    refused: refused.map((one) => ({ ...one, file: rename(one.file) })),
  }
}

async function readAll(
  files: readonly string[],
  readList: ReadList,
  hear: (kept: readonly KeptTemplate[], refused: readonly RefusedTemplate[]) => Promise<void> = () => Promise.resolve(),
): Promise<Loaded> {
  const understood: Understood[] = []
  const refused: RefusedTemplate[] = []
  for (const file of files) {
    const read = await readTemplate(file, readList)
    if ('reason' in read) refused.push(read)
    else understood.push(read)
  }
  await hear(
    understood.map(({ kept }) => kept),
    refused,
  )
  return { templates: understood.map(({ template }) => template), refused }
}

async function yamlFiles(folder: string): Promise<string[]> {
  if ((await stat(folder)).isFile()) return [folder]
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.yaml'))
  return files
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .slice(0, FILES_MAX)
}

async function readTemplate(file: string, readList: ReadList): Promise<Understood | RefusedTemplate> {
  const { size } = await stat(file)
  if (size <= FILE_BYTES_MAX) return understand(file, await readFile(file, 'utf8'), readList)
  return { file, line: 0, feature: 'too large', reason: `larger than ${FILE_BYTES_MAX} bytes` }
}

function duplicate({ file, info }: Template): RefusedTemplate {
  return { file, line: 1, feature: 'duplicate id', reason: `line 1: the id ${info.id} of ${basename(file)} is taken` }
}

/** What a scan may do beyond looking. */
export interface Permissions {
  /** Checks that may change the target. */
  readonly intrusive: boolean
  /** There is a server that hears targets call back. */
  readonly callbacks: boolean
  /** Names of the values that the operator gave. */
  readonly given: ReadonlySet<string>
}
/** The checks that may run, by how they do. */
export interface Prepared {
  readonly groups: readonly Group[]
  readonly sequences: readonly Template[]
  readonly network: readonly Template[]
  readonly ssl: readonly Template[]
  readonly dns: readonly Template[]
  /** There are so few checks for the web that a scan need not choose among them. */
  readonly isSmall: boolean
}

/** Checks for the web that are asked of every service, whatever was recognised there. */
const CHECKS_UNCHOSEN = 300

const prepared = new WeakMap<CheckPlan, Map<string, Prepared>>()

/** What of a plan may run; worked out once for each set of permissions. */
export function prepare(plan: CheckPlan, permissions: Permissions): Prepared {
  const { intrusive, callbacks, given } = permissions
  const key = `${intrusive} ${callbacks} ${[...given].sort().join(' ')}`
  const known = prepared.get(plan) ?? new Map<string, Prepared>()
  const made = known.get(key) ?? sortOut(plan, permissions)
  prepared.set(plan, known.set(key, made))
  return made
}

function sortOut({ templates }: CheckPlan, { intrusive, callbacks, given }: Permissions): Prepared {
  const mayRun = templates.filter(
    (template) =>
      (intrusive || !template.isIntrusive) &&
      (callbacks || !template.needsCallback) &&
      template.lacking.isSubsetOf(given),
  )
  const web = mayRun.filter(({ counts }) => counts.http > 0)
  return {
    isSmall: web.length <= CHECKS_UNCHOSEN,
    groups: groupRequests(web.filter(({ isSequence }) => !isSequence)),
    sequences: web.filter(({ isSequence }) => isSequence),
    network: mayRun.filter(({ counts }) => counts.network > 0),
    ssl: mayRun.filter(({ counts }) => counts.ssl > 0),
    dns: mayRun.filter(({ counts }) => counts.dns > 0),
  }
}

/** What tells a request from others: all that the service sees. */
export function requestKey(request: HttpRequest): string {
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => `${name}: ${value}`)
  return [request.method, request.path, ...headers.sort(), '', bodyText(request)].join('\n')
}

function bodyText({ body = '' }: HttpRequest): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString('latin1')
}
