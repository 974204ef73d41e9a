import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { answersShown, fetchEarly, firstAnswers, partsOfPage } from '#lib/early.ts'
import { formatNumber } from '#lib/format.ts'

const asked: string[] = []
const config = { identityUrl: 'https://id.example/', apiUrl: 'https://api.example', billing: true }
const answers = async (address: string): Promise<Response> => {
  asked.push(address)
  return Response.json(address === '/config.json' ? config : { address })
}
const later = (address: string) => fetchEarly(address, {})

beforeEach(() => {
  vi.stubGlobal('fetch', answers)
  // The page has just been opened, however old the process is.
  vi.spyOn(performance, 'now').mockReturnValue(500)
  document.head.innerHTML =
    '<script type="application/json" id="page-parts">{"files":["/files/program.js","/files/a.js","/files/b.js"],"program":[0],"pages":[["/scans",[2]],["/overview|/scope",[1]]]}</script>'
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  asked.length = 0
  document.head.innerHTML = ''
  delete document.documentElement.dataset['frame']
  delete document.documentElement.dataset['framePlan']
  delete document.documentElement.dataset['frameTabs']
  localStorage.clear()
})

/** The file itself, as a page at this address runs it. */
async function open(address: string, questions = 2): Promise<void> {
  const script = readFileSync(join(import.meta.dirname, '../early.js'), 'utf8')
  // oxlint-disable-next-line typescript/no-implied-eval
  new Function('location', script)(new URL(address, 'https://portal.example'))
  await waitFor(() => expect(asked).toHaveLength(questions))
}

it('asks for the configuration, the session and the plan of a page inside, and hands each out once', async () => {
  await open('/overview', 3)
  const plan = 'https://api.example/v1/billing/subscription'
  expect(asked).toEqual(['/config.json', 'https://id.example/sessions/whoami', plan])
  expect(await (await later('/config.json')).json()).toEqual(config)
  expect(asked).toHaveLength(3)
  await later('/config.json')
  expect(asked).toHaveLength(4)
})

it('names the parts of the program and then those of the page, and shows the frame of the product', async () => {
  await open('/scope/', 3)
  expect(partsOfPage()).toEqual(['/files/program.js', '/files/a.js'])
  expect(document.documentElement.dataset['frame']).toBe('app')
})

it('keeps the place of tabs where the page has some', async () => {
  const rows = ['/risks', '/scope'].map((path) => [path, [], { title: 'A', lede: 'b', hasTabs: path === '/risks' }])
  document.head.innerHTML = `<script type="application/json" id="page-parts">${JSON.stringify({ pages: rows })}</script>`
  await open('/scope', 3)
  expect(document.documentElement.dataset['frameTabs']).toBeUndefined()
  asked.length = 0
  await open('/risks', 3)
  expect(document.documentElement.dataset['frameTabs']).toBe('')
})

it('asks for nobody where there is no page', async () => {
  await open('/nowhere', 1)
  await (await later('/config.json')).json()
  expect(asked).toEqual(['/config.json'])
  expect(document.documentElement.dataset['frame']).toBeUndefined()
})

it('begins the flow of a sign-in as the page itself would', async () => {
  await open('/login?return_to=https%3A%2F%2Fportal.example%2Fscope%3Fq%3Da+b')
  const flow =
    'https://id.example/self-service/login/browser?refresh=true&return_to=https%3A%2F%2Fportal.example%2Fscope%3Fq%3Da+b'
  expect(asked[1]).toBe(flow)
  await later(flow)
  expect(asked).toHaveLength(2)
})

it('asks again where the early question found nobody', async () => {
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(address)
    return asked.length === 1 ? Promise.reject(new TypeError('offline')) : answers(address)
  })
  const script = readFileSync(join(import.meta.dirname, '../early.js'), 'utf8')
  // oxlint-disable-next-line typescript/no-implied-eval
  new Function('location', script)(new URL('https://portal.example/scope'))
  expect((await later('/config.json')).ok).toBe(true)
})

it('says at once what the page is, and what a free plan covers', async () => {
  document.head.innerHTML =
    '<script type="application/json" id="page-parts">{"files":[],"pages":[["/scope",[],{"title":"Scope","lede":"Targets"}]]}</script>'
  const quota = { targets: { used: 0, total: 25 }, manualScans: { used: 0, total: 1000 } }
  const subscription = { plan: { id: 'free', name: 'Free' }, quota }
  vi.stubGlobal('fetch', async (address: string) =>
    address.endsWith('/subscription') ? Response.json({ subscription }) : answers(address),
  )
  document.body.innerHTML = '<div id="frame-plan" class="invisible"><p>As long as what comes</p></div>'
  await open('/scope', 2)
  document.body.insertAdjacentHTML('beforeend', '<p id="frame-title"></p><p id="frame-lede"></p>')
  const textOf = (id: string) => document.getElementById(id)?.textContent
  await waitFor(() => expect([textOf('frame-title'), textOf('frame-lede')]).toEqual(['Scope', 'Targets']))
  await waitFor(() => expect(document.getElementById('frame-plan')?.className).toBe(''))
  expect(document.documentElement.dataset['framePlan']).toBe('')
  expect(textOf('frame-plan')).toBe(
    `You are on the Free plan. It covers 25 targets and ${formatNumber(1000)} manual scans a month. Compare plans`,
  )
  const plan = 'https://api.example/v1/billing/subscription'
  expect(await (await later(plan)).json()).toEqual({ subscription })
})

