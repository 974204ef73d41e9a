/** What an application reports about its own setup, registration, and authentication. */
import { z } from 'zod'
import type { NativeContext, Proof } from '#native/native-check.ts'
import { authenticationOff, registrationOpen, setupOpen } from '#native/web/page-checks.ts'
import { hasLogin } from '#native/web/script-calls.ts'
import { apiPaths } from '#native/web/records.ts'
import { type Page, pathHere, requestWeb, webProof } from '#native/web/request.ts'
import { tokenWithoutCredentials } from '#native/web/sign-in.ts'
import type { WebSite } from '#native/web/site.ts'

// cspell:disable
const stateCall =
  /\/(?:[\w-]{0,20}(?:set_?-?up|install|onboarding|first-?run|bootstrap|initiali[sz]ed?)[\w-]{0,20}|init|status|login-?status|auth[\w-]{0,15}|auth\/(?:type|mode)|app|session|settings|config|info|features|options|environment|env|public|me|state)\/?$/i
const callsMax = 12
/** Calls of many applications. The scripts that name them may be among those that aren't read. */
const usualCalls = [
  'api/config',
  'api/status',
  'api/setup',
  'api/settings',
  'rest/settings',
  'admin/init',
  'api/server/config',
  'System/Info/Public',
]
const flagsMax = 500
const isTrue =
  /^(?:needs|requires|is)?(?:initial|first)?(?:setup|install(?:ation)?|onboarding)(?:is)?(?:required|needed|pending)$|^(?:needs|requires)(?:setup|install(?:ation)?|init(?:ialization)?)$|^(?:is)?first(?:run|user|start|timesetup)$|^nousers$|^noadmin$|^showsetuponfirstload$|^(?:admin|owner|root)(?:registration|sign-?up)(?:is)?open$/
const isFalse =
  /^(?:is)?(?:setup|setupwizard|installation|onboarding|wizard)(?:is)?(?:completed?|done|finished)$|^(?:is)?(?:installed|initiali[sz]ed|setup)$|^has(?:users?|admin(?:user)?|owner)$|^(?:admin(?:user)?|owner)exists$|^startupwizardcompleted$|^bootstrapped$|^is(?:init|claimed)$/
const registrationTrue =
  /^(?:allow|enable|can)(?:new)?(?:user|public|self|open)?(?:registrations?|signups?|register)$|^(?:user|public|self|open)?(?:registrations?|signups?)(?:is)?(?:enabled|open|allowed)$/
const authenticationFalse =
  /^(?:is)?(?:auth(?:entication)?(?:is)?(?:required|enabled|needed)|(?:login|sign-?in)(?:is)?(?:required|needed))$|^enableauth(?:entication)?$|^(?:requires?|needs?)(?:auth(?:entication)?|login|password|sign-?in)$/
const authenticationTrue = /^(?:no|disable)auth(?:entication)?$|^auth(?:entication)?(?:is)?disabled$/
/** Flags that other calls return for a component, such as a tool that isn't installed. */
const componentFlag = /^(?:is_?)?(?:installed|initiali[sz]ed|setup)$/i
/** Flags that only describe the application's own accounts. */
const aboutAccounts =
  /^(?:show_?setup_?on_?first_?load|has_?(?:admin|owner|users?)|no_?users|(?:admin|owner)_?exists)$/i
