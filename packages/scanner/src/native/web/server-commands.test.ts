import { execFileSync } from 'node:child_process'
import type { RequestListener } from 'node:http'
import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'

const page =
  '<!doctype html><title>Tools</title><a href="/trace?host=localhost">Trace</a><a href="/leave?next=/">Leave</a>'

function serve(trace: (host: string) => string, leave: (next: string) => string): RequestListener {
  return ({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://here.invalid')
    response.setHeader('content-type', 'text/html')
    response.setHeader('connection', 'close')
    if (pathname === '/') response.end(page)
    else if (pathname === '/trace') response.end(trace(searchParams.get('host') ?? ''))
    else if (pathname === '/leave') response.writeHead(302, { location: leave(searchParams.get('next') ?? '') }).end()
    else response.writeHead(404).end('not found')
  }
}

const home = () => '/'
const inShell = (command: string) => {
  try {
    return execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return 'failed'
  }
}

it.each<[string, (host: string) => string, boolean]>([
  ['inserts it into a command', (host) => inShell(`echo ${host}`), true],
  ['inserts it between double quotation marks', (host) => inShell(`echo "${host}"`), true],
  ['passes it as an argument', (host) => execFileSync('/bin/echo', [host], { encoding: 'utf8' }), false],
  ['repeats it', (host) => host, false],
])('evaluates a server that takes a host and %s', async (_, trace, expected) => {
  expect((await findOnSite(serve(trace, home))).includes('command-injection')).toBe(expected)
})

it.each<[string, (next: string) => string, boolean]>([
  ['anywhere', (next) => next, true],
  ['to paths, also with two slashes', (next) => (next.startsWith('/') ? next : '/'), true],
  ['to its own paths', (next) => (/^\/(?!\/)/.test(next) ? next : '/'), false],
  ['to a page with the address as a parameter', (next) => `/warning?to=${next}`, false],
])('evaluates a server that redirects %s', async (_, leave, expected) => {
  const found = await findOnSite(serve((host) => host, leave))
  expect(found.includes('open-redirect-linked-parameter')).toBe(expected)
})

it.runIf(hasPerl())('finds a file name that Perl runs as a command', async () => {
  const program = 'open(my $file, $ARGV[0]) or exit; print <$file>'
  const found = await findOnSite(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://here.invalid')
    response.setHeader('connection', 'close')
    if (pathname === '/') response.end('<a href="/archive?file=today.txt">Archive</a>')
    else if (pathname !== '/archive') response.writeHead(404).end()
    else response.end(execFileSync('perl', ['-e', program, searchParams.get('file') ?? ''], { encoding: 'utf8' }))
  })
  expect(found).toContain('command-injection')
})

function hasPerl(): boolean {
  try {
    return execFileSync('perl', ['-e', 'print 1'], { encoding: 'utf8' }) === '1'
  } catch {
    return false
  }
}
