import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { SignedXml } from 'xml-crypto'
import { makeCertificate } from '#test/certificates.ts'
import { createAccount, createSpace, type TestAccount } from '#test/factories.ts'
import { idpMetadata } from '#test/idp-metadata.ts'
import { startIssuer, type TestIssuer } from '#test/oidc-issuer.ts'
import { connectIssuer, signInBySso } from '#test/oidc-sign-in.ts'
import {
  assertionOf,
  type ResponseParts,
  responseAround,
  signElement,
  signedResponse,
} from '#test/saml-response.ts'
import { answerTo, connectSaml, type Ours, postResponse, readRequest } from '#test/saml-sign-in.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'

const [signer, next, stranger] = [makeCertificate(), makeCertificate(), makeCertificate()]
const ended = makeCertificate({ days: -1 })

let issuer: TestIssuer
let installation: TestInstallation
let admin: TestAccount
beforeAll(async () => {
  issuer = await startIssuer()
  installation = await startInstallation({ IMORI_SSO_ORIGINS: issuer.url })
  admin = await createAccount(installation, { isAdmin: true })
})
afterAll(async () => {
  await installation?.close()
  await issuer?.close()
})

const newest = async ({ url }: { url: string }) =>
  ok(await admin.client.get(`${url}/sso/refusal`)).refusals[0]

describe('a SAML response', () => {
  let space: { uid: string; url: string }
  let ours: Ours
  beforeAll(async () => {
    space = await createSpace(admin.client)
    ours = await connectSaml(admin, space, [signer.certificate, next.certificate])
  })

  async function refusalOf(make: (parts: ResponseParts) => string, more: Partial<ResponseParts> = {}) {
    const client = installation.visitor()
    const begun = readRequest(ok(await client.post('/api/auth/sso', { space: space.uid })).url)
    const xml = make(answerTo(ours, signer, begun, more))
    expect(await postResponse(client, ours, xml, begun.state)).toBe('/sso/login?error=SsoRefused')
    return newest(space)
  }
  const withoutKey = (parts: ResponseParts) =>
    signedResponse(parts).replace(/<ds:KeyInfo>.*?<\/ds:KeyInfo>/s, '')

  it('is recorded as refused for an unknown or expired certificate or a wrong signature', async () => {
    const [{ fingerprint }] = ok(
      await admin.client.post(`${space.url}/sso/metadata`, {
        xml: idpMetadata({ certificates: [stranger.certificate] }),
      }),
    ).metadata.certificates
    const unknown = await refusalOf(signedResponse, { signer: stranger })
    expect(unknown.reason).toBe('unknownCertificate')
    expect(unknown.detail).toContain(fingerprint)
    expect((await refusalOf(withoutKey, { signer: stranger })).reason).toBe('signature')
    const tampered = (parts: ResponseParts) => signedResponse(parts).replace('saku@', 'admin@')
    expect((await refusalOf(tampered)).reason).toBe('signature')
    // The signer is also found if the response names no certificate.
    const client = installation.visitor()
    const begun = readRequest(ok(await client.post('/api/auth/sso', { space: space.uid })).url)
    const xml = withoutKey(answerTo(ours, next, begun))
    expect(await postResponse(client, ours, xml, begun.state)).toMatch('/sso/verify#')

    await installation.database.pool.query(
      `UPDATE sso_connection SET settings = jsonb_set(settings, '{saml,certificates,1}', to_jsonb($1::text))
       WHERE space_id = (SELECT id FROM space WHERE uid = $2)`,
      [ended.certificate, space.uid],
    )
    const old = await refusalOf(signedResponse, { signer: ended })
    expect(old.reason).toBe('certificateEnded')
    expect(old.detail).toMatch(/valid until \d{4}-\d\d-\d\d/)
    await installation.database.pool.query(
      `UPDATE sso_connection SET settings = jsonb_set(settings, '{saml,certificates}', jsonb_build_array($1::text))
       WHERE space_id = (SELECT id FROM space WHERE uid = $2)`,
      [ended.certificate, space.uid],
    )
    expect((await refusalOf(withoutKey)).reason).toBe('certificateEnded')
    expect((await refusalOf(signedResponse)).reason).toBe('certificateEnded')
    ok(await admin.client.post(`${space.url}/sso/certificate`, { certificate: signer.certificate }))
  })

  it('is verified with at most one certificate, even if it names several', async () => {
    const crowded = await createSpace(admin.client)
    const own = Array.from({ length: 5 }, () => makeCertificate())
    // New certificates for the keys of `own`.
    const renewed = own.map(({ key }) => makeCertificate({ days: 200, key }))
    const at = await connectSaml(
      admin,
      crowded,
      [...own, ...renewed].map(({ certificate }) => certificate),
    )
    const verified = vi.spyOn(SignedXml.prototype, 'checkSignature')
    async function verificationsOf(make: (parts: ResponseParts) => string, by: typeof signer) {
      const client = installation.visitor()
      const begun = readRequest(ok(await client.post('/api/auth/sso', { space: crowded.uid })).url)
      const xml = make(answerTo(at, by, begun))
      verified.mockClear()
      const location = await postResponse(client, at, xml, begun.state)
      return [location.split('#')[0], verified.mock.calls.length]
    }
    try {
      const refused = '/sso/login?error=SsoRefused'
      const last = own[4] ?? signer
      expect(await verificationsOf(withoutKey, stranger)).toEqual([refused, 0])
      const namesAll = (parts: ResponseParts) =>
        signedResponse(parts).replace(/<ds:KeyInfo>.*?<\/ds:KeyInfo>/s, () => {
          const bare = own.map(({ certificate }) => certificate.replace(/-----[^-]+-----|\s/g, ''))
          const data = bare.map((text) => `<ds:X509Certificate>${text}</ds:X509Certificate>`).join('')
          return `<ds:KeyInfo><ds:X509Data>${data}</ds:X509Data></ds:KeyInfo>`
        })
      expect(await verificationsOf(namesAll, stranger)).toEqual([refused, 0])
      const changed = (parts: ResponseParts) => namesAll(parts).replace('saku@', 'admin@')
      expect(await verificationsOf(changed, last)).toEqual([refused, 1])
      // Ends the lines of the signature value like some Java libraries.
      const inLines = (parts: ResponseParts) =>
        withoutKey(parts).replace(/(?<=<ds:SignatureValue>)[^<]+/, (value) =>
          value.replace(/.{76}/g, '$&&#13;\n'),
        )
      for (const make of [withoutKey, namesAll, inLines])
        expect(await verificationsOf(make, last)).toEqual(['/sso/verify', 1])
    } finally {
      verified.mockRestore()
    }
  })

  it('is recorded as not signed if its assertion is not signed', async () => {
    const onlyResponse = (parts: ResponseParts) =>
      signElement(responseAround(parts, assertionOf(parts)), 'Response', parts)
    expect(await refusalOf(onlyResponse)).toMatchObject({
      reason: 'assertionNotSigned',
      detail: expect.stringContaining('only the response'),
    })
    const unsigned = await refusalOf((parts) => responseAround(parts, assertionOf(parts)))
    expect(unsigned.reason).toBe('assertionNotSigned')
  })

  it('without a pending sign-in is recorded as begun by the identity provider or as ended', async () => {
    const client = installation.visitor()
    const unasked = signedResponse(answerTo(ours, signer, { requestId: null }))
    for (const state of ['', 'https://portal.example.com/start']) {
      expect(await postResponse(client, ours, unasked, state)).toBe('/sso/login?error=SsoHasEnded')
      expect((await newest(space)).reason).toBe('idpInitiated')
    }
    const late = signedResponse(answerTo(ours, signer, { requestId: '_other' }))
    expect(await postResponse(client, ours, late, 'over')).toBe('/sso/login?error=SsoHasEnded')
    expect((await newest(space)).reason).toBe('ended')
  })
})

