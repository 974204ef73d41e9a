import { expect, it } from 'vitest'
import { displayName } from '#product-name.ts'

it.each([
  ['apache', 'http_server', 'Apache HTTP Server'],
  ['solarwinds', 'serv-u', 'SolarWinds Serv-U'],
  ['nginx', 'nginx', 'nginx'],
  ['openbsd', 'openssh', 'OpenSSH'],
  ['microsoft', 'windows', 'Microsoft Windows'],
  ['joomla', 'joomla\\!', 'Joomla!'],
  ['marked_project', 'marked', 'Marked'],
  ['paloaltonetworks', 'pan-os', 'Palo Alto Networks PAN-OS'],
])('displays %s:%s as %s', (vendor, product, name) => {
  expect(displayName({ vendor, product })).toBe(name)
})
