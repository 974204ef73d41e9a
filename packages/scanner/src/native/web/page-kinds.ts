/** Weaknesses that a page itself proves, regardless of the program. */
import { hasPasswordField } from '#html.ts'
import { formsIn, headingsOf, type HtmlForm } from '#native/web/html-forms.ts'

/** Parts of a page. */
export interface ShownPage {
  readonly path: string
  readonly html: string
}
/** @returns the parts of the page that prove the weakness; undefined if none do */
export type Judge = (page: ShownPage) => readonly string[] | undefined

const setupWords =
  /\b(?:install|installation|installer|set-?up|first[- ](?:run|time)|initial (?:configuration|set-?up)|configuration wizard|create (?:the |an? |your )?(?:first |initial |new )?(?:admin|administrator|owner|root|super ?user) (?:account|user))\b/i
const setupPath =
  /\/(?:[\w.-]{0,40}\/){0,3}(?:install|installer|installation|set-?up|first-?run|onboarding|wizard)(?:\.\w{2,5})?\/?$/i
const configurationField =
  /admin|city|continent|database|^db|[_[]db|dsn|e?mail|host|lang|locale|path|prefix|site|time_?zone|title|url|application_?name|(?:dir|directory|home|port)\]?$/i
/** The page states that the application needs a setup. */
const needsSetup =
  /\b(?:application|instance|repository|server|service|site|system|wiki) (?:is|has) not (?:(?:been|fully|properly|yet) ){0,3}(?:configured|initialized|installed|set ?up)\b/i

/**
 * The form of an installer, or of a first start, that creates an administrator or configures the application. A form
 * with a single password and nothing to configure is a login.
 */
export const setupForm: Judge = ({ path, html }) => {
  const headings = headingsOf(html)
  for (const form of formsIn(html)) {
    // Jupyter's login also sets a password, which requires the token.
    if (!form.isPost || form.labels.some((label) => loginWords.test(label))) continue
    const words = [...headings, ...form.labels].find((text) => setupWords.test(text))
    if (words === undefined && !setupPath.test(path)) continue
    const passwords = form.fields.filter(({ type }) => type === 'password')
    const configured = namesOf(form).filter((name) => configurationField.test(name))
    const isStated = words !== undefined && needsSetup.test(html)
    const isSetup =
      passwords.length > 0 ? passwords.length + configured.length > 1 : configured.length > (isStated ? 0 : 2)
    if (!isSetup || isInvited(form) || (words === undefined && configured.length < 2)) continue
    return [words, passwords[0]?.name, configured[0]].filter((text) => text !== undefined && text !== '') as string[]
  }
  return undefined
}

/** Whether a form asks for a database with its server and account, as only an installer or a database client does. */
export function asksForDatabase(html: string): boolean {
  return formsIn(html).some((form) => {
    const names = namesOf(form)
    const hasAll = [/host|server/i, /database|^db_?(?:name)?$/i, /user|login|^name$/i].every((field) =>
      names.some((name) => field.test(name)),
    )
    return form.isPost && hasAll && form.fields.some(({ type }) => type === 'password')
  })
}

const loginWords = /^(?:log|sign) ?in\b/i
const registrationWords = /\b(?:registration|register|sign ?-?up|create (?:an? |your |new |my )?account)\b/i
const registrationPath = /(?:register|registration|sign-?up|create-?account|join)\b/i
const closed =
  /\b(?:registrations? (?:is|are)|sign-?ups? (?:is|are)) (?:currently |temporarily )?(?:closed|disabled|not (?:open|allowed|available))/i

