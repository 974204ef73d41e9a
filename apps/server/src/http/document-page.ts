/** A Markdown document as a page with navigation. The page needs no script. */
import { escape, renderPage } from '#http/page-frame.ts'
import { Marked, type Tokens } from 'marked'

interface Document {
  readonly section: string
  readonly url: string
  readonly title: string
}

interface PageInput {
  readonly markdown: string
  readonly url: string
  /** All documents, in the order of the navigation. */
  readonly documents: readonly Document[]
  /** The URL of a link's page or image; undefined if this installation doesn't serve it. */
  readonly urlOf: (link: string) => string | undefined
}

/** Renders a document of the project; raw HTML in it is dropped. */
export function documentPage({ markdown, url, documents, urlOf }: PageInput): string {
  const headings: Heading[] = []
  const body = rendererOf(headings, urlOf).parse(markdown, { async: false })
  const title = headings[0]?.text ?? 'Help'
  const main = `<article>${body}</article>${contentsOf(headings)}`
  return renderPage({
    title: title.includes('Glacis') ? title : `${title} · Glacis`,
    styles: ['/docs/documents.css'],
    aside: navigationOf(documents, url),
    main,
  })
}

/** A disclosure on narrow windows. The style sheet keeps it open next to the text on wide ones. */
function navigationOf(documents: readonly Document[], url: string): string {
  const groups = [...Map.groupBy(documents, ({ section }) => section)].map(([section, pages]) => {
    const links = pages.map((page) => {
      const current = page.url === url ? ' aria-current="page"' : ''
      return `<li><a href="${page.url}"${current}>${escape(page.title)}</a></li>`
    })
    return `<p>${section}</p><ul>${links.join('')}</ul>`
  })
  return `<nav aria-label="Pages"><details><summary>All pages</summary>${groups.join('')}</details></nav>`
}

