import { getIssue, type Issue } from '@glacis/contract/issue'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { one } from '#issues/queries.ts'
import { ThreatFigures } from '#issues/threat-figures.tsx'

afterEach(cleanup)
const id = '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01'

it('reads the issue under the key that a change of status refreshes', () => {
  expect(one(id).queryKey).toEqual([getIssue.path, { id }])
})

const severity: Issue['threat']['severity'] = {
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  category: 'CATEGORY_CRITICAL',
}

it('shows the vector in words, EPSS and KEV', () => {
  const knownExploited = { addTime: '2023-11-02T00:00:00Z' }
  render(<ThreatFigures threat={{ severity, epss: { score: 0.944, percentile: 0.999 }, knownExploited }} />)
  for (const text of ['CVSS 3.1 base score', '9.8', '94.4%', '99.9th percentile', 'since 2 Nov 2023', 'Network']) {
    expect(screen.getByText(text)).toBeTruthy()
  }
  // A phone has no room for them.
  for (const cut of [severity.cvss, 'Unchanged']) expect(screen.getByTitle(cut)).toBeTruthy()
})

it('leaves out what is not known', () => {
  const { container } = render(
    <ThreatFigures threat={{ severity: { cvss: '', score: 0, category: 'CATEGORY_UNSPECIFIED' } }} />,
  )
  expect(container.textContent).toBe('')
})