it('keeps the place of the plan until it is another one, and from then on keeps none', async () => {
  let answer = () => {}
  const later = new Promise<void>((resume) => (answer = resume))
  vi.stubGlobal('fetch', async (address: string) => {
    if (!address.endsWith('/subscription')) return answers(address)
    asked.push(address)
    await later
    return Response.json({ subscription: { plan: { id: 'team', name: 'Team' }, quota: {} } })
  })
  const opened = open('/scope', 3)
  expect(document.documentElement.dataset['framePlan']).toBe('')
  await opened
  answer()
  await answersShown()
  expect(document.documentElement.dataset['framePlan']).toBeUndefined()
  asked.length = 0
  localStorage.setItem('glacis.planBanner', 'none')
  await open('/scope', 3)
  expect(document.documentElement.dataset['framePlan']).toBeUndefined()
})

it('keeps no place for a plan where there are none', async () => {
  vi.stubGlobal('fetch', async (address: string) => {
    asked.push(address)
    return Response.json({ ...config, billing: false })
  })
  await open('/scope', 2)
  expect(document.documentElement.dataset['framePlan']).toBeUndefined()
})

describe('a page whose first answer counts what there is', () => {
  const empty = { of: 'targets', unless: 'lastTime', title: 'Add your first target', text: 'A target is a host.' }
  const row = ['/scope', [], { title: 'Scope', lede: 'Targets', empty }, ['/v1/targets']]
  const isShown = () => [
    document.getElementById('frame-empty')?.hidden === false,
    document.getElementById('frame-rows')?.hidden === false,
  ]
  const answering = async (body: object, status = 200, page: readonly unknown[] = row): Promise<void> => {
    vi.stubGlobal('fetch', async (address: string) =>
      address.endsWith('/targets') ? Response.json(body, { status }) : answers(address),
    )
    document.head.innerHTML = `<script type="application/json" id="page-parts">${JSON.stringify({ pages: [page] })}</script>`
    const places = ['empty', 'step'].map((place) => `<div id="frame-${place}" hidden><p></p><p></p></div>`).join('')
    document.body.innerHTML = `${places}<div id="frame-rows"></div><p id="frame-lede"></p>`
    await open(String(page[0]), 3)
    await answersShown()
  }

  it('begins the first step that is open where it sets up', async () => {
    const steps = { FIRST: { title: 'Where?', text: 'From here.' }, SECOND: { title: 'What?', text: 'All of it.' } }
    const page = ['/onboarding', [], { title: 'Set up', lede: 'In steps', steps }, ['/v1/targets']]
    const states = { FIRST: 'STATE_DONE', SECOND: 'STATE_OPEN', THIRD: 'STATE_OPEN' }
    await answering({ steps: Object.entries(states).map(([key, state]) => ({ key, state })) }, 200, page)
    expect(document.getElementById('frame-step')?.hidden).toBe(false)
    expect(document.getElementById('frame-step')?.textContent).toBe('What?All of it.')
    expect(document.getElementById('frame-rows')?.hidden).toBe(true)
  })

  it('leaves its place to the page where all steps are over', async () => {
    const page = ['/onboarding', [], { title: 'Set up', lede: 'In steps', steps: {} }, ['/v1/targets']]
    await answering({ steps: [{ key: 'FIRST', state: 'STATE_SKIPPED' }] }, 200, page)
    expect(document.getElementById('frame-step')?.hidden).toBe(true)
  })

  it('says in the frame that there is nothing, and still hands the answer out', async () => {
    await answering({ targets: [] })
    expect(isShown()).toEqual([true, false])
    expect(document.getElementById('frame-empty')?.textContent).toBe('Add your first targetA target is a host.')
    expect(await (await later('https://api.example/v1/targets')).json()).toEqual({ targets: [] })
  })

  it('keeps its rows where there is something', async () => {
    await answering({ targets: [{ id: 1 }] })
    expect(isShown()).toEqual([false, true])
  })

  it('keeps its rows where the page says something else of having nothing', async () => {
    await answering({ targets: [], lastTime: '2026-11-20T00:00:00Z' })
    expect(isShown()).toEqual([false, true])
  })

  it('keeps its rows where the question was refused', async () => {
    await answering({ targets: [] }, 401)
    expect(isShown()).toEqual([false, true])
  })
})

it('does not wait for answers that take long', async () => {
  vi.stubGlobal('fetch', (address: string) =>
    address.endsWith('/subscription') ? new Promise(() => undefined) : answers(address),
  )
  await open('/scope', 2)
  await answersShown()
})

describe('what a page begins with', () => {
  const scope = 'https://api.example/v1/targets?pageSize=25'
  beforeEach(() => {
    document.head.innerHTML =
      '<script type="application/json" id="page-parts">{"files":[],"pages":[["/scope",[],null,["/v1/targets?pageSize=25"]],["/scope/[^/]+",[],null,["/v1/targets/:id","/v1/scans?filter.targetId=:id"]]]}</script>'
  })

  it('is asked for beside the session, and waited for until it is taken', async () => {
    await open('/scope', 4)
    expect(asked).toContain(scope)
    const load = vi.fn(() => later(scope))
    await firstAnswers(load)
    expect(await (await load.mock.results[0]?.value)?.json()).toEqual({ address: scope })
    await firstAnswers(load)
    expect(load).toHaveBeenCalledTimes(1)
    expect(asked).toHaveLength(4)
  })

  it('is of the thing that the address names', async () => {
    await open('/scope/7', 5)
    expect(asked).toContain('https://api.example/v1/targets/7')
    expect(asked).toContain('https://api.example/v1/scans?filter.targetId=7')
  })

  it('is not asked for where an address narrows the page down', async () => {
    await open('/scope?q=web', 3)
    const load = vi.fn(() => later(scope))
    await firstAnswers(load)
    expect(load).not.toHaveBeenCalled()
  })
})
