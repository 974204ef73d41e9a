/** Forms of an HTML page, and the texts that describe its purpose. */

export interface HtmlForm {
  readonly isPost: boolean
  readonly action: string
  readonly fields: readonly HtmlField[]
  /** Labels of its buttons, and of its legend. */
  readonly labels: readonly string[]
}
export interface HtmlField {
  readonly tag: 'input' | 'select' | 'textarea'
  /** The type of an input; empty for other elements. */
  readonly type: string
  readonly name: string
  /** The initial value of an input. */
  readonly value: string
  /** Name, ID, and placeholder. */
  readonly text: string
  readonly isReadOnly: boolean
}

const pageLengthMax = 256 * 1024
const formsMax = 20
const fieldsMax = 200

export function formsIn(html: string): readonly HtmlForm[] {
  const [, ...parts] = html.slice(0, pageLengthMax).split(/<form\b/i)
  return parts.slice(0, formsMax).map((part) => formOf(part.split(/<\/form>/i, 1)[0] ?? ''))
}

function formOf(text: string): HtmlForm {
  const opening = /^[^>]{0,1000}/.exec(text)?.[0] ?? ''
  const fields = text.matchAll(/<(input|select|textarea)\b([^>]{0,1000})/gi).take(fieldsMax)
  return {
    isPost: /^post$/i.test(attribute('method', opening)),
    action: attribute('action', opening),
    fields: [...fields].map(([, tag = '', attributes = '']) => fieldOf(tag.toLowerCase(), attributes)),
    labels: [...elementTexts(text, 'button|legend'), ...submitLabels(text)],
  }
}

function fieldOf(tag: string, attributes: string): HtmlField {
  const name = attribute('name', attributes)
  return {
    tag: tag === 'select' || tag === 'textarea' ? tag : 'input',
    type: tag === 'input' ? attribute('type', attributes).toLowerCase() || 'text' : '',
    name,
    value: attribute('value', attributes),
    text: [name, attribute('id', attributes), attribute('placeholder', attributes)].join(' '),
    isReadOnly: /\s(?:readonly|disabled)\b/i.test(attributes),
  }
}

function submitLabels(text: string): string[] {
  const inputs = text.matchAll(/<input\b([^>]{0,1000})/gi).take(fieldsMax)
  return [...inputs].flatMap(([, attributes = '']) =>
    /^(?:submit|button)$/i.test(attribute('type', attributes)) ? attribute('value', attributes) : [],
  )
}

export function attribute(name: string, tag: string): string {
  for (const [, key = '', double, single, bare] of tag
    .matchAll(/\s([\w:-]{1,40})\s{0,9}=\s{0,9}(?:"([^"]{0,500})"|'([^']{0,500})'|([^\s"'>]{1,500}))/g)
    .take(60)) {
    if (key.toLowerCase() === name) return double ?? single ?? bare ?? ''
  }
  return ''
}

/** The title and headings of a page. */
export function headingsOf(html: string): readonly string[] {
  return elementTexts(html.slice(0, pageLengthMax), 'title|h1|h2|h3')
}

function elementTexts(html: string, names: string): string[] {
  const elements = html.matchAll(new RegExp(String.raw`<(${names})\b[^>]{0,300}>([\s\S]{0,400}?)</\1>`, 'gi')).take(40)
  return [...elements].map(([, , text = '']) => textOf(text)).filter((text) => text !== '')
}

function textOf(html: string): string {
  return html
    .replaceAll(/<[^<>]{0,300}>/g, ' ')
    .replaceAll(/\s{1,200}/g, ' ')
    .trim()
}

/** Link targets of a page. */
export function linksOf(html: string): readonly string[] {
  const links = html
    .slice(0, pageLengthMax)
    .matchAll(/<a\b[^>]{0,300}?\shref\s{0,9}=\s{0,9}(?:"([^"#]{1,300})|'([^'#]{1,300})|([^\s"'#>]{1,300}))/gi)
  return [...links.take(500)].map(([, double, single, bare]) =>
    (double ?? single ?? bare ?? '').replaceAll('&amp;', '&'),
  )
}
