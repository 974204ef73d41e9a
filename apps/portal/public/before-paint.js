// Runs before the first paint. It is a separate file because the Content-Security-Policy allows no inline scripts.

// The policy forbids eval. Zod would test for it once, which the browser reports as a violation.
globalThis.__zod_globalConfig = { jitless: true }

// Script URLs that aren't marked as trusted, such as those of workers, must be our own (Trusted Types).
globalThis.trustedTypes?.createPolicy('default', {
  createScriptURL: (url) => (new URL(url, location.href).origin === location.origin ? url : null),
})

// The stored theme, so that the page never flashes in the other one. lib/theme.ts takes over afterward.
let theme = null
try {
  theme = localStorage.getItem('glacis.theme')
} catch {
  // Without storage the theme follows the device.
}
const isDark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
document.documentElement.dataset.theme = isDark ? 'dark' : 'light'

// The app can't report that its own scripts failed to load.
addEventListener(
  'error',
  ({ target }) => {
    if (target instanceof HTMLScriptElement) document.getElementById('load-error')?.removeAttribute('hidden')
  },
  true,
)
