import type { Notice } from '@glacis/contract/channel'
import type { Mail } from '#mail.ts'

interface Message {
  readonly id: string
  readonly notices: readonly Notice[]
  readonly eventCount: number
}

/** Lines listed in a chat message or email; the rest is a count with a link. */
const linesMax = 10
/** Title length in chat messages. Slack allows 3000 characters in total, Discord 4096. */
const titleMax = 200

const eventLabels: Readonly<Record<string, { one: string; many: string }>> = {
  EVENT_ISSUE_OPENED: { one: 'new risk', many: 'new risks' },
  EVENT_ISSUE_REGRESSED: { one: 'regressed risk', many: 'regressed risks' },
  EVENT_ISSUE_RESOLVED: { one: 'risk resolved', many: 'risks resolved' },
  EVENT_THREAT_EMERGING: { one: 'emerging threat', many: 'emerging threats' },
  EVENT_SCAN_COMPLETED: { one: 'scan completed', many: 'scans completed' },
  EVENT_SCAN_FAILED: { one: 'scan failed', many: 'scans failed' },
  EVENT_AGENT_DISCONNECTED: { one: 'agent disconnected', many: 'agents disconnected' },
}

const pages: Readonly<Record<Notice['resource']['kind'], string>> = {
  issue: 'risks',
  scan: 'scans',
  agent: 'agents',
  target: 'scope',
  product: 'technologies',
}

/** "2 new risks, 1 scan failed". */
export function headline({ notices, eventCount }: Message): string {
  if (notices.length === 1 && notices[0]?.kind === 'EVENT_TEST') return 'Test message'
  if (eventCount > notices.length) return `${eventCount} events`
  const counts = new Map<string, number>()
  for (const { kind } of notices) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return [...counts]
    .map(([kind, count]) => `${count} ${eventLabels[kind]?.[count === 1 ? 'one' : 'many'] ?? 'events'}`)
    .join(', ')
}

function linkOf(notice: Notice, url: string): string {
  return notice.kind === 'EVENT_TEST'
    ? `${url}/integrations`
    : `${url}/${pages[notice.resource.kind]}/${notice.resource.id}`
}

const severity = (score: number) =>
  score >= 9 ? 'Critical' : score >= 7 ? 'High' : score >= 4 ? 'Medium' : score > 0 ? 'Low' : 'None'
const rating = ({ score }: Notice) => (score === undefined ? '' : `${severity(score)} ${score.toFixed(1)} · `)
const hiddenCount = ({ eventCount }: Message) => Math.max(0, eventCount - linesMax)

/** Truncates a text to an escaped length without splitting escape sequences. */
function truncate(text: string, write: (text: string) => string, lengthMax: number): string {
  let written = ''
  for (const character of text) {
    const next = write(character)
    if (written.length + next.length > lengthMax) return `${written}…`
    written += next
  }
  return written
}

/** As many whole lines as fit, then the number of remaining ones. */
function listLines(
  { notices, eventCount }: Message,
  { lengthMax, line, more }: { lengthMax: number; line: (notice: Notice) => string; more: (count: number) => string },
): string {
  const lines: string[] = []
  let remaining = lengthMax
  for (const text of notices.slice(0, linesMax).map(line)) {
    remaining -= text.length + 1
    if (remaining < 0) break
    lines.push(text)
  }
  const omitted = eventCount - lines.length
  return [...lines, ...(omitted > 0 ? [more(omitted)] : [])].join('\n')
}

/** The body of a signed webhook: all fields as data, with a link per event. */
export function webhookBody(message: Message, url: string): string {
  return JSON.stringify({
    type: 'glacis.events',
    timestamp: message.notices.at(0)?.time,
    data: {
      headline: headline(message),
      eventCount: message.eventCount,
      events: message.notices.map((notice) => ({ ...notice, url: linkOf(notice, url) })),
    },
  })
}

/** Slack interprets `&`, `<`, and `>` as markup; link text needs no other escaping. */
const forSlack = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('|', '¦')

export function slackBody(message: Message, url: string): string {
  const lines = listLines(message, {
    lengthMax: 2700,
    line: (notice) => `• ${rating(notice)}<${linkOf(notice, url)}|${truncate(notice.title, forSlack, titleMax)}>`,
    more: (count) => `and <${url}/overview|${count} more>`,
  })
  const title = `Glacis: ${headline(message)}`
  return JSON.stringify({
    text: title,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: title.slice(0, 150) } },
      { type: 'section', text: { type: 'mrkdwn', text: lines } },
    ],
  })
}

/** Characters that start Discord markup or mentions (mentions are also disabled in the request). */
const forDiscord = (text: string) => text.replaceAll(/[\\*_~`|>[\]()#@<-]/g, String.raw`\$&`)

export function discordBody(message: Message, url: string): string {
  const lines = listLines(message, {
    lengthMax: 3800,
    line: (notice) => `- ${rating(notice)}[${truncate(notice.title, forDiscord, titleMax)}](${linkOf(notice, url)})`,
    more: (count) => `and [${count} more](${url}/overview)`,
  })
  return JSON.stringify({
    allowed_mentions: { parse: [] },
    embeds: [{ title: `Glacis: ${headline(message)}`.slice(0, 256), description: lines }],
  })
}

const forHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The email as text and HTML. It loads no remote content. */
export function mailOf(to: string, message: Message, url: string): Mail {
  const title = headline(message)
  const shown = message.notices.slice(0, linesMax)
  const more = hiddenCount(message) > 0 ? `and ${hiddenCount(message)} more` : ''
  const lines = shown.map((notice) => `${rating(notice)}${notice.title}\n  ${linkOf(notice, url)}`)
  const rows = shown.map(
    (notice) =>
      `<tr><td style="padding:10px 0;border-bottom:1px solid #e3e7ea;font-size:14px;line-height:20px">` +
      `<span style="color:#5b6770">${forHtml(rating(notice))}</span>` +
      `<a href="${forHtml(linkOf(notice, url))}" style="color:#005d6b;font-weight:600;text-decoration:none">${forHtml(notice.title)}</a></td></tr>`,
  )
  const foot = `You're receiving this email because email notifications are turned on: ${url}/integrations`
  return {
    to,
    subject: `Glacis: ${title}`,
    text: [title, '', ...lines, ...(more ? [more] : []), '', foot].join('\n'),
    html:
      `<!doctype html><html lang="en"><body style="margin:0;padding:32px 16px;background:#f4f6f7;color:#16262a;` +
      `font-family:system-ui,-apple-system,'Segoe UI',sans-serif"><table role="presentation" cellpadding="0" style="max-width:584px;` +
      `margin:0 auto;background:#fff;border-radius:8px;border-top:4px solid #005d6b;padding:32px;width:100%">` +
      `<tr><td style="font-size:18px;font-weight:700;color:#005d6b;padding-bottom:24px">Glacis</td></tr>` +
      `<tr><td style="font-size:20px;line-height:28px;font-weight:700;padding-bottom:8px">${forHtml(title)}</td></tr>` +
      `${rows.join('')}<tr><td style="padding-top:16px;font-size:14px"><a href="${forHtml(url)}/overview" ` +
      `style="color:#005d6b">${forHtml(more || 'Open overview')}</a></td></tr>` +
      `<tr><td style="padding-top:24px;font-size:12px;line-height:16px;color:#5b6770">` +
      `${forHtml(foot)}</td></tr></table></body></html>`,
  }
}
