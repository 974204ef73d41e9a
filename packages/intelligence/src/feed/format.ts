/** Detects the format of a feed file from its content, because file names are unreliable. */

/** The supported formats. */
export type Format =
  | 'nvd'
  | 'override'
  | 'cve5'
  | 'kev'
  | 'epss'
  | 'lifecycle'
  | 'lifecycle-page'
  | 'tracker'
  | 'osv'
  | 'distribution'
  | 'retire'
  | 'dictionary'
  | 'template'
  | 'fingerprints'

/** How much of a file is needed for detection, in characters. */
export const headLength = 64 * 1024

/**
 * Detects the format of a file.
 *
 * @param name its name inside an archive or a folder; used only if the content is ambiguous
 * @param head its first characters, at most `headLength` are needed
 * @returns null if the format is unknown, for example an HTML error page served instead of a feed
 */
export function recognizeFormat(name: string, head: string): Format | null {
  const text = head.replace(/^\uFEFF/, '').trimStart()
  if (text.startsWith('{') || text.startsWith('[')) return detectJsonFormat(text)
  if (/^<\?xml|^<!--|^<fingerprints/.test(text)) return /<fingerprints[\s>]/.test(text) ? 'fingerprints' : null
  if (text.startsWith('---') && name.endsWith('.md')) return /^releases:/m.test(text) ? 'lifecycle-page' : null
  if (/^(?:#model_version|cve,epss)/m.test(text.slice(0, 300))) return 'epss'
  if (/^"?(?:part"?[,\t]"?)?vendor"?[,\t]"?product"?/.test(text)) return 'dictionary'
  if (/\.ya?ml$/.test(name) && /^id:/m.test(text) && /^info:/m.test(text)) return 'template'
  return null
}

function detectJsonFormat(text: string): Format | null {
  const has = (pattern: RegExp) => pattern.test(text)
  if (has(/"dataType"\s*:\s*"CVE_RECORD"/)) return 'cve5'
  if (has(/"_annotation"\s*:/)) return 'override'
  if (has(/"catalogVersion"\s*:/) || has(/"cveID"\s*:/)) return 'kev'
  if (has(/"schema_version"\s*:/) && has(/"(?:affected|withdrawn)"\s*:/)) return 'osv'
  if (has(/"schema_version"\s*:/) && has(/"(?:releases|result)"\s*:/)) return 'lifecycle'
  if (has(/^\[?\s*\{\s*"distribution"\s*:/)) return 'distribution'
  if (has(/"extractors"\s*:/) && has(/"vulnerabilities"\s*:/)) return 'retire'
  if (has(/"format"\s*:\s*"NVD_CVE"/) || has(/"vulnerabilities"\s*:\s*\[\s*(?:\]|\{\s*"cve"\s*:)/)) return 'nvd'
  if (has(/^\{\s*(?:"cve"\s*:\s*\{\s*)?"id"\s*:\s*"CVE-/)) return 'nvd'
  if (has(/"CVE-\d{4}-\d{4,9}"\s{0,9}:\s{0,9}\{[^{}]{0,2000}?"(?:releases|scope|description|debianbug)"/))
    return 'tracker'
  return null
}
