/** Identifies an unknown service by a greeting or a reply that states a name and a version. */

/** Protocols, platforms, and words that don't name the program. */
const otherNames = new Set(
  (
    'api agent application bad build client command commands connected daemon date debian error failed firmware freebsd hello help host ' +
    'http https imap interface invalid linux login message mysql node ok openssl password pop3 port protocol ready received release request ' +
    'rfb rtsp server service session sip smtp ssh ssl status system tcp the time tls ubuntu udp unknown uptime usage version ' +
    'warning welcome windows xml your'
  ).split(' '),
)
const textMax = 2000
const version = String.raw`(\d{1,4}\.\d{1,4}(?:\.\d{1,5}){0,2}(?:-?(?:alpha|beta|rc|b)\.?\d{0,3})?)`
const opening = String.raw`(?:\d{3}[- ]|[*+] ?OK |OK |# ?|(?:Welcome to|Hello,? this is|This is|Connected to)(?: the)? )?`
/** Programs of a suite name it in parentheses: `debuginfod (elfutils) 0.188`. */
const suite = String.raw`(?: \([A-Za-z][\w .+-]{1,30}\))?`
const name = String.raw`([A-Za-z][\w+-]{2,30}(?: [A-Z][\w+-]{1,20}){0,2}?)${suite}`
const stated = new RegExp(
  String.raw`^${opening}${name}(?:[ /-]|, )(?:(?:server|daemon|console|shell) )?(?:(?:version|release):? |v)?${version}(?![\w.]|-\w)`,
  'i',
)
const inJson =
  /^\{[^{}]{0,500}?"(?:name|server|service|product|app|application)"\s{0,3}:\s{0,3}"([A-Za-z][\w .+-]{2,40})"[^{}]{0,500}?"version"\s{0,3}:\s{0,3}"v?(\d{1,4}\.\d{1,4}\.\d{1,5}[\w.+-]{0,20})"/i

/**
 * @param text a greeting or reply, decoded as Latin-1
 * @returns `Name 1.2.3` if the first line states both, or an object in JSON; otherwise undefined
 */
export function statedName(text: string): string | undefined {
  const start = text.slice(0, textMax).trimStart()
  // Binary data can contain text by chance.
  if (/[^\t\r\n\x20-\x7e]/.test(start)) return undefined
  const [, product = '', release = ''] = stated.exec(start.split(/\r?\n/, 1)[0] ?? '') ?? inJson.exec(start) ?? []
  const words = product.toLowerCase().split(/[ _-]/)
  if (product === '' || words.some((word) => otherNames.has(word))) return undefined
  return `${product.trim()} ${release}`
}
