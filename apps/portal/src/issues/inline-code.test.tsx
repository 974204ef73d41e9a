import { render } from '@testing-library/react'
import { expect, it } from 'vitest'
import { InlineCode } from '#issues/inline-code.tsx'

it.each([
  ['Set `requirepass` and bind to `127.0.0.1`.', 'Set <code>requirepass</code> and bind to <code>127.0.0.1</code>.'],
  ['`autoindex off;`', '<code>autoindex off;</code>'],
  ['No code here.', 'No code here.'],
  ['An unpaired ` stays.', 'An unpaired ` stays.'],
  ['A pair ` across\nlines ` stays.', 'A pair ` across\nlines ` stays.'],
  ['`<img src=x onerror=alert(1)>`', '<code>&lt;img src=x onerror=alert(1)&gt;</code>'],
  ['', ''],
])('renders %j as %j', (text, html) => {
  const { container } = render(<InlineCode text={text} />)
  for (const code of container.querySelectorAll('code')) code.removeAttribute('class')
  expect(container.innerHTML).toBe(html)
})
