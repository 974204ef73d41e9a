/** The proof on one host: what was asked, what came back, and which part of it counts. */
import type { Evidence } from '@glacis/contract/issue'
import { piecesOf } from '#issues/highlight.ts'
import { cx } from '#lib/cx.ts'
import { AbsoluteTime } from '#ui/relative-time.tsx'

interface EvidenceBlockProps {
  readonly evidence: Evidence
  /** Shows few lines of each text, where the proof is not what the place is about; the rest scrolls. */
  readonly isShort?: boolean
}
export function EvidenceBlock({ evidence, isShort = false }: EvidenceBlockProps) {
  const { location, method, quality, request, text, highlights, time } = evidence
  const source = method === 'version' ? 'version match' : `check ${method}`
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1.5 flex flex-wrap gap-x-3 text-12 text-ink-3">
        <span className="wrap-anywhere text-ink-2">
          <Place location={location} />
        </span>
        <span>{source}</span>
        <span>quality {quality} of 100</span>
        <AbsoluteTime value={time} />
      </figcaption>
      {request && (
        <Mono label="Sent" of={location} text={request.trimEnd()} highlights={[]} isTitled isShort={isShort} />
      )}
      <Mono
        label={request ? 'Received' : 'Evidence'}
        of={location}
        text={text}
        highlights={highlights}
        isTitled={request !== undefined}
        isShort={isShort}
      />
    </figure>
  )
}

/** The words of a place, a path among them as code. */
function Place({ location }: { readonly location: string }) {
  const words = placeWords(location)
  const path = words.indexOf(', /') + 2
  if (path < 2) return words
  return (
    <>
      {words.slice(0, path)}
      <span className="font-mono">{words.slice(path)}</span>
    </>
  )
}

/** `80/.git/config` → "Evidence, port 80, /.git/config"; what does not begin with a port stays as it is. */
export function placeWords(location: string): string {
  const [, port, protocol = '', rest = ''] = /^(\d{1,5})(\/(?:tcp|udp)(?=$| ))?((?:[ /].*)?)$/.exec(location) ?? []
  const parts = port ? [`port ${port}${protocol}`, rest] : [location]
  return ['Evidence', ...parts.map((part) => part.trim())].filter(Boolean).join(', ')
}

/** Scrolls to the part that counts, where it is not among the first lines. Always the same function: it is called once. */
function showProof(box: HTMLElement | null): void {
  const proof = box?.querySelector('mark')
  if (!box || !proof) return
  const above = proof.getBoundingClientRect().bottom - box.getBoundingClientRect().bottom
  if (above > 0) box.scrollTop = above + marginPx
}
const marginPx = 12

interface MonoProps {
  readonly label: string
  /** Where, to tell several blocks of one page apart. */
  readonly of: string
  readonly text: string
  readonly highlights: readonly string[]
  /** Shows the label, where more than one block stands. */
  readonly isTitled?: boolean
  readonly isShort: boolean
}
function Mono({ label, of, text, highlights, isTitled = false, isShort }: MonoProps) {
  return (
    // No landmark: a risk on ten hosts would have forty of one name.
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- no fieldset, it has no fields
      role="group"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
      tabIndex={0}
      ref={isShort ? showProof : undefined}
      aria-label={`${label}, ${of}`}
      className={cx(
        'mb-1.5 overflow-auto rounded-[8px] border border-line bg-inset last:mb-0',
        isShort ? 'max-h-34' : 'max-h-80',
      )}
    >
      {isTitled && <p className="px-3.5 pt-2 text-12 text-ink-3">{label}</p>}
      <pre className="px-3.5 py-2.5 font-mono text-[12px]/[19px] wrap-anywhere whitespace-pre-wrap text-ink-2">
        {piecesOf(text, highlights).map(({ text: piece, isProof, at }) =>
          isProof ? (
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
