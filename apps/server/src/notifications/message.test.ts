import type { Notice } from '@glacis/contract/channel'
import { describe, expect, it } from 'vitest'
import { discordBody, mailOf, slackBody } from '#notifications/message.ts'

const url = 'https://security.intranet.example.ch/glacis'
const of = (title: string, count = 10) => ({
  id: '1',
  eventCount: count,
  notices: Array.from({ length: Math.min(count, 50) }, (_, number): Notice => ({
    id: String(number),
    kind: 'EVENT_ISSUE_OPENED',
    time: '2026-11-01T00:00:00Z',
    title,
    score: 9.8,
    resource: { kind: 'issue', id: '0199c0de-7a10-7c3e-9f00-5b1e6a2d4c01' },
  })),
})

describe('a message with long titles', () => {
  it.each([
    ['words', 'Remote code execution in a component '.repeat(8)],
    ['characters that are escaped', '&<'.repeat(150)],
    ['surrogate pairs', `${'x'.repeat(149)}${'😀'.repeat(40)}`],
  ])('keeps Slack links intact and counts the rest: %s', (_, title) => {
    const { blocks } = JSON.parse(slackBody(of(title, 60), url)) as { blocks: { text: { text: string } }[] }
    const text = blocks[1]?.text.text ?? ''
    const lines = text.split('\n')
    const last = lines.pop()
    expect(text.length).toBeLessThanOrEqual(3000)
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) expect(line).toMatch(/^• Critical 9\.8 · <https:[^|<>]+\|(?:[^<>&|]|&amp;|&lt;|&gt;)+>$/u)
    expect(last).toBe(`and <${url}/overview|${60 - lines.length} more>`)
    expect(text.isWellFormed()).toBe(true)
  })

  it.each([
    ['a bracket at the limit', `${'x'.repeat(199)}]${'y'.repeat(50)}`],
    ['surrogate pairs', `${'x'.repeat(199)}${'😀'.repeat(20)}`],
  ])('keeps Discord links intact: %s', (_, title) => {
    const { embeds } = JSON.parse(discordBody(of(title, 1), url)) as { embeds: { description: string }[] }
    const text = embeds[0]?.description ?? ''
    expect(text).toMatch(/^- Critical 9\.8 · \[(?:[^\\[\]]|\\.)+\]\(https:[^()]+\)$/u)
    expect(text.isWellFormed()).toBe(true)
  })
})

describe('mailOf', () => {
  it('names what happened in the subject', () => {
    expect(mailOf('a@b.example', of('Git repository exposed', 2), url).subject).toBe('Glacis: 2 new risks')
  })

  it('calls a test a test message', () => {
    const [notice] = of('This is a test message from Glacis', 1).notices
    const notices = notice ? [{ ...notice, kind: 'EVENT_TEST' as const, score: undefined }] : []
    const mail = mailOf('a@b.example', { id: '1', eventCount: 1, notices }, url)
    expect(mail.subject).toBe('Glacis: Test message')
    expect(mail.text).toBe(
      'Test message\n\nThis is a test message from Glacis\n' +
        `  ${url}/integrations\n\nYou're receiving this email because email notifications are turned on: ${url}/integrations`,
    )
  })
})
