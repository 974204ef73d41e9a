import { CopyField } from '#ui/copy-field.tsx'

/** A text that tells a colleague where to find this installation and what it is for. */
export function Invitation() {
  return (
    <section aria-label="Invite a colleague" className="grid gap-2 border-t border-line pt-5">
      <h3 className="font-medium">Invite a colleague</h3>
      <CopyField label="invitation" value={invitationFor(location.origin)} wrap />
    </section>
  )
}

function invitationFor(origin: string): string {
  return [
    'We use Glacis to watch what we expose to the internet and inside our networks: hosts, software and risks.',
    `Sign up: ${new URL('/registration', origin).href}`,
    `Overview: ${new URL('/overview', origin).href}`,
  ].join('\n')
}