const noAuthentication =
  /^\s{0,99}\{[^{}]{0,2000}?("(?:auth|authentication)[_-]?(?:type|mode|method|provider|strategy)?"\s{0,9}:\s{0,9}"(?:none|disabled)")/i
/** `GET /auth/type` */
const typeOfAuthentication = /\/(?:auth|authentication)[/_-](?:type|mode)\/?$/i
const noType = /^\s{0,99}\{\s{0,99}("(?:type|mode)"\s{0,9}:\s{0,9}"(?:none|disabled)")/i
const depthMax = 2
const applicationPath =
  /^\/(?:[\w-]{1,20}\/)?(?:(?:api|rest)\/)?(?:v\d\/)?(?:(?:app|auth|init|install|onboarding|server|setup|system)\/)?[\w-]{1,40}\/?$/i
// cspell:enable
/** A member of a JSON object in a page. */
const inPage = /["']([\w-]{3,40})["']\s{0,3}:\s{0,3}(true|false)\b/g
/** `window.config = {"register": true}`. The word alone is a flag only in settings. */
const registerInSettings =
  /\b(?:config|settings|options|appData)\s{0,3}=\s{0,3}\{[^{}]{0,500}?("(?:register|registration|signup)"\s{0,3}:\s{0,3}true)\b/i

/**
 * Reads the start page, and requests calls that the scripts name.
 *
 * @returns proofs by check ID
 */
export async function declaredState(context: NativeContext, site: WebSite): Promise<Readonly<Record<string, Proof>>> {
  const proofs: Record<string, Proof> = {}
  if (site.front.status === 200) Object.assign(proofs, stateInPage(site.front))
  const calls = apiPaths([site.front.body, ...site.scripts], stateCall)
  const targets = new Set(calls.flatMap((call) => pathHere(call, site.front.path) ?? []))
  const usual = site.scripts.length > 0 ? usualCalls.map((name) => `${site.base}${name}`) : []
  const named = [...targets].slice(0, callsMax)
  for (const target of new Set([...named, ...usual])) {
    const page = await requestWeb(context, { target, headers: { Accept: 'application/json' } })
    if (!page) return proofs
    if (page.status !== 200) continue
    const none = targets.has(target) ? withoutAuthentication(page.body, target) : undefined
    if (none !== undefined) proofs[authenticationOff.id] ??= { ...webProof(page, [none]), path: target, quality: 80 }
    const step = targets.has(target) ? openStep(page.body) : undefined
    if (step !== undefined) proofs[setupOpen.id] ??= { ...webProof(page, [step]), path: target, quality: 80 }
    for (const [name, value, depth] of flagsIn(page.body)) {
      // In a status report that no script names, inner objects describe components.
      if (depth > 0 && !targets.has(target) && !aboutAccounts.test(name)) continue
      const id = meaningOf(name, value)
      if (id === setupOpen.id && componentFlag.test(name) && !applicationPath.test(target)) continue
      if (id !== undefined) proofs[id] ??= { ...webProof(page, [`"${name}"`]), path: target, quality: 80 }
    }
  }
  const title = setupTitleOf(
    site,
    context.service.technologies.map(({ name }) => name),
  )
  if (title !== undefined)
    proofs[setupOpen.id] ??= { ...webProof(site.front, [title]), path: site.front.path, quality: 80 }
  const issued = proofs[authenticationOff.id] ? undefined : await tokenWithoutCredentials(context, site)
  return issued ? { ...proofs, [authenticationOff.id]: issued } : proofs
}

function stateInPage(front: Page): Record<string, Proof> {
  const proofs: Record<string, Proof> = {}
  const proofBy = (text: string) => ({ ...webProof(front, [text]), path: front.path, quality: 80 })
  for (const [, name = '', value] of front.body.matchAll(inPage).take(flagsMax)) {
    const id = meaningOf(name, value === 'true')
    // Words about a setup also occur in the names of page components.
    if (id === authenticationOff.id || id === registrationOpen.id) proofs[id] ??= proofBy(name)
  }
  const [, register] = registerInSettings.exec(front.body) ?? []
  if (register !== undefined) proofs[registrationOpen.id] ??= proofBy(register)
  return proofs
}

const setupTitle =
  /<title>\s{0,20}([^<>\s][^<>]{1,40}?)[\s:|–-]{1,3}(?:onboarding|first[- ]run|(?:initial |first[- ]time )?set-?up(?: wizard)?|installation(?: wizard)?|installer)\s{0,20}<\/title>/i
const sendsForm = /\bmethod["']?\s{0,3}:\s{0,3}["'`]POST\b|\.post\(/i

/**
 * The title of a setup that a script shows. Because other pages have similar titles, it must start with the name of the
 * identified application, and the scripts must send data and contain no login.
 */
export function setupTitleOf(
  { front, scripts }: Pick<WebSite, 'front' | 'scripts'>,
  names: readonly string[],
): string | undefined {
  const [title, name = ''] = front.status === 200 ? (setupTitle.exec(front.body) ?? []) : []
  const isIdentified = names.some((known) => known.toLowerCase() === name.toLowerCase())
  const texts = [front.body, ...scripts]
  return isIdentified && !hasLogin(texts) && texts.some((text) => sendsForm.test(text)) ? title : undefined
}

/** The member of a response that states that the application has no authentication. */
export function withoutAuthentication(body: string, path: string): string | undefined {
  return noAuthentication.exec(body)?.[1] ?? (typeOfAuthentication.test(path) ? noType.exec(body)?.[1] : undefined)
}

const Steps = z.array(z.record(z.string(), z.unknown())).min(1).max(50)
const accountStep = /^(?:create_?)?(?:first_?)?(?:account|admin|administrator|owner|user)(?:_?account)?$/i

/** The step of an unfinished setup that creates the first account: `[{"step": "user", "done": false}]`. */
function openStep(body: string): string | undefined {
  if (!/^\s{0,99}\[/.test(body) || body.length > 20_000) return undefined
  try {
    const steps = Steps.safeParse(JSON.parse(body)).data ?? []
    const open = steps.filter((step) => (step['done'] ?? step['completed'] ?? step['finished']) === false)
    const account = open.map(({ step }) => step).find((name) => typeof name === 'string' && accountStep.test(name))
    return account === undefined ? undefined : `"${String(account)}"`
  } catch {
    return undefined
  }
}

function meaningOf(name: string, value: boolean): string | undefined {
  const normalized = name.toLowerCase().replaceAll(/[_-]/g, '')
  if (value ? isTrue.test(normalized) : isFalse.test(normalized)) return setupOpen.id
  if (value && registrationTrue.test(normalized)) return registrationOpen.id
  return authenticationOf(name, value)
}

function authenticationOf(name: string, value: boolean): string | undefined {
  const normalized = name.toLowerCase().replaceAll(/[_-]/g, '')
  const isOff = value ? authenticationTrue.test(normalized) : authenticationFalse.test(normalized)
  return isOff ? authenticationOff.id : undefined
}

const Members = z.record(z.string(), z.unknown())

/** Members of a JSON object and of the objects in it that are true or false, with their depth. */
function flagsIn(body: string): (readonly [string, boolean, number])[] {
  if (!/^\s{0,99}\{/.test(body) || body.length > 200_000) return []
  try {
    return flagsOf(Members.parse(JSON.parse(body)), 0)
  } catch {
    return []
  }
}

function flagsOf(members: z.infer<typeof Members>, depth: number): (readonly [string, boolean, number])[] {
  return Object.entries(members).flatMap(([name, value]) => {
    if (typeof value === 'boolean') return [[name, value, depth] as const]
    const inner = depth < depthMax ? Members.safeParse(value).data : undefined
    return inner ? flagsOf(inner, depth + 1) : []
  })
}
