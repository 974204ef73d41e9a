/** The overview for others: its address, and one sheet of paper. */
import { Link2, Printer } from 'lucide-react'
import { copyText } from '#lib/copy-text.ts'
import { addToast } from '#lib/toasts.ts'
import { IconButton } from '#ui/button.tsx'
import './print.css'

/** Period and kind are in the address, so a colleague sees the same. */
export function Share() {
  async function copy(): Promise<void> {
    await copyText(location.href)
    addToast('success', { title: 'Success', message: 'The link to this view was copied.' })
  }
  return (
    <span className="flex gap-1 print:hidden">
      <IconButton size="sm" label="Copy link" icon={<Link2 />} onClick={() => void copy()} />
      <IconButton size="sm" label="Print" icon={<Printer />} onClick={() => print()} className="max-md:hidden" />
    </span>
  )
}
