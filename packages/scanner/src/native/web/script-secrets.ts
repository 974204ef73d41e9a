/** Keys of known services in a site's pages, scripts, and source maps. */
import { isExampleUrl } from '#native/web/secret-values.ts'
import { checkInfo, type NativeCheck } from '#native/native-check.ts'
import { commentsIn } from '#html.ts'
import { readPages } from '#native/web/site-pages.ts'
import { readSite } from '#native/web/site.ts'

const scriptSecret = checkInfo({
  id: 'script-secrets-exposed',
  name: 'Secret keys exposed in pages or scripts',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'A page, script, or source map that any visitor can read contains a secret key or token for a third-party service, or a comment in a page contains a password. The check recognizes keys by their format and does not use them.',
  impact: 'An attacker can use the service or the account, and read or change your data there.',
  remediation:
    'Revoke the key or change the password, and call the service from the server. Only keys that are meant for browsers, such as publishable keys, belong in a page.',
  reference: 'https://cwe.mitre.org/data/definitions/798.html',
  tags: 'exposure secrets javascript',
  verifiedOn: 'esbuild-secrets express-tickets',
})

// cspell:disable
/** Formats that no public key has. */
const formats: readonly RegExp[] = [
  /-----BEGIN (?:[A-Z]{2,9} )?PRIVATE KEY-----(?:\\n|\s)[\w+/=\\\s]{60}/g,
  /\b(?:sk|rk)_live_[\dA-Za-z]{16,99}\b/g,
  /\bgh[pousr]_[\dA-Za-z]{36}\b|\bgithub_pat_[\dA-Za-z_]{60,90}\b/g,
  /\bglpat-[\w-]{20,60}\b/g,
  /\bxox[abprs]-\d{6,14}-[\w-]{10,200}\b/g,
  /\bSG\.[\w-]{16,32}\.[\w-]{16,64}\b/g,
  /\bkey-[\da-f]{32}\b/g,
  /\bnpm_[\dA-Za-z]{36}\b/g,
  /\bdop_v1_[\da-f]{64}\b/g,
  /\bshp(?:at|ss|ca|pa)_[\da-f]{32}\b/g,
  /\b(?:sntry[su])_[\w+/=-]{12,300}/g,
  /\bhf_[\dA-Za-z]{34}\b/g,
  /\b(?:hvs)\.[\w-]{24,200}/g,
  /\bdapi[\da-f]{32}\b/g,
  /\bdckr_pat_[\w-]{27}\b/g,
  /\blin_api_[\dA-Za-z]{40}\b/g,
  /\b\d{8,10}:AA[\w-]{33}\b/g,
  /\bsk-(?:proj-|ant-api\d\d-)[\w-]{40,200}\b/g,
  /\bhttps:\/\/hooks\.slack\.com\/services\/T[\dA-Z]{6,12}\/B[\dA-Z]{6,12}\/\w{16,40}\b/g,
  /\baws_?secret_?(?:access_?)?key["']?\s{0,3}[:=]\s{0,3}["'][\w+/]{40}["']/gi,
  /\b(?:mongodb(?:\+srv)?|postgres(?:ql)?|mysql|amqps?|rediss?):\/\/[^\s:@/"'`<>$]{1,60}:[^\s:@/"'`<>${]{3,100}@[\w.-]{3,200}/g,
]
// cspell:enable
/** A constant of the application, such as `const ADMIN_TOKEN = "…"`, without publishable tokens and names of errors and actions. */
const constant =
  /\b(?!\w{0,30}(?:CSRF|XSRF|CANCEL|DEFAULT_TOKEN|CHANGE|CONFIRM|ERR|EXPIRED|FORGOT|INVALID|MISSING|REQUIRED|RESET|WRONG))(?!(?:FETCH|GET|SET|UPDATE)_)[A-Z][A-Z_]{0,30}_(?:TOKEN|SECRET|PASSWORD|PRIVATE_KEY)\s{0,3}[:=]\s{0,3}["'](?!pk[._])(?=[^"'\d]{0,60}\d)[\w.+/=!@#$%^&*-]{8,100}["']/
/** A setting such as `dbPassword: "…"`, whose value has a digit and a sign, or is long; others may be labels. */
const setting =
  /\b(?:[a-z]\w{0,30}(?:Password|Passwd|Secret|ApiKey|PrivateKey|SecretKey|AuthToken)|(?:secret|private)Key|authToken)["']?\s{0,3}[:=]\s{0,3}\\?["'](?![/#.]|https?:)(?=[^"'\d\\]{0,60}\d)(?:(?=[^"'\\]{0,60}[!@$%^&*])[\w.+/=!@#$%^&*-]{8,100}|[\w.+=-]{24,100})\\?["']/g
/** A setting whose value has a prefix, such as `pushSecret: "ps_…"`. */
const prefixed =
  /\b(?:[a-z]\w{0,30}(?:Secret|PrivateKey|SecretKey|AuthToken)|(?:secret|private)Key|authToken)["']?\s{0,3}[:=]\s{0,3}\\?["'][a-z]{2,5}_(?=[A-Za-z]{0,40}\d)[\dA-Za-z]{8,60}\\?["']/
/** Variables of a process, one per line. */
const environment = /(?:^|[\n>])PATH=\/\w/
const variable = /(?<=^|[\n>])[A-Z][A-Z\d_]{0,40}(?:TOKEN|SECRET|PASSWORD|KEY)=[^\s<"']{6,100}/
/** Keys of services that browsers call themselves, such as maps, search, and analytics. */
const browserKey =
  /^\w{0,30}(?:algolia|amplitude|analytics|browser|bugsnag|captcha|client|datadog|firebase|google|intercom|map|mixpanel|posthog|public|publishable|rollbar|search|segment|sentry|site|tile|turnstile|web)\w{0,30}ApiKey\b|[:=]\s{0,3}\\?["'](?:AIza|phc_|pk[._])/i
/** `password: harbor-77` or `admin / harbor-77` in a comment of a page. */
const commented = [
  /\b(?:pass(?:wd|word)?|passwort|kennwort|pwd)["']?\s{0,3}[:=]\s{0,3}["']?(?=[^\s"'<>]{0,40}\d)(?=[^\s"'<>]{0,40}[A-Za-z])[^\s"'<>;,]{6,60}/i,
  /\b(?:admin|administrator|demo|guest|login|root|test|user)\s{1,3}\/\s{1,3}(?=[^\s"'<>]{0,40}\d)(?=[^\s"'<>]{0,40}[A-Za-z])[^\s"'<>;,]{6,60}/i,
]
const around = 120
const matchesMax = 20

export const webScriptSecrets: NativeCheck = {
  checks: [scriptSecret],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const site = await readSite(context)
    if (!site) return {}
    const { pages, scriptFiles } = await readPages(context, site)
    for (const { body, path, request, status } of [...pages, ...scriptFiles]) {
      const named = [constant, prefixed, ...(environment.test(body) ? [variable] : [])]
      const key =
        secretKeyIn(body) ??
        settingIn(body) ??
        named.flatMap((pattern) => pattern.exec(body)?.[0] ?? [])[0] ??
        passwordInComment(body)
      if (key === undefined) continue
      const at = body.indexOf(key)
      const excerpt = body.slice(Math.max(0, at - around), at + key.length + around)
      return { [scriptSecret.id]: { request, answer: `HTTP/1.1 ${status}\n\n…${excerpt}…`, highlights: [key], path } }
    }
    return { [scriptSecret.id]: null }
  },
}

function settingIn(text: string): string | undefined {
  const settings = [...text.matchAll(setting).take(matchesMax)].map(([found]) => found)
  return settings.find((found) => !browserKey.test(found))
}

function passwordInComment(page: string): string | undefined {
  const found = commentsIn(page).flatMap((text) => commented.map((pattern) => pattern.exec(text)?.[0]))
  return found.find((text) => text !== undefined && !/example|change|placeholder|\$\{|\{\{/i.test(text))
}

export function secretKeyIn(text: string): string | undefined {
  const keys = formats.flatMap((format) => [...text.matchAll(format).take(matchesMax)].map(([key]) => key))
  return keys.find((key) => !isExampleUrl(key))
}
