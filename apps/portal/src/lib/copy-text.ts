/**
 * Puts a text into the clipboard. Browsers keep their way to it from pages that came from another machine
 * without https, as in many a closed network; there a selection is copied, as by hand.
 *
 * @throws when the browser allows neither.
 */
export async function copyText(text: string): Promise<void> {
  if ('clipboard' in navigator) return navigator.clipboard.writeText(text)
  if (!copySelected(text)) throw new Error('this browser lets nothing be copied')
}

function copySelected(text: string): boolean {
  const span = document.createElement('span')
  span.textContent = text
  span.style.cssText = 'position:fixed;inset:0 auto auto 0;opacity:0;white-space:pre'
  document.body.append(span)
  const selection = getSelection()
  const before = selection?.rangeCount ? selection.getRangeAt(0) : undefined
  try {
    selection?.selectAllChildren(span)
    // Deprecated, and the only way without https.
    // oxlint-disable-next-line typescript/no-deprecated
    return document.execCommand('copy')
  } finally {
    selection?.removeAllRanges()
    if (before) selection?.addRange(before)
    span.remove()
  }
}
