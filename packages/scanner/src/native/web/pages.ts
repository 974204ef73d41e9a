/** Reads the start page of a web server and some of the pages it links to, and evaluates each by its content. */
import { linksOf } from '#native/web/html-forms.ts'
import type { CheckInfo } from '#native/types.ts'
import type { CheckResults, NativeCheck, NativeContext, Proof } from '#native/native-check.ts'
import {
  authenticationOff,
  connectionFormOpen,
  editorOpen,
  logPageOpen,
  registrationOpen,
  setupOpen,
  setupReachable,
  sqlConsoleOpen,
} from '#native/web/page-checks.ts'
import {
  asksForDatabase,
  connectionForm,
  type Judge,
  logPage,
  pageEditor,
  protectedSetup,
  registrationForm,
  setupForm,
  sqlConsole,
} from '#native/web/page-kinds.ts'
import { isDestructive, verbIn } from '#native/web/verbs.ts'
import { type Page, readPage, targetHere, webProof } from '#native/web/request.ts'
import { readSite, type WebSite } from '#native/web/site.ts'
import { declaredState } from '#native/web/state.ts'

interface PageKind {
  readonly check: CheckInfo
  readonly judge: Judge
  /** Whether the page leaves no doubt. */
  readonly isCertain?: (page: Page) => boolean
  /** Links worth following. */
  readonly links: RegExp
  /** Paths to try even if no page links to them. */
  readonly guesses: readonly string[]
}

const kinds: readonly PageKind[] = [
  {
    check: setupOpen,
    judge: setupForm,
    isCertain: ({ body }) => asksForDatabase(body),
    links: /[/=](?:install|installer|installation|set-?up|first-?run|onboarding|wizard)(?:\.\w{2,5})?\/?$/i,
    guesses: ['install', 'setup', 'install.php', 'setup.php'],
  },
  { check: setupReachable, judge: protectedSetup, isCertain: () => true, links: /(?!)/, guesses: [] },
  {
    check: registrationOpen,
    judge: registrationForm,
    links: /[/=](?:register|registration|sign-?up|create-?account|join)(?:\.\w{2,5})?\/?(?:\?[^?]{0,100})?$/i,
    guesses: ['register', 'signup'],
  },
  {
    check: editorOpen,
    judge: pageEditor,
    links: /[?&](?:action|do|cmd|mode)=edit\b|[?&]edit$|[/_+](?:edit|edit_?page)(?:[/?.]|$)/i,
    guesses: [],
  },
  {
    check: sqlConsoleOpen,
    judge: sqlConsole,
    links: /[/=](?:sql|query|queries|console|play(?:ground)?|sql-?console|sql-?editor)(?:\.\w{2,5})?\/?$/i,
    guesses: ['sql'],
  },
  { check: connectionFormOpen, judge: connectionForm, links: /[/=](?:connect|ssh|terminal)\/?$/i, guesses: [] },
  {
    check: logPageOpen,
    judge: logPage,
    links: /[/=](?:logs?|syslog|journal|log-?viewer)(?:\.\w{2,5})?\/?$/i,
    guesses: ['logs', 'log'],
  },
]
/** Paths of a product, tried if its start page contains the text. */
const productPaths = [{ text: 'name="wikiApplicationName"', path: 'Install.jsp' }]
const linkedPagesMax = 12
const pagesMs = 6000

export const webPages: NativeCheck = {
  checks: [...kinds.map(({ check }) => check), authenticationOff],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const site = await readSite(context)
    if (!site) return {}
    const proofs = new Map<string, Proof>()
    for await (const page of pagesOf(context, site)) {
      for (const kind of kinds) {
        const { check } = kind
        const proof = proofs.has(check.id) ? undefined : proofOf(page, kind, site)
        if (proof) proofs.set(check.id, proof)
      }
    }
    for (const [id, proof] of Object.entries(await declaredState(context, site))) {
      if (!proofs.has(id)) proofs.set(id, proof)
    }
    return Object.fromEntries(webPages.checks.map(({ id }) => [id, proofs.get(id) ?? null])) satisfies CheckResults
  },
}

/** If a server shows the same page for any path, only its start page counts as proof. */
function proofOf(page: Page, { judge, isCertain }: PageKind, { front, unknown }: WebSite): Proof | undefined {
  if (page.status !== 200) return undefined
  const highlights = judge({ path: page.path, html: page.body })
  const isAnywhere = page !== front && unknown.status === 200 && judge({ path: page.path, html: unknown.body })
  if (!highlights || isAnywhere) return undefined
  return { ...webProof(page, highlights), path: page.path, quality: isCertain?.(page) === true ? 99 : 80 }
}

/** The start page, the pages that it links to, those that they link to, and common paths. */
async function* pagesOf(context: NativeContext, { base, front }: WebSite): AsyncGenerator<Page> {
  yield front
  const stopAt = performance.now() + pagesMs
  const seen = new Set([front.path])
  const ofProduct = productPaths.flatMap(({ text, path }) => (front.body.includes(text) ? path : []))
  const guesses = [...ofProduct, ...kinds.flatMap(({ guesses }) => guesses)].map((name) => `${base}${name}`)
  const queue = [...targetsIn(front, base), ...guesses]
  for (let count = 0; queue.length > 0 && count < linkedPagesMax;) {
    const target = queue.shift() ?? ''
    if (seen.has(target)) continue
    seen.add(target)
    count++
    if (performance.now() > stopAt) return
    const page = await readPage(context, target)
    if (!page) return
    if (page.status !== 200 || (page.path !== target && seen.has(page.path))) continue
    seen.add(page.path)
    yield page
    queue.unshift(...targetsIn(page, base))
  }
}

/** Links to pages of a kind on this server, two of each. GET requests to other links might change something. */
function targetsIn({ body, path }: Page, base: string): string[] {
  const targets = linksOf(body).flatMap((link) => targetHere(link, path) ?? [])
  const found = kinds.flatMap(({ links }) => targets.filter((target) => links.test(target)).slice(0, 2))
  return [...new Set(found)].filter((target) => target.startsWith(base) && isReadOnly(target))
}

function isReadOnly(target: string): boolean {
  if (isDestructive(target)) return false
  const verb = verbIn(target)
  return verb === undefined || verb === 'edit' || verb === 'install' || verb === 'create'
}
