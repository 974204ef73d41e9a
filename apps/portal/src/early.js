// Runs before the first paint, as a file of its own because the page's security policy allows no script
// inside the document. It is a plain script: nothing is imported, so that nothing is waited for.

// The same policy allows no code made from text. Zod tries once whether it may, and the browser writes a
// violation into its console; told beforehand, it does not try.
globalThis.__zod_globalConfig = { jitless: true }
;(() => {
  const { dataset } = document.documentElement
  const stored = (name) => {
    try {
      return localStorage.getItem(`glacis.${name}`)
    } catch {
      // A browser that forbids storage follows the device.
      return null
    }
  }

  // The theme; lib/theme.ts takes over afterwards.
  const theme = stored('theme')
  const dark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  dataset.theme = dark ? 'dark' : 'light'

  // The frame that stands in the document until the page does.
  const path = location.pathname.replace(/^\/_auth(?=\/)/, '')
  const search = new URLSearchParams(location.search)
  const isPublic = /^\/(login|registration|recovery|verification|logout|error)?$/.test(path)
  const isSignIn = path === '/login' && !search.has('flow') && !search.has('aal')
  const table = document.getElementById('page-parts')?.textContent
  const { files = [], program = [], pages = [] } = table ? JSON.parse(table) : {}
  const page = pages.find(([pattern]) => new RegExp(`^(${pattern})/?$`).test(path))
  if (page) dataset.frame = isPublic ? 'public' : 'app'
  const words = page?.[2]
  if (isSignIn || words) dataset.frameWords = ''
  if (words?.hasTabs) dataset.frameTabs = ''
  if (stored('sidebarCollapsed') === 'true') dataset.frameSidebar = 'collapsed'

  // The plan's banner has its place before its words are there, unless the last page had none.
  const isPlanOffered = stored('upgradeBannerDismissed') !== 'true'
  if (isPlanOffered && stored('planBanner') !== 'none') dataset.framePlan = ''

  // Known beforehand, so that the page begins with what it is and not with bars. Nothing of the document is there yet.
  const say = (id, text) => document.getElementById(id)?.replaceChildren(text)
  if (words) {
    new MutationObserver((_, observer) => {
      if (!document.getElementById('frame-lede')) return
      observer.disconnect()
      say('frame-title', words.title)
      say('frame-lede', words.lede)
    }).observe(document.documentElement, { childList: true, subtree: true })
  }
  // What the product says above the page of a free plan.
  const showPlan = ({ subscription: { plan, quota } }) => {
    if (plan.id !== 'free') delete dataset.framePlan
    const place = document.getElementById('frame-plan')
    if (plan.id !== 'free' || !place) return
    const [targets, scans] = [quota.targets, quota.manualScans].map(({ total }) => total.toLocaleString('en-CH'))
    const name = document.createElement('b')
    name.className = 'font-semibold'
    name.textContent = `You are on the ${plan.name} plan.`
    const compare = document.createElement('span')
    compare.className = 'font-medium underline underline-offset-3'
    compare.textContent = 'Compare plans'
    const covers = ` It covers ${targets} targets and ${scans} manual scans a month. `
    place.firstElementChild?.replaceChildren(name, covers, compare)
    place.classList.remove('invisible')
  }
  // Instead of the bars of rows.
  const showWords = (id, { title, text }) => {
    const place = document.getElementById(id)
    const rows = document.getElementById('frame-rows')
    if (!place || !rows) return
    const [heading, sentence] = place.querySelectorAll('p')
    heading?.replaceChildren(title)
    sentence?.replaceChildren(text)
    place.hidden = false
    rows.hidden = true
  }
  // What stands there while there is nothing: `of` names what the answer counts.
  const showEmpty = (answer) => {
    const { of, unless } = words.empty
    if ((answer[of] === 0 || answer[of]?.length === 0) && !(unless in answer)) showWords('frame-empty', words.empty)
  }
  // What the first step that is open begins with.
  const showStep = ({ steps }) => {
    const step = words.steps[steps.find(({ state }) => state === 'STATE_OPEN')?.key]
    if (step) showWords('frame-step', step)
  }

  // The first number that a browser writes in a language has it look through the data of all of them, for as long as a
  // screen takes to draw: now it waits for the style sheet, and later somebody would wait for it.
  if (dataset.frame === 'app') setTimeout(() => (0).toLocaleString('en-CH'))

  // What every start asks first is asked while the program is on its way; lib/early.ts hands it out.
  const answers = new Map()
  let first = []
  const ask = (address) => {
    const answer = fetch(address, { credentials: 'include', headers: { accept: 'application/json' } })
      // Read to its end, so that no connection is held by an answer that nobody takes.
      .then(async (response) => new Response(await response.blob(), response))
    answer.catch(() => undefined) // whoever takes it asks again
    answers.set(address, answer)
    return answer
  }
  // Whoever takes the answer reads it too; what cannot be shown is told of by the page.
  const shown = []
  const show = (address, into) => {
    const answer = answers.get(address) ?? ask(address)
    shown.push(
      answer.then(async (response) => response.ok && into(await response.clone().json())).catch(() => undefined),
    )
  }
  const asked = ask('/config.json')
    .then((response) => response.clone().json())
    .then(({ identityUrl = '', apiUrl = '', billing = false }) => {
      const [identity, api] = [identityUrl, apiUrl].map((url) => url.replace(/\/+$/, ''))
      if (dataset.frame === 'app') {
        void ask(`${identity}/sessions/whoami`)
        // An address that narrows a page down asks other questions.
        if (!location.search) {
          const id = path.split('/')[2] ?? ''
          first = (page?.[3] ?? []).map((address) => api + address.replaceAll(':id', id))
          first.forEach(ask)
          if (words?.empty && first[0]) show(first[0], showEmpty)
          if (words?.steps && first[0]) show(first[0], showStep)
        }
        if (!billing) delete dataset.framePlan
        else if (isPlanOffered) show(`${api}/v1/billing/subscription`, showPlan)
      }
      const returnTo = search.has('return_to') ? `&${new URLSearchParams({ return_to: search.get('return_to') })}` : ''
      if (isSignIn) void ask(`${identity}/self-service/login/browser?refresh=true${returnTo}`)
    })
    .catch(() => undefined)
  globalThis.glacisEarly = {
    // What the program is made of, and this page: boot.ts has them fetched.
    parts: [...program, ...(page?.[1] ?? [])].map((index) => files[index]),
    answers,
    asked,
    // When the document shows what the answers say of this page.
    shown: asked.then(() => Promise.all(shown)),
    isPageAsked: () => first.some((address) => answers.has(address)),
  }
})()
