/**
 * Email templates. Values are HTML-escaped. Subjects are headers, like the recipient; callers of `actionMail` remove line breaks
 * from theirs.
 */
import type { Mail } from '#options.ts'

/** An email in the design of all emails: a heading, a sentence, and a code or a link. */
export interface MailContent {
  readonly to: string
  readonly subject: string
  readonly intro: string
  readonly code?: string
  readonly link?: { readonly url: string; readonly title: string }
  readonly footer: string
}

/** Email with a verification code and a link that prefills it. */
export function verificationMail(to: string, code: string, url: string, minutes: number): Mail {
  return renderMail({
    to,
    subject: 'Verify your email address',
    intro: 'Enter this code in Glacis to confirm your email address:',
    code,
    link: { url, title: 'Verify email address' },
    footer: `${validity(minutes)}.`,
  })
}

/** Email with a recovery code. It has no link, so a mail scanner or an accidental click can't start a recovery. */
export function recoveryMail(to: string, code: string, minutes: number): Mail {
  return renderMail({
    to,
    subject: 'Recover access to your account',
    intro: 'Enter this code in Glacis to recover access to your account:',
    code,
    footer: `${validity(minutes)}; no one has accessed your account.`,
  })
}

/** Email with a sign-in code. */
export function signInMail(to: string, code: string, minutes: number): Mail {
  return renderMail({
    to,
    subject: 'Sign in to Glacis',
    intro: 'Enter this code in Glacis to sign in:',
    code,
    footer: `${validity(minutes)}; no one has accessed your account.`,
  })
}

/** Email with a code that is required after the password. Someone who gets it unexpectedly must not ignore it. */
export function secondFactorMail(to: string, code: string, minutes: number): Mail {
  return renderMail({
    to,
    subject: 'Sign in to Glacis',
    intro: 'Enter this code in Glacis to finish signing in:',
    code,
    footer: `${lifetime(minutes)}. If you aren't signing in, someone else may know your password: change it, and don't share the code.`,
  })
}

/** Email with a registration code. */
export function signUpMail(to: string, code: string, minutes: number): Mail {
  return renderMail({
    to,
    subject: 'Create your Glacis account',
    intro: 'Enter this code in Glacis to create your account:',
    code,
    footer: `${validity(minutes)}; no account has been created.`,
  })
}

/** Notifies the old address of an email change. */
export function addressChangedMail(to: string, newAddress: string): Mail {
  return renderMail({
    to,
    subject: 'Your email address was changed',
    intro: `The email address of your Glacis account was changed to ${newAddress}. Until you verify the new address, sign in with this one.`,
    footer: "If you didn't make this change, contact your administrator immediately.",
  })
}

/** Notifies the user that an administrator removed their second factors. */
export function secondFactorsResetMail(to: string): Mail {
  return renderMail({
    to,
    subject: 'Two-factor authentication was removed from your account',
    intro:
      'An administrator removed two-factor authentication from your Glacis account and signed you out of all sessions. To protect your account, set it up again after you sign in.',
    footer: "If you didn't request this, contact your administrator immediately.",
  })
}

/** Renders an email of the product, in the same design. */
export function actionMail(content: Omit<MailContent, 'code'>): Mail {
  return renderMail(content)
}

function validity(minutes: number): string {
  return `${lifetime(minutes)}. If you didn't request it, you can ignore this email`
}

function lifetime(minutes: number): string {
  return `The code is valid for ${minutes === 1 ? '1 minute' : `${minutes} minutes`}`
}

function renderMail({ to, subject, intro, code, link, footer }: MailContent): Mail {
  const lines = [intro, code, link && `${link.title}: ${link.url}`, footer, 'Glacis']
  return {
    to: to.replace(/[\r\n]+/g, ' '),
    subject,
    text: `${lines.filter(Boolean).join('\n\n')}\n`,
    html: renderPage(subject, [
      paragraph(intro),
      code &&
        `<p style="margin:24px 0;font:600 32px/40px ui-monospace,Menlo,Consolas,monospace;letter-spacing:8px;color:#005d6b">${escape(code)}</p>`,
      link &&
        `<p style="margin:24px 0"><a href="${escape(link.url)}" style="display:inline-block;padding:10px 20px;border-radius:6px;background:#005d6b;color:#ffffff;text-decoration:none;font-weight:600">${escape(link.title)}</a></p>`,
      paragraph(footer),
    ]),
  }
}

function paragraph(text: string): string {
  return `<p style="margin:0 0 16px">${escape(text)}</p>`
}

function renderPage(title: string, parts: readonly (string | undefined)[]): string {
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
