import { getIssue, type Issue } from '@glacis/contract/issue'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { AffectedHostTable } from '#issues/affected-hosts.tsx'
import { IssueSections } from '#issues/issue-detail.tsx'
import { detail } from '#issues/queries.ts'
import { showPage, testAffectedHost, testIssue } from '#issues/testing/issues.tsx'
import { ThreatSeverity } from '#issues/threat-severity.tsx'

const id = '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01'

it('reads the issue under the query key that a status change invalidates', () => {
  expect(detail(id).queryKey).toEqual([getIssue.path, { id }])
})

const severity: Issue['threat']['severity'] = {
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  category: 'CATEGORY_CRITICAL',
}

it('shows CVSS metrics, EPSS, and KEV', () => {
  const knownExploited = { addTime: '2023-11-02T00:00:00Z' }
  render(<ThreatSeverity threat={{ severity, epss: { score: 0.944, percentile: 0.999 }, knownExploited }} />)
  for (const text of [
    'CVSS 3.1 base score',
    '9.8',
    '94.4%',
    '99.9th percentile',
    'listed since 2 Nov 2023',
    'Network',
  ]) {
    expect(screen.getByText(text)).toBeTruthy()
  }
  // These are truncated on phones.
  for (const cut of [severity.cvss, 'Unchanged']) expect(screen.getByTitle(cut)).toBeTruthy()
})

it('omits unknown values', () => {
  const { container } = render(
    <ThreatSeverity threat={{ severity: { cvss: '', score: 0, category: 'CATEGORY_UNSPECIFIED' } }} />,
  )
  expect(container.textContent).toBe('')
})

it('explains the threat and its fix first, then lists the hosts, and scores it last', async () => {
  const issue = testIssue(1)
  const solution = { kind: 'KIND_VENDOR_FIX', description: 'Update to 2.0.' } as const
  const texts = { impact: 'An attacker can read files.', affected: '< 2.0', insight: 'Paths are not checked.' }
  showPage(<IssueSections issue={{ ...issue, threat: { ...issue.threat, ...texts, solution, severity } }} />)
  await screen.findByText('Vendor fix')
  const titles = screen.getAllByRole('heading', { level: 2 }).map((heading) => heading.textContent)
  expect(titles).toEqual(['Description', 'Impact', 'Remediation', 'Affected hosts 2', 'Technical details', 'Severity'])
})

it('omits texts that a threat lacks', async () => {
  showPage(<IssueSections issue={testIssue(1)} />)
  await screen.findByText('Summary of Risk 1')
  const titles = screen.getAllByRole('heading', { level: 2 }).map((heading) => heading.textContent)
  expect(titles).toEqual(['Description', 'Affected hosts 2', 'Severity'])
})

it('filters the affected hosts by target if there are several', async () => {
  const user = userEvent.setup()
  const [first, second] = [testAffectedHost(1), testAffectedHost(2)]
  const office = { ...second.target, id: '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c02', name: 'Office' }
  showPage(<AffectedHostTable issue={testIssue(1, { affectedHosts: [first, { ...second, target: office }] })} />)
  const names = () => screen.getAllByRole('link').map((link) => link.textContent)
  await user.click(await screen.findByRole('button', { name: 'Target' }))
  await user.click(await screen.findByRole('menuitemradio', { name: 'Office (1)' }))
  await waitFor(() => expect(names()).toEqual(['127.0.0.2']))
  await user.click(screen.getByRole('button', { name: 'Remove filter Target' }))
  await waitFor(() => expect(names()).toEqual(['127.0.0.1', '127.0.0.2']))
})

it('offers no filter for hosts of a single target', async () => {
  showPage(<AffectedHostTable issue={testIssue(1)} />)
  await screen.findByRole('table')
  expect(screen.queryByRole('button', { name: 'Target' })).toBeNull()
})
