/** Texts from packs, which mark inline code with backticks. */
import { Fragment } from 'react'

/** Renders `code` in backticks as `<code>` and everything else as plain text. An unpaired backtick stays a backtick. */
export function InlineCode({ text }: { readonly text: string }) {
  // With one capture group, `split` alternates between plain text and code.
  return text.split(/`([^`\n]+)`/).map((part, index) =>
    index % 2 === 0 ? (
      <Fragment key={index}>{part}</Fragment>
    ) : (
      <code key={index} className="rounded-[4px] bg-inset px-1 py-px font-mono text-[.92em] wrap-anywhere">
        {part}
      </code>
    ),
  )
}
