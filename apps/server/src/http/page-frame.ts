/** The layout of server-rendered pages: documentation and API reference. */

interface Page {
  /** HTML-escaped, like all members. */
  readonly title: string
  readonly styles: readonly string[]
  readonly scripts?: readonly string[]
  /** Sidebar; empty for none. */
  readonly aside: string
  readonly main: string
}

export function renderPage({ title, styles, scripts = [], aside, main }: Page): string {
  const links = ['/docs/frame.css', ...styles].map((href) => `<link rel="stylesheet" href="${href}">`).join('')
  const ending = scripts.map((src) => `<script src="${src}"></script>`).join('')
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="icon" href="/favicon.svg">${links}</head><body>
<header><a href="/" class="brand"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M1.5 20.5 12.6 9.4H22.5v11.1z" fill="currentColor"/><path d="M2.6 13.4 12.5 3.5H22.5" fill="none" stroke="currentColor" stroke-width="2.1"/></svg><span>Glacis</span></a>
<nav aria-label="Documentation"><a href="/docs/help">Documentation</a><a href="/docs/api">API documentation</a><a href="/docs/releases">Changelog</a><a href="/docs/licence">License</a></nav></header>
<div class="page">${aside && `<aside>${aside}</aside>`}<main>${main}</main></div>${ending}</body></html>`
}

export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

const fontFamilies = { geist: 'Geist Variable', 'geist-mono': 'Geist Mono Variable' } as const

/** @param fontFiles file names below `/files/`; only the Latin subsets of the portal's fonts are used */
export function frameStyle(fontFiles: readonly string[]): string {
  const faces = Object.entries(fontFamilies).flatMap(([name, family]) => {
    const file = fontFiles.find((item) => item.startsWith(`${name}-latin-wght-normal-`))
    if (!file) return []
    return [
      `@font-face{font-family:"${family}";font-weight:100 900;font-display:swap;src:url("/files/${file}") format("woff2")}`,
    ]
  })
  return faces.join('\n') + baseStyle
}

const baseStyle = `
:root{color-scheme:light dark;--ink:#121a1e;--soft:#4e595e;--line:#e5e8ea;--fill:#f3f5f7;--current:#e9edef;--ground:#fafbfc;--accent:#005764}
@media (prefers-color-scheme:dark){:root{--ink:#eaedef;--soft:#b8bfc3;--line:#23292c;--fill:#1a1f22;--current:#23292c;--ground:#0b0e10;--accent:#90d8e7}body{background:#101315}}
*{box-sizing:border-box}html{scroll-padding-top:1.5rem}body{margin:0;font:14px/22px "Geist Variable",Geist,system-ui,sans-serif;color:var(--ink)}
header{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem 2rem;min-height:56px;padding:.5rem 2rem;border-bottom:1px solid var(--line)}
header nav{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;font-size:13px}header nav a{color:var(--soft);text-decoration:none}header nav a:hover{text-decoration:underline}
.brand{display:inline-flex;align-items:center;gap:.6rem;font-weight:600;font-size:15px;color:var(--ink);text-decoration:none}.brand svg{width:22px;color:var(--accent)}
:is(a,pre,summary,.wide):focus-visible{outline:2px solid var(--accent);outline-offset:2px}
@media (max-width:52rem){header{padding-inline:1rem}header nav{column-gap:.75rem}}`