/** The page's own script hides the form of an application that doesn't accept accounts. */
const closedInScript =
  /\b(?:allow|enable|can)?_?(?:new_?accounts?|(?:user|self)?_?(?:registrations?|sign_?ups?))(?:_?(?:enabled|open|allowed))?["']?\s{0,3}[=:]\s{0,3}["']?(?:false|0|no|off)\b/i

/** A form that creates an account, not one that invites users. */
export const registrationForm: Judge = ({ path, html }) => {
  if (closed.test(html) || closedInScript.test(html)) return undefined
  const headings = headingsOf(html)
  for (const form of formsIn(html)) {
    const passwords = form.fields.filter(({ type }) => type === 'password')
    const names = namesOf(form)
    const hasIdentity = names.some((name) => /e?mail|user|login|name/i.test(name))
    if (!form.isPost || passwords.length === 0 || !hasIdentity || isInvited(form)) continue
    const isNamed = form.labels.some((label) => registrationWords.test(label))
    const isAddressed = registrationPath.test(form.action === '' ? path : form.action)
    const heading = headings.find((text) => registrationWords.test(text))
    if (!isNamed && !(isAddressed && heading !== undefined)) continue
    // Where a page has both forms, a login has no confirmation and no email.
    if (form.labels.some((label) => loginWords.test(label)) && !isNamed) continue
    if (setupForm({ path, html })) return undefined
    const label = form.labels.find((text) => registrationWords.test(text)) ?? heading
    return [passwords[0]?.name ?? '', label ?? ''].filter((text) => text !== '')
  }
  return undefined
}

function isInvited({ fields }: HtmlForm): boolean {
  return fields.some(({ name }) =>
    /invite|invitation|(?:access|registration|sign_?up|setup|secret)[_-]?(?:code|token|key)|set_?up_?pass/i.test(name),
  )
}

/** The page of an installer that requires a token, or a password of its own. */
export const protectedSetup: Judge = ({ path, html }) => {
  if (!setupPath.test(path)) return undefined
  const words = headingsOf(html).find((text) => setupWords.test(text))
  if (words === undefined) return undefined
  for (const form of formsIn(html)) {
    const secret = form.fields.find(
      ({ type, name }) => type !== 'hidden' && /^(?:(?:install|set)_?up_?)?token$|set_?up_?(?:token|pass)/i.test(name),
    )
    if (form.isPost && secret) return [words, secret.name]
  }
  return undefined
}

function namesOf({ fields }: HtmlForm): string[] {
  return fields.flatMap(({ type, name }) => (/^(?:submit|button|reset|image)$/.test(type) ? [] : name))
}

const editPath = /(?:[?&](?:action|do|cmd|op|mode|view)=edit\b|[?&]edit\b|[/_+](?:edit|edit_?page)(?:[/?.]|$))/i
const saveLabel = /^\W{0,3}(?:save|publish|update|submit|preview|store)\b/i

/** A form that replaces the text of a page. */
export const pageEditor: Judge = ({ path, html }) => {
  if (!editPath.test(path) || hasPasswordField(html)) return undefined
  for (const form of formsIn(html)) {
    const text = form.fields.find(
      ({ tag, isReadOnly, name }) => tag === 'textarea' && !isReadOnly && !/comment|reply|message|feedback/i.test(name),
    )
    const label = form.labels.find((candidate) => saveLabel.test(candidate))
    if (form.isPost && text && label !== undefined) return [text.name, label].filter((part) => part !== '')
  }
  return undefined
}

/** A form, or an editor in a page about SQL, that runs statements. */
export const sqlConsole: Judge = ({ html }) => {
  if (hasPasswordField(html)) return undefined
  const headings = headingsOf(html)
  for (const form of formsIn(html)) {
    const field = form.fields.find(
      ({ tag, text, isReadOnly }) =>
        tag === 'textarea' && !isReadOnly && /\b(?:sql\w*|query|statements?)\b/i.test(text),
    )
    const isOnlySql = /^(?:\w{0,20}[_-])?sql$/i.test(field?.name ?? '')
    const label = form.labels.find(
      (text) => /\b(?:execute|run|query|submit|go)\b/i.test(text) || (isOnlySql && text !== ''),
    )
    const heading = [...headings, ...form.labels, field?.text ?? ''].find((text) => /sql|\bdatabase\b/i.test(text))
    if (field && label !== undefined && heading !== undefined) return [field.name, label].filter((part) => part !== '')
  }
  return undefined
}

/** A form that connects to a server of the visitor's choice. */
export const connectionForm: Judge = ({ html }) => {
  const headings = headingsOf(html)
  for (const form of formsIn(html)) {
    const names = namesOf(form)
    const server = names.find((name) => /(?:^|[_[-])(?:host(?:name)?|remote_?host|server|ip_?address)\]?$/i.test(name))
    const user = names.some((name) => /(?:^|[_[-])user(?:_?name)?\]?$/i.test(name))
    const heading = [...headings, ...form.labels].find((text) =>
      /ssh|telnet|\brdp\b|\bvnc\b|remote desktop|terminal|\bftp\b|sql|database/i.test(text),
    )
    if (!form.fields.some(({ type }) => type === 'password') || !user || server === undefined || heading === undefined)
      continue
    // An installer asks for the database, too.
    if (setupWords.test(headings.join('\n'))) continue
    const isFree = form.fields.some(({ name, type }) => name === server && /^(?:text|url|search)$/.test(type))
    if (isFree) return [server, heading]
  }
  return undefined
}

const logLine =
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[^\n<]{0,200}\b(?:trace|debug|info|notice|warn(?:ing)?|error|critical|fatal)\b|\[\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}\][^\n<]{0,20}"(?:GET|POST|HEAD|PUT) /gi
const logLinesMin = 5

/** A page that shows the log of a server. */
export const logPage: Judge = ({ path, html }) => {
  if (hasPasswordField(html)) return undefined
  const isAboutLogs =
    /\/(?:logs?|syslog|journal|access_?log|error_?log|log_?viewer|tail)(?:\.html?|\.php)?\/?(?:$|\?)/i.test(path) ||
    headingsOf(html).some((text) => /\blogs?\b|^tail\b|\bjournal\b|\bsyslog\b/i.test(text))
  const lines = isAboutLogs
    ? [
        ...html
          .slice(0, 256 * 1024)
          .matchAll(logLine)
          .take(logLinesMin),
      ]
    : []
  return lines.length < logLinesMin ? undefined : lines.slice(0, 2).map(([line]) => line.slice(0, 200))
}
