/** Traces of a name that only the software itself leaves: cookies, storage keys, documentation, and its description. */
import { hasPasswordField, withoutElements } from '#html.ts'

/** What an application reveals about itself besides its pages. */
export interface Traces {
  readonly html: string
  /** Text of its own scripts. */
  readonly scripts: string
  /** Names of its cookies. */
  readonly cookies: readonly string[]
}

const scriptNamesMax = 50

/** Names of the application that a page gives outside its title: for the home screen, or above the sign-in form. */
export function otherNames(html: string): string[] {
  const metaTags = [...html.matchAll(/<meta\b[^>]{0,400}>/gi).take(60)].map(([tag]) => tag)
  const homeScreen = metaTags
    .filter((tag) => /\bname\s{0,5}=\s{0,5}["']?apple-mobile-web-app-title\b/i.test(tag))
    .flatMap((tag) => /\bcontent\s{0,5}=\s{0,5}["']([^"']{1,60})/i.exec(tag)?.[1] ?? [])
  const logins = hasPasswordField(html)
    ? [
        ...html
          .matchAll(
            />\s{0,50}(?:sign|log) ?in to (?:your )?([A-Z][\w.+-]{2,30}(?: [A-Z][\w.+-]{1,30}){0,2})[\s!.]{0,50}</gi,
          )
          .take(3),
      ].map(([, name = '']) => name)
    : []
  return [...homeScreen, ...logins].map((name) => name.trim())
}

/**
 * Whether software confirms a name.
 *
 * @param spelling a pattern of the name in any spelling
 */
export function isConfirmedBySoftware(name: string, spelling: string, { html, scripts, cookies }: Traces): boolean {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  const own = plain(name)
  if (own.length < 4) return false
  // Laravel names its session cookie after the site.
  const isCookie =
    !cookies.includes('XSRF-TOKEN') && cookies.some((cookie) => ownCookie.test(plain(cookie).replace(own, '#')))
  return (
    isCookie ||
    hasStorageKey(own, plain, [html, scripts]) ||
    hasOwnElement(spelling, html) ||
    isDescribed(spelling, html) ||
    hasDocumentation(spelling, [html, scripts])
  )
}

const mentionsMin = 5
const shownTextMax = 300

/**
 * Whether the page is rendered by its scripts, and they often use the name in this spelling. A site about a topic has its
 * text in the page itself.
 */
export function isMentionedByScripts(name: string, { html, scripts }: Pick<Traces, 'html' | 'scripts'>): boolean {
  const isStart =
    /<(?:div|main|app-root)\b[^>]{0,100}\bid\s{0,3}=\s{0,3}["']?(?:root|app|__next|__nuxt|svelte|main|q-app|app-root)\b|<app-root\b/i.test(
      html,
    )
  const text = ['script', 'style', 'noscript', 'title', 'svg']
    .reduce(withoutElements, html)
    .replaceAll(/<[^<>]{0,2000}>/g, ' ')
    .trim()
  if (!isStart || text.length > shownTextMax || scripts === '') return false
  return (scripts.match(wordPattern(name))?.length ?? 0) >= mentionsMin
}

/** `Lab` in `Lab` and `LabClient`, but not in `Label`. */
function wordPattern(name: string): RegExp {
  return new RegExp(String.raw`(?<![A-Za-z])${RegExp.escape(name)}(?![a-z])`, 'g')
}

/** The name alone, or followed by the purpose of the cookie. */
const ownCookie = /^#(?:session(?:id)?|sess|sid|csrf(?:token)?|xsrf(?:token)?|token|auth|lang|theme|user|id|cookie)?$/

/** `localStorage.getItem("acme.theme")` */
function hasStorageKey(own: string, plain: (text: string) => string, texts: readonly string[]): boolean {
  return texts.some((text) =>
    text
      .matchAll(/\b(?:local|session)Storage(?:\.(?:get|set|remove)Item\(|\[)\s{0,5}["'`]([\w-]{3,40})[.:/_-]\w/g)
      .take(scriptNamesMax)
      .some(([, key = '']) => plain(key) === own || plain(key).startsWith(own)),
  )
}

/**
 * Whether the page has an element and a global variable of this name: `<acme-app>` and `window.__ACME_THEME__`. Public
 * sites can have both.
 */
function hasOwnElement(spelling: string, html: string): boolean {
  const element = new RegExp(String.raw`<${spelling}(?:-[a-z]{2,20}){1,3}[\s>]`, 'i')
  const variable = new RegExp(String.raw`\b(?:window|globalThis|self)\.__${spelling}_[A-Z][A-Z_]{1,60}\s{0,3}=`, 'i')
  return element.test(html) && variable.test(html) && !isPublicSite.test(html)
}

/** Markup for search engines, social networks, and analytics. */
const isPublicSite =
  /\brel=["']?canonical\b|\b(?:property|name)=["']?(?:og|twitter):|application\/ld\+json|google-analytics\.com|\bgtag\(/i

/** `<meta name="description" content="Acme is a self-hosted wiki">` */
function isDescribed(spelling: string, html: string): boolean {
  const tags = html.matchAll(/<meta\b[^>]{0,600}>/gi).take(60)
  const [description] = [...tags]
    .map(([tag]) => tag)
    .filter((tag) => /\bname\s{0,5}=\s{0,5}["']?description\b/i.test(tag))
  if (description === undefined || !new RegExp(String.raw`\b${spelling}\b`, 'i').test(description)) return false
  return /\b(?:open[- ]source|self-?host(?:ed|able)?|web[- ](?:based|ui|interface|frontend|client)|(?:admin|administration) (?:ui|interface|panel)|dashboard for|(?:user|management) interface)\b/i.test(
    description,
  )
}

/** Documentation or releases on the site of the project. */
function hasDocumentation(spelling: string, texts: readonly string[]): boolean {
  const domain = String.raw`(?:com|dev|io|net|org|app|sh)`
  const pattern = new RegExp(
    String.raw`https?://(?:docs?\.(?:get|use)?${spelling}\.${domain}\b|(?:www\.)?(?:get|use)?${spelling}\.${domain}/(?:[\w.-]{1,40}/){0,2}(?:docs?|documentation|changelog|releases?|manual)\b|${spelling}\.(?:sourceforge\.(?:net|io)|github\.io|gitlab\.io)\b)`,
    'i',
  )
  return texts.some((text) => pattern.test(text))
}