function contentsOf(headings: readonly Heading[]): string {
  const links = headings
    .filter(({ depth }) => depth === 2)
    .map(({ id, text }) => `<li><a href="#${id}">${text}</a></li>`)
  if (links.length < 2) return ''
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${links.join('')}</ul></nav>`
}

interface Heading {
  readonly id: string
  readonly slug: string
  /** Escaped. */
  readonly text: string
  readonly depth: number
}

function rendererOf(headings: Heading[], urlOf: (link: string) => string | undefined): Marked {
  const marked = new Marked()
  marked.use({
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens)
        const text = html.replaceAll(/<[^>]*>/g, '')
        const slug = slugOf(text)
        const same = headings.filter((other) => other.slug === slug).length
        const id = same > 0 ? `${slug}-${same + 1}` : slug
        headings.push({ id, slug, text, depth })
        return `<h${depth} id="${id}">${html}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const url = /^(?:https?:|mailto:|#)/.test(href) ? href : urlOf(href)
        const text = this.parser.parseInline(tokens)
        return url === undefined ? text : `<a href="${escape(url)}">${text}</a>`
      },
      image({ href, text }) {
        const url = urlOf(href)
        return url === undefined ? '' : `<img src="${escape(url)}" alt="${escape(text)}" loading="lazy">`
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

/** Drops escaped characters. */
function slugOf(text: string): string {
  const plainText = text.replaceAll(/&\w+;/g, '').toLowerCase()
  return plainText.replaceAll(/[^a-z0-9]+/g, '-')
}

/** Omits an empty header row. Tables wider than the page scroll horizontally. */
function tableOf({ header, rows }: Tokens.Table, inline: (cell: Tokens.TableCell) => string): string {
  // On phones, the last column of text would be out of sight.
  const isStacked = header.length === 3 || header.length === 4
  const cellOf = (cell: Tokens.TableCell, column: number) => {
    const label = isStacked ? ` data-label="${escape(header[column]?.text ?? '')}"` : ''
    return `<td${label}>${inline(cell)}</td>`
  }
  const headOf = (cell: Tokens.TableCell) => (cell.text ? `<th scope="col">${inline(cell)}</th>` : '<td></td>')
  const head = header.some(({ text }) => text) ? `<thead><tr>${header.map(headOf).join('')}</tr></thead>` : ''
  const body = rows.map((row) => `<tr>${row.map(cellOf).join('')}</tr>`).join('')
  return `<div class="wide${isStacked ? ' stacked' : ''}" tabindex="0" role="group" aria-label="Table"><table>${head}<tbody>${body}</tbody></table></div>\n`
}

export const documentStyle = `
.page{display:grid;grid-template-columns:16rem minmax(0,1fr)}aside{padding:1.75rem 1.25rem 2rem 2rem;font-size:13px;line-height:20px;border-right:1px solid var(--line);background:var(--ground)}
aside nav{position:sticky;top:1.25rem}nav p{margin:1.25rem 0 .25rem;font-weight:600;color:var(--ink);font-size:12px}nav ul{list-style:none;margin:0;padding:0}nav li{margin:0}
aside a{display:block;padding:.3rem .6rem;margin-left:-.6rem;border-radius:6px;color:var(--soft);text-decoration:none}aside a:hover{color:var(--ink);background:var(--fill)}aside a[aria-current]{color:var(--ink);background:var(--current);font-weight:500}
aside summary{cursor:pointer;padding:.6rem 0;font-weight:500}
main{display:grid;grid-template-columns:minmax(0,1fr) 13rem;gap:3rem;padding:1.75rem 2.5rem 5rem;max-width:84rem;min-width:0}article:only-child{grid-column:1/-1}article{min-width:0}article :is(p,ul,ol,h1,h2,h3){max-width:68ch}
.contents{font-size:12px;line-height:18px;position:sticky;top:1.25rem;align-self:start}.contents p{margin-top:.25rem}.contents a{display:block;padding:.2rem 0;color:var(--soft);text-decoration:none}.contents a:hover{color:var(--ink);text-decoration:underline}
h1{font-size:24px;line-height:32px;letter-spacing:-.014em;margin:0 0 .75rem}h2{font-size:16px;line-height:24px;margin:2.5rem 0 .5rem}h3{font-size:14px;line-height:20px;margin:1.5rem 0 .25rem}
article :is(p,li,td){color:var(--soft)}article strong{color:var(--ink)}li{margin:.3rem 0}a{color:var(--accent);text-underline-offset:3px}
code,pre{font:12.5px/20px "Geist Mono Variable","Geist Mono",ui-monospace,monospace;color:var(--ink)}code{overflow-wrap:anywhere}:is(p,li,td) code{background:var(--fill);border-radius:4px;padding:.1rem .3rem}pre{background:var(--fill);border-radius:7px;padding:.75rem 1rem;overflow:auto;max-width:80ch}pre code{overflow-wrap:normal}
.wide{overflow-x:auto;margin:1rem 0}table{border-collapse:collapse;width:100%}th{font-size:12px;font-weight:500;text-align:left;color:var(--soft)}
td,th{border-bottom:1px solid var(--line);padding:.5rem 1.25rem .5rem 0;vertical-align:top;min-width:6rem}td:has(code){min-width:11.5rem}td:last-child{padding-right:0;min-width:14rem}img{width:100%;aspect-ratio:auto 8/5;border:1px solid var(--line);border-radius:7px;display:block}
@media (min-width:52.01rem){td:first-child code{white-space:nowrap}aside nav :is(p:first-of-type){margin-top:.25rem}}
@supports selector(::details-content){@media (min-width:52.01rem){aside summary{display:none}aside details::details-content{content-visibility:visible}}}
@media (max-width:70rem){main{grid-template-columns:minmax(0,1fr)}.contents{display:none}}
@media (max-width:52rem){.page{display:block}aside{padding:.25rem 1rem;border-right:0;border-bottom:1px solid var(--line)}aside nav{position:static}aside details[open]{padding-bottom:1rem}aside a{padding-block:.7rem}main{padding:1.25rem 1rem 4rem}
.stacked thead{display:none}.stacked tr{display:block;padding:.5rem 0;border-bottom:1px solid var(--line)}.stacked td{display:block;min-width:0!important;padding:.1rem 0;border:0}.stacked td:not(:first-child,:last-child)::before{content:attr(data-label) ": "}}`
