import { CloudOff } from 'lucide-react'

/** Stands above the page while the server does not answer, so that what is old is not taken for what is. */
export function AwayNote({ isAway }: { readonly isAway: boolean }) {
  return (
    <output className="block">
      {isAway && (
        <p className="flex min-h-11 items-center gap-3 border-b border-yellow-edge bg-yellow-tint py-1.5 pr-5 pl-8 text-yellow-ink max-md:items-start max-md:py-2.5 max-md:pl-4">
          <CloudOff aria-hidden="true" className="size-4 flex-none max-md:mt-0.5" />
          <span>
            <b className="font-semibold">Glacis does not answer.</b> What you see may be out of date. It is asked again
            every few seconds, and the page goes on by itself.
          </span>
        </p>
      )}
    </output>
  )
}