describe('a refused OpenID Connect response', () => {
  let space: { uid: string; url: string }
  beforeAll(async () => {
    space = await createSpace(admin.client)
    await connectIssuer(admin, space, issuer, { domains: ['example.com'] })
  })

  it('is recorded with the identity provider’s error in one line of at most 500 characters', async () => {
    const client = installation.visitor()
    const answer = async (more: Record<string, string>) => {
      const begun = new URL(ok(await client.post('/api/auth/sso', { space: space.uid })).url).searchParams
      const query = new URLSearchParams({ state: begun.get('state') ?? '', iss: issuer.url, ...more })
      const path = new URL(begun.get('redirect_uri') ?? '').pathname
      expect(String((await client.get(`${path}?${query}`)).headers.location)).toContain('SsoRefused')
      return newest(space)
    }
    const refused = await answer({
      error: 'access_denied',
      error_description: 'AADSTS50105: The user is not assigned\r\nto a role \u202eTrace\u200b ID: <b>1</b>',
    })
    expect(refused.reason).toBe('status')
    expect(refused.detail).toMatch(
      /^access_denied: AADSTS50105: The user is not assigned to a role Trace ID: <b>1<\/b>/,
    )
    const { detail } = await answer({ error: 'server_error', error_description: 'x'.repeat(5000) })
    expect(detail).toMatch(/^server_error: x+$/)
    expect(detail.length).toBeLessThanOrEqual(500)
  })

  it('is recorded with a reason if the invitation was used up or revoked', async () => {
    const client = installation.visitor()
    const invite = async () => {
      const invitation = { useSSO: true, maximumUses: 1 }
      const made = ok(await admin.client.post(`${space.url}/invitation`, { invitation })).invitation
      return { ...made, code: new URL(made.url).searchParams.get('code') ?? '' }
    }
    const join = (name: string, invitationCode: string) =>
      signInBySso(issuer, client, space, { sub: name, email: `${name}@example.com` }, { invitationCode })
    const one = await invite()
    ok(await join('hana', one.code))
    expect((await join('taro', one.code)).body.code).toBe('InvalidInvitationCode')
    expect(await newest(space)).toMatchObject({ reason: 'invitationUsed', email: 'taro@example.com' })
    const revoked = await invite()
    ok(await admin.client.delete(`${space.url}/invitation/${revoked._id}`))
    expect((await join('jiro', revoked.code)).body.code).toBe('InvalidInvitationCode')
    expect((await newest(space)).reason).toBe('invitation')
  })
})
