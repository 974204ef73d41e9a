/** Evidence on one host: the request, the response, and the highlighted match. */
import type { Evidence } from '@glacis/contract/issue'
import { placeOnPort, readLocation } from '@glacis/contract/location'
import { splitHighlights } from '#issues/highlight.ts'
import { cx } from '#lib/cx.ts'
import { CopyField } from '#ui/copy-field.tsx'
import { AbsoluteTime } from '#ui/relative-time.tsx'

/** Labels of methods other than checks. */
const sources: Readonly<Record<string, string>> = { version: 'version match', package: 'package version' }

interface EvidenceBlockProps {
  readonly evidence: Evidence
  /** Limits each text to a few lines; the rest scrolls. */
  readonly isShort?: boolean
}
export function EvidenceBlock({ evidence, isShort = false }: EvidenceBlockProps) {
  const { location, method, quality, request, text, highlights, reproduce, time } = evidence
  const source = sources[method] ?? `check ${method}`
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1.5 flex flex-wrap gap-x-3 text-12 text-ink-3">
        <span className="wrap-anywhere text-ink-2">
          <LocationTitle location={location} />
        </span>
        <span>{source}</span>
        <span>detection quality {quality} of 100</span>
        <AbsoluteTime value={time} />
      </figcaption>
      {request && (
        <CodeBlock
          label="Sent"
          location={location}
          text={request.trimEnd()}
          highlights={[]}
          isTitled
          isShort={isShort}
        />
      )}
      <CodeBlock
        label={request ? 'Received' : 'Evidence'}
        location={location}
        text={text}
        highlights={highlights}
        isTitled={request !== undefined}
        isShort={isShort}
      />
      {reproduce && (
        <div className="mt-1.5">
          <p className="mb-1 text-12 text-ink-3">Reproduce</p>
          <CopyField label={`command to reproduce, ${locationTitle(location)}`} value={reproduce} wrap />
        </div>
      )}
    </figure>
  )
}

/** The title of a location, with its path as code. */
function LocationTitle({ location }: { readonly location: string }) {
  const title = locationTitle(location)
  const path = title.indexOf(', /') + 2
  if (path < 2) return title
  return (
    <>
      {title.slice(0, path)}
      <span className="font-mono">{title.slice(path)}</span>
    </>
  )
}

/** `80/.git/config` → "Evidence, port 80, /.git/config". A location that doesn't start with a port is used unchanged. */
export function locationTitle(location: string, label = 'Evidence'): string {
  const place = readLocation(location)
  const parts = place ? [`port ${place.port}`, placeOnPort(place)] : [location]
  return [label, ...parts].filter(Boolean).join(', ')
}

/** Scrolls to the first highlight if it's below the first lines. A stable ref callback, so it runs once per mount. */
function scrollToHighlight(box: HTMLElement | null): void {
  const mark = box?.querySelector('mark')
  if (!box || !mark) return
  const above = mark.getBoundingClientRect().bottom - box.getBoundingClientRect().bottom
  if (above > 0) box.scrollTop = above + marginPx
}
const marginPx = 12

interface CodeBlockProps {
  readonly label: string
  /** The location, which makes the accessible name unique on the page. */
  readonly location: string
  readonly text: string
  readonly highlights: readonly string[]
  /** Shows the label, when there is more than one block. */
  readonly isTitled?: boolean
  readonly isShort: boolean
}
function CodeBlock({ label, location, text, highlights, isTitled = false, isShort }: CodeBlockProps) {
  return (
    // Not a landmark: a risk on ten hosts would have forty of them.
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- not a fieldset: it has no form fields
      role="group"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable areas must be reachable by keyboard
      tabIndex={0}
      ref={isShort ? scrollToHighlight : undefined}
      aria-label={locationTitle(location, label)}
      className={cx(
        'mb-1.5 overflow-auto rounded-[8px] border border-line bg-inset last:mb-0',
        isShort ? 'max-h-34' : 'max-h-80',
      )}
    >
      {isTitled && <p className="sticky top-0 bg-inset px-3.5 pt-2 text-12 text-ink-3">{label}</p>}
      <pre className="px-3.5 py-2.5 font-mono text-[12px]/[19px] wrap-anywhere whitespace-pre-wrap text-ink-2">
        {splitHighlights(text, highlights).map(({ text: piece, isHighlighted, at }) =>
          isHighlighted ? (
            <mark key={at} className="rounded-[2px] bg-yellow-tint text-yellow-ink">
              {piece}
            </mark>
          ) : (
            piece
          ),
        )}
      </pre>
    </div>
  )
}
