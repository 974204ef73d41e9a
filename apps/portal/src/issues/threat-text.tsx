/** The texts about a threat. They come from feeds, so they are rendered as text, never as markup. */
import type { Threat, SolutionKind } from '@glacis/contract/threat'
import type { ReactNode } from 'react'
import { InlineCode } from '#issues/inline-code.tsx'
import { Badge, type BadgeVariant } from '#ui/badge.tsx'
import { Block } from '#ui/card.tsx'

/** What the threat is, what it leads to, and how to fix it. Sections without text are omitted. */
export function ThreatText({ threat }: { readonly threat: Pick<Threat, 'summary' | 'impact' | 'solution'> }) {
  const { summary, impact, solution } = threat
  const kind = solution && solutions[solution.kind]
  if (!summary && !impact && !solution?.description && !kind) return null
  return (
    <div className="blk grid gap-5">
      {summary && <TextSection title="Description" text={summary} />}
      {impact && <TextSection title="Impact" text={impact} />}
      {solution && (solution.description || kind) && (
        <TextSection
          title="Remediation"
          text={solution.description}
          badge={kind && <Badge variant={kind.variant}>{kind.word}</Badge>}
        />
      )}
    </div>
  )
}

const solutions: Readonly<Record<SolutionKind, { readonly word: string; readonly variant: BadgeVariant } | undefined>> =
  {
    KIND_UNSPECIFIED: undefined,
    KIND_NONE: { word: 'None', variant: 'gray' },
    KIND_WONT_FIX: { word: "Won't fix", variant: 'gray' },
    KIND_MITIGATION: { word: 'Mitigation', variant: 'yellow' },
    KIND_WORKAROUND: { word: 'Workaround', variant: 'yellow' },
    KIND_VENDOR_FIX: { word: 'Vendor fix', variant: 'green' },
  }

function TextSection({
  title,
  text,
  badge,
}: {
  readonly title: string
  readonly text: string
  readonly badge?: ReactNode
}) {
  return (
    <section>
      <div className="mb-1.5 flex items-center gap-2">
        <h2 className="text-14/5 font-semibold tracking-[-.006em]">{title}</h2>
        {badge}
      </div>
      {text && <Prose text={text} />}
    </section>
  )
}

/** Affected versions and how the threat works. */
export function ThreatDetails({ threat }: { readonly threat: Pick<Threat, 'affected' | 'insight'> }) {
  const parts = (
    [
      ['Affected', threat.affected],
      ['Insight', threat.insight],
    ] as const
  ).filter(([, text]) => text)
  if (parts.length === 0) return null
  return (
    <Block title="Technical details">
      <dl className="grid grid-cols-[104px_minmax(0,1fr)] gap-x-5 gap-y-3 max-md:grid-cols-1 max-md:gap-y-1">
        {parts.map(([name, text]) => (
          <div key={name} className="contents">
            <dt className="pt-0.5 text-ink-3">{name}</dt>
            <dd className="max-md:mb-3">
              <Prose text={text} />
            </dd>
          </div>
        ))}
      </dl>
    </Block>
  )
}

function Prose({ text }: { readonly text: string }) {
  return (
    <p className="prose whitespace-pre-line wrap-anywhere">
      <InlineCode text={text} />
    </p>
  )
}
