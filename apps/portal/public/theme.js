// Sets the theme before the first paint; src/lib/theme.ts takes over afterwards. It stands in a file
// of its own because the page's security policy allows no script inside the document.
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
