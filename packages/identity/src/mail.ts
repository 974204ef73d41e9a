/** The mails of the service. Every value is escaped, and no value reaches a header but the recipient. */
import type { Mail } from '#options.ts'

interface Letter {
  readonly to: string
  readonly subject: string
  readonly opening: string
  readonly code?: string
  readonly link?: { readonly url: string; readonly title: string }
  readonly closing: string
}

/** Carries the code that proves an address, and a link that fills it in. */
export function verificationMail(to: string, code: string, url: string, minutes: number): Mail {
  return letter({
    to,
    subject: 'Verify your e-mail address',
    opening: 'Please confirm that this is your e-mail address by entering this code in Glacis:',
    code,
    link: { url, title: 'Verify e-mail address' },
    closing: `The code is valid for ${minutes} minutes. If you did not ask for it, you can ignore this mail.`,
  })
}

/** Carries the code that opens an account whose password is lost. There is no link to click by mistake. */
export function recoveryMail(to: string, code: string, minutes: number): Mail {
  return letter({
    to,
    subject: 'Recover access to your account',
    opening: 'Enter this code in Glacis to recover access to your account:',
    code,
    closing: `The code is valid for ${minutes} minutes. If you did not ask for it, you can ignore this mail; nobody has gained access.`,
  })
}

/** Carries the code that signs somebody in. There is no link to click by mistake. */
export function signInMail(to: string, code: string, minutes: number): Mail {
  return letter({
    to,
    subject: 'Sign in to Glacis',
    opening: 'Enter this code in Glacis to sign in:',
    code,
    closing: `The code is valid for ${minutes} minutes. If you did not ask for it, you can ignore this mail; nobody has gained access.`,
  })
}

/** Carries the code that signs somebody up. There is no link to click by mistake. */
export function signUpMail(to: string, code: string, minutes: number): Mail {
  return letter({
    to,
    subject: 'Create your Glacis account',
    opening: 'Enter this code in Glacis to create your account:',
    code,
    closing: `The code is valid for ${minutes} minutes. If you did not ask for it, you can ignore this mail; no account was made.`,
  })
}

/** Tells the holder of an address that the account is about to leave it. */
export function addressChangedMail(to: string, newAddress: string): Mail {
  return letter({
    to,
    subject: 'Your e-mail address was changed',
    opening: `The e-mail address of your Glacis account was changed to ${newAddress}. Until that address is verified, you still sign in with this one.`,
    closing: 'If this was not you, please contact the people who run your installation at once.',
  })
}

/** Tells the holder of an account that its second factors are gone. */
export function factorsResetMail(to: string): Mail {
  return letter({
    to,
    subject: 'Your second factors were removed',
    opening:
      'The people who run your Glacis installation have removed the second factors of your account. You are signed out everywhere, and your password alone signs you in until you set up new ones.',
    closing: 'If you did not ask for it, please contact them at once.',
  })
}

function letter({ to, subject, opening, code, link, closing }: Letter): Mail {
  const lines = [opening, code, link && `${link.title}: ${link.url}`, closing, 'Glacis']
  return {
    to: to.replace(/[\r\n]+/g, ' '),
    subject,
    text: `${lines.filter(Boolean).join('\n\n')}\n`,
    html: page(subject, [
      paragraph(opening),
      code &&
        `<p style="margin:24px 0;font:600 32px/40px ui-monospace,Menlo,Consolas,monospace;letter-spacing:8px;color:#005d6b">${escape(code)}</p>`,
      link &&
        `<p style="margin:24px 0"><a href="${escape(link.url)}" style="display:inline-block;padding:10px 20px;border-radius:6px;background:#005d6b;color:#ffffff;text-decoration:none;font-weight:600">${escape(link.title)}</a></p>`,
      paragraph(closing),
    ]),
  }
}

function paragraph(text: string): string {
  return `<p style="margin:0 0 16px">${escape(text)}</p>`
}

function page(title: string, parts: readonly (string | undefined)[]): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escape(title)}</title></head>
<body style="margin:0;padding:32px 16px;background:#f4f6f7;font:16px/24px system-ui,-apple-system,'Segoe UI',sans-serif;color:#16262a">
<div style="max-width:520px;margin:0 auto;padding:32px;border-radius:8px;border-top:4px solid #005d6b;background:#ffffff">
<p style="margin:0 0 24px;font-weight:700;font-size:18px;color:#005d6b">Glacis</p>
<h1 style="margin:0 0 16px;font-size:20px;line-height:28px">${escape(title)}</h1>
${parts.filter(Boolean).join('\n')}
</div></body></html>
`
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
}
