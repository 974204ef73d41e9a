/** The description of a threat. It comes from feeds, so it's rendered as text, never as markup. */
import type { Threat } from '@glacis/contract/threat'
import { InlineCode } from '#issues/inline-code.tsx'
import { Block } from '#ui/card.tsx'

type ThreatPart = Pick<Threat, 'summary' | 'impact' | 'affected' | 'insight'>

export function ThreatText({ threat }: { readonly threat: ThreatPart }) {
  const parts = (
    [
      ['Impact', threat.impact],
      ['Affected', threat.affected],
      ['Insight', threat.insight],
    ] as const
  ).filter(([, text]) => text)
  if (!threat.summary && parts.length === 0) return null
  return (
    <Block title="About this threat">
      {threat.summary && (
        <p className="prose whitespace-pre-line wrap-anywhere">
          <InlineCode text={threat.summary} />
        </p>
      )}
      {parts.length > 0 && (
        <dl className="mt-4 grid grid-cols-[104px_minmax(0,1fr)] gap-x-5 gap-y-3 max-md:grid-cols-1 max-md:gap-y-1">
          {parts.map(([name, text]) => (
            <div key={name} className="contents">
              <dt className="pt-0.5 text-ink-3">{name}</dt>
              <dd className="prose whitespace-pre-line wrap-anywhere max-md:mb-3">
                <InlineCode text={text} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Block>
  )
}
