/** Which checks there are, and which of them may run. */
import { readdirSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { HttpRequest } from '#net/http.ts'
import { digestOf, keep, readKept, type Kept } from '#template/cache.ts'
import { groupRequests, type Group } from '#template/groups.ts'
import { listReader } from '#template/lists.ts'
import type { ReadList } from '#template/payloads.ts'
import type { RefusedTemplate, Understood } from '#template/parse.ts'
import { recall } from '#template/recall.ts'
import type { CheckInfo, Template } from '#template/template.ts'

export type { CheckInfo } from '#template/template.ts'

const FILES_MAX = 50_000
const FILE_BYTES_MAX = 1024 * 1024
/** Fewer are read as quickly as what was kept of them. */
const FILES_WORTH_KEEPING = 20

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
      if (templates.has(template.id)) refused.push(duplicate(template))
      else templates.set(template.id, template)
    }
  }
  const plan = { templates: [...templates.values()] }
  let checks: readonly CheckInfo[] | undefined
  return {
    plan,
    // A scan does without the words of most.
    get checks() {
      return (checks ??= plan.templates.map(({ info }) => info))
    },
    refused,
  }
}

interface Loaded {
  readonly templates: readonly Template[]
  readonly refused: readonly RefusedTemplate[]
}

async function loadFolder(folder: string, cacheFolder: string | undefined): Promise<Loaded> {
  const files = await yamlFiles(folder)
  const readList = listReader(folder)
  if (files.length < FILES_WORTH_KEEPING) {
    const { understood, refused } = await readAll(files, readList)
    return { templates: understood.map(({ template }) => template), refused }
  }
  const { templates, refused } = await keptOf(folder, files, readList, cacheFolder)
  return { templates: templates.map((one) => recall(one, readList)), refused }
}

/** Of many templates most are never looked at closely, so that what was read of them is put away again. */
async function keptOf(
  folder: string,
  files: readonly string[],
  readList: ReadList,
  cacheFolder: string | undefined,
): Promise<Kept> {
  const digest = cacheFolder === undefined ? '' : digestOf(folder, files)
  const known = cacheFolder === undefined ? undefined : await readKept(cacheFolder, digest)
  if (known) return renamed(known, (file) => `${folder}${file}`)
  const { understood, refused } = await readAll(files, readList)
  const kept = { templates: understood.map((one) => one.kept), refused }
  if (cacheFolder !== undefined)
    await keep(
      cacheFolder,
      digest,
      renamed(kept, (file) => file.slice(folder.length)),
    )
  return kept
}

/** Within the cache, files are named from their folder on. */
function renamed({ templates, refused }: Kept, rename: (file: string) => string): Kept {
  return {
    templates: templates.map((one) => ({ ...one, facts: { ...one.facts, file: rename(one.facts.file) } })),
    refused: refused.map((one) => ({ ...one, file: rename(one.file) })),
  }
}

interface Read {
  readonly understood: readonly Understood[]
  readonly refused: readonly RefusedTemplate[]
}

async function readAll(files: readonly string[], readList: ReadList): Promise<Read> {
  // The reader of YAML is loaded only where something is to be read.
  const { understand } = await import('#template/parse.ts')
  const understood: Understood[] = []
  const refused: RefusedTemplate[] = []
  for (const file of files) {
    const { size } = await stat(file)
    const read = size > FILE_BYTES_MAX ? tooLarge(file) : understand(file, await readFile(file, 'utf8'), readList)
    if ('reason' in read) refused.push(read)
    else understood.push(read)
  }
  return { understood, refused }
}

async function yamlFiles(folder: string): Promise<string[]> {
  if ((await stat(folder)).isFile()) return [folder]
  return [...filesBelow(folder)].sort().slice(0, FILES_MAX)
}

/** Folder by folder without waiting, which for ten thousand files is twice as quick as asking for all of them. */
function* filesBelow(folder: string): Iterable<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) yield* filesBelow(join(folder, entry.name))
    else if (entry.isFile() && entry.name.endsWith('.yaml')) yield join(folder, entry.name)
  }
}

function tooLarge(file: string): RefusedTemplate {
  return { file, line: 0, feature: 'too large', reason: `larger than ${FILE_BYTES_MAX} bytes` }
}

function duplicate({ file, id }: Template): RefusedTemplate {
  return { file, line: 1, feature: 'duplicate id', reason: `line 1: the id ${id} of ${basename(file)} is taken` }
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
