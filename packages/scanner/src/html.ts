/** Properties of an HTML page, read from its source. */

/** The target of a page that only redirects, by a meta refresh within a few seconds or by a script. */
export function refreshTarget(html: string): string | undefined {
  return metaRefresh(html) ?? scriptRefresh(html)
}

function metaRefresh(html: string): string | undefined {
  const [tag = ''] =
    /<meta\b[^>]{0,100}\bhttp-equiv\s{0,5}=\s{0,5}["']?refresh\b[^>]{0,400}/i.exec(html.slice(0, 20_000)) ?? []
  return /\bcontent\s{0,5}=\s{0,5}["']?\s{0,5}\d(?:\.\d)?\s{0,5}[;,]\s{0,5}url\s{0,5}=\s{0,5}["']?([^"'\s>]{1,300})/i.exec(
    tag,
  )?.[1]
}

/** Such a page is short, has no form or script files, and shows at most a link for browsers without scripts. */
const scriptedPageMax = 5000
const linkTextMax = 120

function scriptRefresh(html: string): string | undefined {
  if (html.length > scriptedPageMax || /<form\b|<script\b[^>]{0,300}\bsrc\b/i.test(html)) return undefined
  const shown = ['script', 'style', 'title'].reduce((rest, tag) => withoutElements(rest, tag), html)
  if (shown.replaceAll(/<[^>]{0,500}>/g, '').trim().length > linkTextMax) return undefined
  return /\blocation(?:\.href)?\s{0,5}(?:=|\.(?:replace|assign)\()\s{0,5}["']([^"'\s]{1,300})["'](?!\s{0,5}\+)/.exec(
    html,
  )?.[1]
}

/** Whether a page has a password field. */
export function hasPasswordField(html: string): boolean {
  return /<input\b[^>]{0,300}\btype\s{0,9}=\s{0,9}["']?password/i.test(html)
}

/** The texts of the first comments that aren't long. */
export function commentsIn(html: string): readonly string[] {
  return [...html.matchAll(/<!--([\s\S]{1,500}?)-->/g).take(20)].map(([, text = '']) => text)
}

/** The page without the elements of this name and their content. */
export function withoutElements(html: string, tag: string): string {
  const [before = '', ...elements] = html.split(new RegExp(`<${tag}\\b`, 'i'))
  const end = new RegExp(`</${tag}>`, 'i')
  return [before, ...elements.map((element) => element.split(end).slice(1).join(' '))].join(' ')
}
