/** A text in Markdown as a page in the look of the product, which needs no script. */
import { Marked, type Tokens } from 'marked'

/** Renders a text of the project; raw HTML in it is left out. */
export function documentPage(markdown: string, addressOf: (link: string) => string | undefined): string {
  const sections: Section[] = []
  const body = rendererOf(sections, addressOf).parse(markdown, { async: false })
  const navigation = sections
    .filter(({ depth }) => depth === 2)
    .map(({ id, text }) => `<li><a href="#${id}">${text}</a></li>`)
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${nameOf(sections)}</title><link rel="stylesheet" href="/docs/documents.css"></head><body>
<header><a href="/" class="brand"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M1.5 20.5 12.6 9.4H22.5v11.1z" fill="currentColor"/><path d="M2.6 13.4 12.5 3.5H22.5" fill="none" stroke="currentColor" stroke-width="2.1"/></svg><span>Glacis</span></a>
<nav aria-label="Documentation"><a href="/docs/help">Help</a><a href="/docs/api">API documentation</a><a href="/docs/releases">Releases</a><a href="/docs/licence">Licence</a></nav></header>
<div class="page">${navigation.length > 1 ? `<aside><nav aria-label="On this page"><ul>${navigation.join('')}</ul></nav></aside>` : ''}
<main>${body}</main></div></body></html>`
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

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

export const documentStyle = `
:root{color-scheme:light dark;--ink:#121a1e;--soft:#4e595e;--line:#e5e8ea;--fill:#f3f5f7;--accent:#005764}
@media (prefers-color-scheme:dark){:root{--ink:#eaedef;--soft:#b8bfc3;--line:#23292c;--fill:#161a1c;--accent:#90d8e7}body{background:#101315}}
*{box-sizing:border-box}html{scroll-padding-top:1.5rem}body{margin:0;font:14px/22px "Geist Variable",Geist,system-ui,sans-serif;color:var(--ink)}
header{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem 2rem;min-height:56px;padding:.5rem 2rem;border-bottom:1px solid var(--line)}
header nav{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;font-size:13px}header nav a{color:var(--soft);text-decoration:none}header nav a:hover{text-decoration:underline}
.brand{display:inline-flex;align-items:center;gap:.6rem;font-weight:600;font-size:15px;color:var(--ink);text-decoration:none}.brand svg{width:22px;color:var(--accent)}
.page{display:grid;grid-template-columns:15rem minmax(0,1fr);max-width:80rem}aside{padding:1.75rem 1rem 1.75rem 2rem;font-size:13px}
aside nav{position:sticky;top:1.5rem}aside ul{list-style:none;margin:0;padding:0}aside a{display:block;padding:.2rem 0;color:var(--soft);text-decoration:none}aside a:hover{color:var(--ink);text-decoration:underline}
main{padding:1.5rem 2rem 4rem;min-width:0}main:only-child{grid-column:1/-1}main>:is(p,ul,ol,h1,h2,h3){max-width:68ch}
h1{font-size:20px;line-height:28px;letter-spacing:-.014em;margin:0 0 .75rem}h2{font-size:16px;line-height:24px;margin:2.25rem 0 .5rem}h3{font-size:14px;line-height:20px;margin:1.5rem 0 .25rem}
p,li,td{color:var(--soft)}strong{color:var(--ink)}li{margin:.3rem 0}a{color:var(--accent);text-underline-offset:3px}:is(a,pre,.wide):focus-visible{outline:2px solid var(--accent);outline-offset:2px}
code{font:12.5px/20px "Geist Mono Variable","Geist Mono",ui-monospace,monospace;color:var(--ink);overflow-wrap:anywhere}pre{background:var(--fill);border-radius:7px;padding:.75rem 1rem;overflow:auto;max-width:80ch}pre code{overflow-wrap:normal}
.wide{overflow-x:auto;margin:1rem 0}table{border-collapse:collapse;width:100%}th{font-size:12px;font-weight:500;text-align:left;color:var(--soft)}
td,th{border-bottom:1px solid var(--line);padding:.5rem 1rem .5rem 0;vertical-align:top;min-width:9rem}img{width:100%;aspect-ratio:auto 8/5;border:1px solid var(--line);border-radius:7px;display:block}
@media (max-width:52rem){.page{display:block}aside{display:none}main,header{padding-inline:1rem}}`
