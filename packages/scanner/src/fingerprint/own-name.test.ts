import { expect, it } from 'vitest'
import { ownName, versionIn } from '#fingerprint/own-name.ts'

it.each([
  ['NiceGUI', '<link href="/_nicegui/3.18.0/static/favicon.ico">', 'NiceGUI 3.18.0'],
  ['D-Tale', '<span>D-Tale v1.8</span>', 'D-Tale 1.8'],
  ['Login - Acme Wiki', '<footer>Acme Wiki version 2.4</footer>', 'Acme Wiki 2.4'],
  ['mtail on 192.0.2.1:3903', '<p>Build: mtail version 3.0.0 go</p>', 'mtail 3.0.0'],
  ['Netron', '<meta name="version" content="9.3.3">', 'Netron 9.3.3'],
  ['Acme Wiki', '<link href="/static/css/acmewiki.css?2.26.1">', 'Acme Wiki 2.26.1'],
  ['Acme', '<script>var VERSION = "2.4.1"; const jquery = { version: "3.7.1" }</script>', 'Acme 2.4.1'],
  ['Acme Ledger', '<a href="https://github.com/acme/acme-ledger">source</a>', 'Acme Ledger'],
  [
    'Acme Ledger',
    ['a', 'b', 'c', 'd'].map((file) => `<script src="js/${file}.js?v=5.2.1deb1">`).join(''),
    'Acme Ledger 5.2.1',
  ],
])('names %s', (title, html, expected) => {
  expect(ownName(title, { html })).toBe(expected)
})

it.each([
  ['a title that the page does not confirm', 'Acme', '<h1>Acme</h1>'],
  ['a generic title', 'Dashboard', 'Dashboard v2.3.4'],
  ['a library of the same name', 'Acme', '<script src="/acme-2.4.1.min.js"></script>'],
  ['a number that is not a version', 'Acme', 'Acme 2024.10'],
  ['a link to another project', 'Acme', '<a href="https://github.com/acme/ledger">'],
  ['a page with two versions', 'Acme', '<script>appVersion="2.4.1";uiVersion="3.0.0"</script>'],
  [
    'an application whose assets have versions of their own',
    'Acme',
    ['1.2.3', '1.2.3', '1.2.3', '2.0.1'].map((version) => `<script src="a.js?v=${version}">`).join(''),
  ],
  ['a sentence', 'Everything you need for work', 'work v1.2.3'],
])('does not name %s', (_, title, html) => {
  expect(ownName(title, { html })).toBeUndefined()
})

it.each([
  [
    'the package of a script',
    { scripts: 'e.exports={name:"@acme/acme-ledger",version:"2.4.1-rc.1"}' },
    'Acme Ledger 2.4.1-rc.1',
  ],
  ['a link in a script', { scripts: 'a("https://github.com/acme/acme-ledger/issues/new")' }, 'Acme Ledger'],
  [
    'a link and a version in a script',
    { scripts: 'u=`https://github.com/acme/acme-ledger`;VITE_APP_VERSION:"2.4.1"' },
    'Acme Ledger 2.4.1',
  ],
  ['a link to documentation', { scripts: '"https://acme-ledger.readthedocs.io/en/latest"' }, 'Acme Ledger'],
  ['the same name in the manifest', { manifestName: 'Acme Ledger' }, 'Acme Ledger'],
  ['a version in a script', { scripts: 'APP_VERSION="2.4.1"' }, undefined],
  ['another name in the manifest', { manifestName: 'Acme Group' }, undefined],
  ['the package of another script', { scripts: '{name:"ledger",version:"2.4.1"}' }, undefined],
])('uses %s', (_, description, expected) => {
  expect(ownName('Acme Ledger', { html: '', ...description })).toBe(expected)
})

it('takes linear time', () => {
  const start = performance.now()
  const html = `${'acme ledger'.repeat(5000)}${' '.repeat(10_000)}<a href="https://github.com/${'a/'.repeat(9000)}`
  ownName('Acme Ledger', { html, scripts: html.repeat(10) })
  expect(performance.now() - start).toBeLessThan(500)
})

it.each([
  ['{"version":"2.4.1"}', '2.4.1'],
  ['{"status":"ok","version":"v2.4.1"}', '2.4.1'],
  ['"2.4.1"', '2.4.1'],
  ['{"node":{"version":"20.1.0"}}', undefined],
  ['{"version":"v1"}', undefined],
  ['<html>2.4.1</html>', undefined],
])('reads the version from %s', (body, expected) => {
  expect(versionIn(body)).toBe(expected)
})
