/** A text in Markdown as a page in the look of the product, which needs no script. */
import { escape, framed } from '#http/page-frame.ts'
import { Marked, type Tokens } from 'marked'

/** Renders a text of the project; raw HTML in it is left out. */
export function documentPage(markdown: string, addressOf: (link: string) => string | undefined): string {
  const sections: Section[] = []
  const body = rendererOf(sections, addressOf).parse(markdown, { async: false })
  const navigation = sections
    .filter(({ depth }) => depth === 2)
    .map(({ id, text }) => `<li><a href="#${id}">${text}</a></li>`)
  const list = navigation.length > 1 ? `<nav aria-label="On this page"><ul>${navigation.join('')}</ul></nav>` : ''
  return framed({ title: nameOf(sections), styles: ['/docs/documents.css'], aside: list, main: body })
}

/** A text of our own as a part of another page. Raw HTML in it is left out. */
export function proseOf(markdown: string): string {
  return rendererOf([], () => undefined).parse(markdown, { async: false })
}

/** What the window is called: the first heading, said once where it is the product's own name. */
function nameOf([first]: readonly Section[]): string {
  return first && first.text !== 'Glacis' ? `${first.text} · Glacis` : 'Help · Glacis'
}

interface Section {
  readonly id: string
  /** The same for headings of the same words. */
  readonly slug: string
  /** Escaped. */
  readonly text: string
  readonly depth: number
}

function rendererOf(sections: Section[], addressOf: (link: string) => string | undefined): Marked {
  const marked = new Marked()
  marked.use({
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens)
        const text = html.replaceAll(/<[^>]*>/g, '')
        const slug = slugOf(text)
        const same = sections.filter((other) => other.slug === slug).length
        const id = same > 0 ? `${slug}-${same + 1}` : slug
        sections.push({ id, slug, text, depth })
        return `<h${depth} id="${id}">${html}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const address = /^(?:https?:|mailto:|#)/.test(href) ? href : addressOf(href)
        const text = this.parser.parseInline(tokens)
        return address === undefined ? text : `<a href="${escape(address)}">${text}</a>`
      },
      image({ href, text }) {
        const address = addressOf(href)
        return address === undefined ? '' : `<img src="${escape(address)}" alt="${escape(text)}" loading="lazy">`
      },
      table(token) {
        return tableOf(token, (cell) => this.parser.parseInline(cell.tokens))
      },
      code({ text }) {
        return `<pre tabindex="0"><code>${escape(text)}</code></pre>\n`
      },
      html: () => '',
    },
  })
  return marked
}

/** The words in small letters, of what was escaped nothing. */
function slugOf(text: string): string {
  const words = text.replaceAll(/&\w+;/g, '').toLowerCase()
  return words.replaceAll(/[^a-z0-9]+/g, '-')
}

/** A head without words is no head. What is wider than the page scrolls by itself. */
function tableOf({ header, rows }: Tokens.Table, inline: (cell: Tokens.TableCell) => string): string {
  const cellOf = (cell: Tokens.TableCell) => `<td>${inline(cell)}</td>`
  const headOf = (cell: Tokens.TableCell) => (cell.text ? `<th scope="col">${inline(cell)}</th>` : '<td></td>')
  const head = header.some(({ text }) => text) ? `<thead><tr>${header.map(headOf).join('')}</tr></thead>` : ''
  const body = rows.map((row) => `<tr>${row.map(cellOf).join('')}</tr>`).join('')
  return `<div class="wide" tabindex="0" role="group" aria-label="Table"><table>${head}<tbody>${body}</tbody></table></div>\n`
}

export const documentStyle = `
td,th{min-width:9rem}img{width:100%;aspect-ratio:auto 8/5;border:1px solid var(--line);border-radius:7px;display:block}`
