/** The frame of the pages that the server makes itself: documentation and reference. They need no script. */

interface Page {
  /** Escaped, as all of them. */
  readonly title: string
  readonly styles: readonly string[]
  /** What stands beside the text; empty for nothing. */
  readonly aside: string
  readonly main: string
}

export function framed({ title, styles, aside, main }: Page): string {
  const links = ['/docs/frame.css', ...styles].map((href) => `<link rel="stylesheet" href="${href}">`).join('')
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="icon" href="/favicon.svg">${links}</head><body>
<header><a href="/" class="brand"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M1.5 20.5 12.6 9.4H22.5v11.1z" fill="currentColor"/><path d="M2.6 13.4 12.5 3.5H22.5" fill="none" stroke="currentColor" stroke-width="2.1"/></svg><span>Glacis</span></a>
<nav aria-label="Documentation"><a href="/docs/help">Help</a><a href="/docs/api">API documentation</a><a href="/docs/releases">Releases</a><a href="/docs/licence">Licence</a></nav></header>
<div class="page">${aside && `<aside>${aside}</aside>`}<main>${main}</main></div></body></html>`
}

export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

const fontFamilies = { geist: 'Geist Variable', 'geist-mono': 'Geist Mono Variable' } as const

/** @param fontFiles names of files below `/files/`; of those of the portal's fonts, the Latin ones are used */
export function frameStyle(fontFiles: readonly string[]): string {
  const faces = Object.entries(fontFamilies).flatMap(([name, family]) => {
    const file = fontFiles.find((one) => one.startsWith(`${name}-latin-wght-normal-`))
    if (!file) return []
    return [
      `@font-face{font-family:"${family}";font-weight:100 900;font-display:swap;src:url("/files/${file}") format("woff2")}`,
    ]
  })
  return faces.join('\n') + looks
}

const looks = `
:root{color-scheme:light dark;--ink:#121a1e;--soft:#4e595e;--line:#e5e8ea;--fill:#f3f5f7;--accent:#005764}
@media (prefers-color-scheme:dark){:root{--ink:#eaedef;--soft:#b8bfc3;--line:#23292c;--fill:#161a1c;--accent:#90d8e7}body{background:#101315}}
*{box-sizing:border-box}html{scroll-padding-top:1.5rem}body{margin:0;font:14px/22px "Geist Variable",Geist,system-ui,sans-serif;color:var(--ink)}
header{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem 2rem;min-height:56px;padding:.5rem 2rem;border-bottom:1px solid var(--line)}
header nav{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;font-size:13px}header nav a{color:var(--soft);text-decoration:none}header nav a:hover{text-decoration:underline}
.brand{display:inline-flex;align-items:center;gap:.6rem;font-weight:600;font-size:15px;color:var(--ink);text-decoration:none}.brand svg{width:22px;color:var(--accent)}
.page{display:grid;grid-template-columns:15rem minmax(0,1fr);max-width:80rem}aside{padding:1.75rem 1rem 1.75rem 2rem;font-size:13px}
aside nav{position:sticky;top:1.5rem}aside ul{list-style:none;margin:0;padding:0}aside a{display:block;padding:.2rem 0;color:var(--soft);text-decoration:none}aside a:hover{color:var(--ink);text-decoration:underline}
main{padding:1.5rem 2rem 4rem;min-width:0}main:only-child{grid-column:1/-1}main :is(p,ul,ol,h1,h2,h3){max-width:68ch}
h1{font-size:20px;line-height:28px;letter-spacing:-.014em;margin:0 0 .75rem}h2{font-size:16px;line-height:24px;margin:2.25rem 0 .5rem}h3{font-size:14px;line-height:20px;margin:1.5rem 0 .25rem}
p,li,td{color:var(--soft)}strong{color:var(--ink)}li{margin:.3rem 0}a{color:var(--accent);text-underline-offset:3px}:is(a,pre,summary,.wide):focus-visible{outline:2px solid var(--accent);outline-offset:2px}
code,pre{font:12.5px/20px "Geist Mono Variable","Geist Mono",ui-monospace,monospace;color:var(--ink)}code{overflow-wrap:anywhere}pre{background:var(--fill);border-radius:7px;padding:.75rem 1rem;overflow:auto;max-width:80ch}pre code{overflow-wrap:normal}
.wide{overflow-x:auto;margin:1rem 0}table{border-collapse:collapse;width:100%}th{font-size:12px;font-weight:500;text-align:left;color:var(--soft)}
td,th{border-bottom:1px solid var(--line);padding:.5rem 1rem .5rem 0;vertical-align:top}
@media (max-width:52rem){.page{display:block}aside{display:none}main,header{padding-inline:1rem}}`
