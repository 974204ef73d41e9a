/**
 * Copies text to the clipboard. Browsers restrict the Clipboard API to secure contexts, so on plain HTTP (common in
 * isolated networks) it falls back to copying a selection.
 *
 * @throws if the browser allows neither
 */
export async function copyText(text: string): Promise<void> {
  if ('clipboard' in navigator) return navigator.clipboard.writeText(text)
  if (!copySelection(text)) throw new Error('the browser denied access to the clipboard')
}

function copySelection(text: string): boolean {
  const span = document.createElement('span')
  span.textContent = text
  span.style.cssText = 'position:fixed;inset:0 auto auto 0;opacity:0;white-space:pre'
  document.body.append(span)
  const selection = getSelection()
  const before = selection?.rangeCount ? selection.getRangeAt(0) : undefined
  try {
    selection?.selectAllChildren(span)
    // Deprecated, but the only way without HTTPS.
    // oxlint-disable-next-line typescript/no-deprecated
    return document.execCommand('copy')
  } finally {
    selection?.removeAllRanges()
    if (before) selection?.addRange(before)
    span.remove()
  }
}
