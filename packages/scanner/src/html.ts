/** Facts about an HTML page that its text shows. */

/** The target of a page that redirects itself within a few seconds (`meta refresh`). */
export function refreshTarget(html: string): string | undefined {
  const [tag = ''] =
    /<meta\b[^>]{0,100}\bhttp-equiv\s{0,5}=\s{0,5}["']?refresh\b[^>]{0,400}/i.exec(html.slice(0, 20_000)) ?? []
  return /\bcontent\s{0,5}=\s{0,5}["']?\s{0,5}\d(?:\.\d)?\s{0,5}[;,]\s{0,5}url\s{0,5}=\s{0,5}["']?([^"'\s>]{1,300})/i.exec(
    tag,
  )?.[1]
}

/** Whether a page has a password field. */
export function hasPasswordField(html: string): boolean {
  return /<input\b[^>]{0,300}\btype\s{0,9}=\s{0,9}["']?password/i.test(html)
}

/** The page without the elements of this name and their content. */
export function withoutElements(html: string, tag: string): string {
  const [before = '', ...elements] = html.split(new RegExp(`<${tag}\\b`, 'i'))
  const end = new RegExp(`</${tag}>`, 'i')
  return [before, ...elements.map((element) => element.split(end).slice(1).join(' '))].join(' ')
}
