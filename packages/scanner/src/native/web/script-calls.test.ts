import { expect, it } from 'vitest'
import { functionsOf, hasLogin, scriptBodies, scriptCalls } from '#native/web/script-calls.ts'

it.each([
  ['fetch("/_/servers")', 'GET', '/_/servers'],
  ['fetch(`/_/servers/${e}/stop`,{method:"POST"})', 'POST', '/_/servers/*/stop'],
  ['fetch("/jobs/".concat(id), { method: "DELETE" })', 'DELETE', '/jobs/*'],
  ['axios.delete("/api/jobs/" + id)', 'DELETE', '/api/jobs/*'],
  ['fetch("/jobs/" + job.id + "/run", { method: "POST" })', 'POST', '/jobs/*/run'],
  ['post(root + "/queues/" + name + "/retry")', 'POST', '/queues/*/retry'],
  ["$.post('runjob', {})", 'POST', 'runjob'],
  ['$.ajax({ type: "DELETE", url: "/queues/a" })', 'DELETE', '/queues/a'],
  ['request({ url: "/queues/a", method: "put" })', 'PUT', '/queues/a'],
  ["const api = '/api/v3'; fetch(api + '/visitor')", 'GET', '/api/v3/visitor'],
  ["var API = '/api/orders/'; fetch(API + id)", 'GET', '/api/orders/*'],
  ['const a="/api/v3";fetch(`${a}/orders/${i||501}`)', 'GET', '/api/v3/orders/*'],
  ["const api = (u, o) => fetch(u, o); api('/api/invoices/' + id)", 'GET', '/api/invoices/*'],
  ["const q = (u) => fetch(u); q('/api/jobs')", 'GET', '/api/jobs'],
  [
    "const send = (u, b) => fetch(u, { method: 'POST', body: JSON.stringify(b) }); send('/api/find', { text: 'a' })",
    'POST',
    '/api/find',
  ],
  ["async function call(path) { return fetch(base + path) } call('/api/jobs', {method:'POST'})", 'POST', '/api/jobs'],
])('reads %s', (text, method, path) => {
  expect(scriptCalls([text])).toEqual([{ method, path }])
})

it.each([
  'cache.delete("key")',
  'fetch("https://other.example/a")',
  '$.get("page.html")',
  'fetch("//cdn/a")',
  `${'var a=1;'.repeat(60)}function e(t){return fetch(t)}e('/api/jobs')`,
  "const show = (text) => fetch(log, text); show('/api/jobs')",
])('ignores %s', (text) => {
  expect(scriptCalls([text])).toEqual([])
})

it('reads what the application sends with its own functions', () => {
  const script =
    "const j = (u, b) => fetch(u, { method: 'POST', body: JSON.stringify(b) })\nj('/api/find', { text: text })"
  expect(scriptBodies([script])).toEqual([{ path: '/api/find', kind: 'json', members: ' text: text ' }])
})

it('reads the names of functions', () => {
  expect(functionsOf(['function deleteJob(id) {} function x() {} function run_job() {}'])).toEqual([
    'deleteJob',
    'run_job',
  ])
})

it.each([
  ['router.push("/login")', true],
  ['{ type: "password" }', true],
  ['<a href="/x">Sign in</a>', true],
  ['fetch("/api/jobs")', false],
])('recognizes a login in %s: %s', (text, expected) => {
  expect(hasLogin([text])).toBe(expected)
})
