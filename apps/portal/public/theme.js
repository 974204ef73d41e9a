// Sets the theme before the first paint; src/lib/theme.ts takes over afterwards. It stands in a file
// of its own because the page's security policy allows no script inside the document.

// The same policy allows no code made from text. Zod tries once whether it may, and the browser writes a
// violation into its console; told beforehand, it does not try.
globalThis.__zod_globalConfig = { jitless: true }
;(() => {
  let chosen = null
  try {
    chosen = localStorage.getItem('glacis.theme')
  } catch {
    // A browser that forbids storage follows the device.
  }
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
})()
