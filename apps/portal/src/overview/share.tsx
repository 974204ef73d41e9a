/** Sharing the overview: copy its link, or print it. */
import { Link2, Printer } from 'lucide-react'
import { copyText } from '#lib/copy-text.ts'
import { addToast } from '#ui/toasts.tsx'
import { IconButton } from '#ui/button.tsx'
import './print.css'

/** The link includes the period and the risk type. */
export function Share() {
  async function copy(): Promise<void> {
    await copyText(location.href)
    addToast('success', { title: 'Success', message: 'Link copied.' })
  }
  return (
    <span className="flex gap-1 print:hidden">
      <IconButton size="sm" label="Copy link" icon={<Link2 />} onClick={() => void copy()} />
      <IconButton size="sm" label="Print" icon={<Printer />} onClick={() => print()} className="max-md:hidden" />
    </span>
  )
}
