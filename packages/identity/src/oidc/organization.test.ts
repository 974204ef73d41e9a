import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { createIdentityAdmin, type OrganizationSignIn } from '#index.ts'
import type { Browser, Reply } from '#testing/browser.ts'
import { enqueueMail, enrollTotp, portalUrl, register, sharedTestIdentity, valueOf } from '#testing/test-identity.ts'
import { type Claims, followToCallback, startTestOidcProvider } from '#testing/test-oidc-provider.ts'

const id = 'workspace-1'
const testProvider = await startTestOidcProvider([id, 'workspace-2'])
afterAll(() => testProvider.close())
const signIns: OrganizationSignIn[] = []
let domains = ['acme.example']
const identity = await sharedTestIdentity({
  organizations: {
    async find(wanted) {
      if (wanted !== id) return null
      const { issuer } = testProvider
      return { ...testProvider.optionsFor(id, 'Acme'), issuer, domains, groupsClaim: 'groups' }
    },
    onSignIn: async (signIn) => void signIns.push(signIn),
  },
})
beforeEach(() => {
  domains = ['acme.example']
  signIns.length = 0
})

let count = 0
function setUser(claims: Claims = {}) {
  count += 1
  const email = `worker${count}@acme.example`
  testProvider.currentUser = {
    subject: `subject-${count}`,
    claims: { email, given_name: 'Wanda', family_name: 'Frost', groups: ['staff', 'security'], ...claims },
  }
  return email
}
/** Opens the link to the provider and follows it back. */
async function open(browser: Browser): Promise<Reply> {
  const start = await browser.open(`/self-service/login/browser?refresh=true&provider=${id}`)
  const { location } = start.headers
  if (start.status !== 303 || !location) throw new Error(`No redirect to the provider: ${start.status} ${start.text}`)
  return browser.open(await followToCallback(location))
}
const whoami = async (browser: Browser) => (await browser.get('/sessions/whoami')).body
const errorOf = async (browser: Browser, { headers }: Reply) => {
  const flow = (await browser.get(`/self-service/login/flows?id=${String(headers.location).split('flow=')[1]}`)).body
  return flow.ui.messages[0].text
}
async function registerVerified(browser: Browser, email: string) {
  await register(browser, email)
  const verification = identity.database.db.updateTable('identity.verifiable_address')
  await verification.set({ verified: true }).where('value', '=', email).execute()
}

describe('the provider of an organization', () => {
  it('signs up a person of its domain, with a verified address and their groups', async () => {
    const email = setUser({ email_verified: false })
    const browser = identity.browser()
    const response = await open(browser)
    expect([response.status, response.headers.location]).toEqual([303, `${portalUrl}/overview`])
    const session = await whoami(browser)
    expect(session.authentication_methods).toMatchObject([{ method: 'oidc', provider: id }])
    expect(session.identity.verifiable_addresses[0]).toMatchObject({ value: email, verified: true })
    expect(signIns).toMatchObject([
      { provider: id, identityId: session.identity.id, email, name: 'Wanda Frost', groups: ['staff', 'security'] },
    ])
    const again = identity.browser()
    await open(again)
    expect((await whoami(again)).identity.id).toBe(session.identity.id)
    expect(signIns).toHaveLength(2)
  })

  it('SEC-A9 rejects users of other domains, regardless of what it claims about their address', async () => {
    setUser({ email: 'victim@other.example', email_verified: true })
    const browser = identity.browser()
    expect(await errorOf(browser, await open(browser))).toBe(
      'Acme can only sign in users with an address at acme.example.',
    )
    expect([(await browser.get('/sessions/whoami')).status, signIns]).toEqual([401, []])
  })

  it('signs in no one once its domain is no longer verified', async () => {
    setUser()
    await open(identity.browser())
    domains = []
    const browser = identity.browser()
    expect(await errorOf(browser, await open(browser))).toContain("Acme can't sign in anyone")
  })

  it('SEC-A9 does not open an account whose address is not verified, because anyone can sign up with it', async () => {
    const email = setUser()
    await register(identity.browser(), email)
    const browser = identity.browser()
    await open(browser)
    expect((await browser.get('/sessions/whoami')).status).toBe(401)
  })

  it('ends the sessions of those who signed in with it on request, and no others', async () => {
    setUser()
    const [member, other] = [identity.browser(), identity.browser()]
    await open(member)
    await registerVerified(other, setUser())
    const admin = createIdentityAdmin({ database: identity.database.db, enqueueMail })
    await admin.revokeProviderSessions('workspace-2')
    expect((await member.get('/sessions/whoami')).status).toBe(200)
    await admin.revokeProviderSessions(id)
    expect((await member.get('/sessions/whoami')).status).toBe(401)
    expect((await other.get('/sessions/whoami')).status).toBe(200)
  })

  it('links the account with the verified address, and keeps its second factor', async () => {
    const email = setUser()
    const owner = identity.browser()
    await registerVerified(owner, email)
    await enrollTotp(identity, owner)
    const browser = identity.browser()
    const response = await open(browser)
    expect(response.headers.location).toContain('aal=aal2')
    expect((await browser.get('/sessions/whoami')).status).toBe(403)
    expect(signIns.map(({ email: address }) => address)).toEqual([email])
  })

  it('adds the provider to the session of a person who signed in with a password', async () => {
    const email = setUser()
    const browser = identity.browser()
    await registerVerified(browser, email)
    await open(browser)
    const { authentication_methods: methods } = await whoami(browser)
    expect(methods.map(({ method }: { method: string }) => method)).toEqual(['password', 'oidc'])
  })

  it('ignores an address that the user typed', async () => {
    const email = setUser({ given_name: '' })
    const browser = identity.browser()
    const response = await open(browser)
    const flowId = String(response.headers.location).split('flow=')[1]
    const flow = (await browser.get(`/self-service/registration/flows?id=${flowId}`)).body
    const traits = { email: 'victim@other.example', name: { first: 'Wanda', last: 'Frost' } }
    const body = { csrf_token: valueOf(flow, 'csrf_token'), provider: id, traits }
    const start = await browser.post(flow.ui.action, body)
    await browser.open(await followToCallback(start.body.redirect_browser_to))
    expect((await whoami(browser)).identity.traits.email).toBe(email)
  })

  it('is unknown to another organization', async () => {
    const response = await identity.browser().open('/self-service/login/browser?provider=workspace-2')
    expect(response.headers.location ?? response.text).not.toContain(testProvider.issuer)
  })
})
