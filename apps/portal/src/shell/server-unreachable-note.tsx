import { CloudOff } from 'lucide-react'

/** Shown above the page while the server is unreachable, because the data may be stale. */
export function ServerUnreachableNote({ isUnreachable }: { readonly isUnreachable: boolean }) {
  return (
    <output className="block">
      {isUnreachable && (
        <p className="flex min-h-11 items-center gap-3 border-b border-yellow-edge bg-yellow-tint py-1.5 pr-5 pl-8 text-yellow-ink max-md:items-start max-md:py-2.5 max-md:pl-4">
          <CloudOff aria-hidden="true" className="size-4 flex-none max-md:mt-0.5" />
          <span>
            <b className="font-semibold">Glacis isn't responding.</b> The data shown may be out of date. The page
            updates automatically when the connection is back.
          </span>
        </p>
      )}
    </output>
  )
}
