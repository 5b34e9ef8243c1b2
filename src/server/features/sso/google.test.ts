import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '#server/lib/ids.ts'
import { createAccount, createSpace, type TestAccount } from '#test/factories.ts'
import { startIssuer, type TestIssuer } from '#test/oidc-issuer.ts'
import { connectIssuer } from '#test/oidc-sign-in.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { managerOf } from './oidc.ts'
import { sealKept } from './secrets.ts'
import { insertAnswered } from './sign-ins.repository.ts'

let issuer: TestIssuer
let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
beforeAll(async () => {
  issuer = await startIssuer()
  installation = await startInstallation({ IMORI_SSO_ORIGINS: issuer.url })
  admin = await createAccount(installation, { isAdmin: true })
  space = await createSpace(admin.client)
  await connectIssuer(admin, space, issuer, { domains: ['corp.example', 'brand.example'] })
})
afterAll(async () => {
  await installation?.close()
  await issuer?.close()
})

const google = 'https://accounts.google.com'

/** Finishes a sign-in as if an ID token from Google had been verified. A test cannot reach Google itself. */
async function finishWith(token: { sub: string; email: string; hd?: unknown }, iss = google) {
  const { sso } = ok(await admin.client.get(`${space.url}/sso`))
  const { secrets } = installation.deps.services
  const connectionId = new URL(sso.ours.redirectUri).pathname.split('/').at(-2) ?? ''
  const [id, code] = [newId(), newId()]
  const claims = {
    issuer: iss,
    subject: token.sub,
    email: token.email,
    emailProblem: null,
    ...managerOf({ iss, hd: token.hd }),
    name: token.sub,
    groups: [],
    groupsProblem: null,
  }
  const kept = sealKept(secrets, id, { kind: 'oidc', invitationCode: null, claims })
  await insertAnswered(installation.database.kysely, { id, connectionId, code, kept })
  const client = installation.visitor()
  return { ...(await client.post('/api/auth/sso/finish', { code })), client }
}

it('an address from Google is accepted only if a proven domain of the space manages the account', async () => {
  for (const [sub, hd] of [
    ['consumer', undefined],
    ['other', 'other.example'],
    ['look-alike', 'corp.example.evil.example'],
    ['nothing', ''],
    ['list', ['corp.example']],
  ] as const) {
    const { status, body } = await finishWith({ sub, email: `${sub}@corp.example`, hd })
    expect([sub, status, body.code]).toEqual([sub, 403, 'SsoAddressNotAllowed'])
    const [refusal] = ok(await admin.client.get(`${space.url}/sso/refusal`)).refusals
    expect(refusal).toMatchObject({ reason: 'notManaged', email: `${sub}@corp.example` })
  }
  // In a Workspace with several domains, the domain that manages the account may differ from the domain of the address.
  for (const [sub, domain, hd] of [
    ['hana', 'corp.example', 'corp.example'],
    ['yuki', 'brand.example', 'Corp.Example'],
  ] as const) {
    const { body, client } = await finishWith({ sub, email: `${sub}@${domain}`, hd })
    expect(body.user).toMatchObject({ email: `${sub}@${domain}` })
    ok(await client.get(space.url))
  }
  const outside = await finishWith({ sub: 'x', email: 'x@elsewhere.example', hd: 'corp.example' })
  expect(outside.body.code).toBe('SsoAddressNotAllowed')
})

it('an address from another issuer is accepted without a managing domain', async () => {
  expect(managerOf({ iss: 'https://login.example', hd: undefined })).toEqual({})
  expect((await finishWith({ sub: 'z', email: 'z@corp.example' }, issuer.url)).status).toBe(200)
})
