import * as samlify from 'samlify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCertificate } from '#test/certificates.ts'
import { createAccount, createSpace, type TestAccount } from '#test/factories.ts'
import { idpMetadata } from '#test/idp-metadata.ts'
import {
  assertionOf,
  type ResponseParts,
  responseAround,
  signElement,
  signedResponse,
} from '#test/saml-response.ts'
import { type Answer, type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

const idp = 'https://idp.example.com/saml'
const signInUrl = 'https://idp.example.com/sign-in'
const [signer, stranger] = [makeCertificate(), makeCertificate()]
const ended = makeCertificate({ days: -1, key: signer.key })
/** A certificate whose end is not a valid date. */
const { certificate: undated } = makeCertificate({ endsAt: '20261332250000Z', key: signer.key })

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let ours: { entityId: string; acsUrl: string }
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation, { isAdmin: true })
  space = await createSpace(admin.client)
  const saml = { entityId: idp, signInUrl }
  const data = { kind: 'saml', domains: ['example.com'], saml }
  const { sso } = ok(await admin.client.put(`${space.url}/sso`, { data }))
  ok(await admin.client.post(`${space.url}/sso/domain:confirm`, { domain: 'example.com' }))
  ours = sso.ours
  expect(sso.isComplete).toBe(false)
  expect(ok(await admin.client.post(`${space.url}/sso/test`)).problem).toBe('incomplete')
  ok(await admin.client.post(`${space.url}/sso/certificate`, { certificate: signer.certificate }))
})
afterAll(() => installation?.close())

async function begin(client: Client) {
  const { url } = ok(await client.post('/api/auth/sso', { space: space.uid }))
  const { searchParams } = new URL(url)
  const request = samlify.Utility.inflateString(searchParams.get('SAMLRequest') ?? '')
  return {
    url,
    requestId: /\sID="([^"]+)"/.exec(request)?.[1] ?? '',
    state: searchParams.get('RelayState') ?? '',
  }
}

let count = 0
const partsOf = (requestId: string | null, more: Partial<ResponseParts> = {}): ResponseParts => ({
  signer,
  issuer: idp,
  destination: ours.acsUrl,
  recipient: ours.acsUrl,
  audience: ours.entityId,
  inResponseTo: requestId,
  nameId: 'u-1',
  nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  attributes: { email: ['saku@example.com'], displayName: ['森 朔'] },
  notBefore: -5,
  notOnOrAfter: 300,
  confirmedUntil: 300,
  id: `_assertion${++count}`,
  signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
  change: (xml) => xml,
  ...more,
})

/** Posts a response like the identity provider's page. Returns the target of the redirect. */
async function post(client: Client, xml: string, state: string): Promise<string> {
  const form = new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString('base64'), RelayState: state })
  const type = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://idp.example.com' }
  const answer = await client.send('POST', new URL(ours.acsUrl).pathname, form.toString(), type)
  return answer.status === 303 ? String(answer.headers.location).replace(/^http:\/\/[^/]+/, '') : answer.text
}
const finish = (client: Client, location: string) => {
  expect(location).toMatch(/^\/sso\/verify#/)
  return client.post('/api/auth/sso/finish', { code: location.split('#')[1] })
}

describe('a sign-in by SAML', () => {
  it('succeeds with samlify as the identity provider', async () => {
    const metadata = await installation.visitor().get(new URL(ours.entityId).pathname)
    expect(metadata.headers['content-type']).toMatch('application/samlmetadata+xml')
    samlify.setSchemaValidator({ validate: async () => 'ok' })
    const template = samlify.SamlLib.defaultLoginResponseTemplate
    const provider = samlify.IdentityProvider({
      entityID: idp,
      privateKey: signer.key,
      signingCert: signer.certificate,
      nameIDFormat: ['urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'],
      singleLogoutService: [
        { Binding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect', Location: signInUrl },
      ],
      singleSignOnService: [
        { Binding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect', Location: signInUrl },
      ],
      loginResponseTemplate: {
        ...template,
        context: template.context.replace('</saml:Conditions>', `</saml:Conditions>${authnStatement}`),
        attributes: [
          { name: 'mail', valueTag: 'email', nameFormat: 'basic', valueXsiType: 'xs:string' },
          { name: 'groups', valueTag: 'group', nameFormat: 'basic', valueXsiType: 'xs:string' },
        ],
      },
    })
    const us = samlify.ServiceProvider({ metadata: metadata.text })
    const groups = [{ name: '編集部', roleId: 'pjt-Admin' }]
    ok(await admin.client.put(`${space.url}/groupRoles`, { data: { groups, defaultRoleId: 'pjt-Member' } }))
    const client = installation.visitor()
    const { url, state } = await begin(client)
    const query = Object.fromEntries(new URL(url).searchParams)
    const request = await provider.parseLoginRequest(us, 'redirect', { query })
    expect(request.extract).toMatchObject({ issuer: ours.entityId })
    const asked = String(request.extract.request?.id)
    const info = { extract: { request: { id: asked } } }
    const { context } = await provider.createLoginResponse(us, info, 'post', {}, (text: string) => {
      const id = '_samlify'
      const later = new Date(Date.now() + 300_000).toISOString()
      const values = {
        ID: id,
        AssertionID: '_samlify-assertion',
        Destination: ours.acsUrl,
        Audience: ours.entityId,
        SubjectRecipient: ours.acsUrl,
        AssertionConsumerServiceURL: ours.acsUrl,
        NameIDFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
        NameID: 'u-samlify',
        Issuer: idp,
        IssueInstant: new Date().toISOString(),
        ConditionsNotBefore: new Date().toISOString(),
        ConditionsNotOnOrAfter: later,
        SubjectConfirmationDataNotOnOrAfter: later,
        InResponseTo: asked,
        StatusCode: 'urn:oasis:names:tc:SAML:2.0:status:Success',
        attrEmail: 'samlify@example.com',
        attrGroup: '編集部',
      }
      return { id, context: samlify.SamlLib.replaceTagsByValue(text, values) }
    })
    const xml = Buffer.from(context, 'base64').toString()
    expect(ok(await finish(client, await post(client, xml, state))).user.email).toBe('samlify@example.com')
    expect(ok(await client.get(`${space.url}/currentRole`)).currentRole.uid).toBe('pjt-Admin')
  })

  it('accepts both valid certificates of the connection', async () => {
    const url = `${space.url}/sso/certificate`
    for (const [certificate, code] of [
      ['nonsense', 'InvalidFormat'],
      [signer.key, 'InvalidValue'],
      [makeCertificate({ bits: 1024 }).certificate, 'InvalidValue'],
      [makeCertificate({ days: -1, key: signer.key }).certificate, 'InvalidValue'],
      [undated, 'InvalidFormat'],
    ])
      expect((await admin.client.post(url, { certificate })).body.issues?.[0].code).toBe(code)
    const { metadata } = ok(
      await admin.client.post(`${space.url}/sso/metadata`, {
        xml: idpMetadata({ certificates: [signer.certificate, undated] }),
      }),
    )
    expect([metadata.certificates.length, metadata.unusable]).toEqual([1, 1])
    const data = { kind: 'saml', domains: ['example.com'], saml: { certificates: [undated] } }
    expect((await admin.client.put(`${space.url}/sso`, { data })).body.issues?.[0]).toEqual({
      path: 'data.saml.certificates.0',
      code: 'InvalidFormat',
    })
    const next = makeCertificate()
    expect(ok(await admin.client.post(url, { certificate: next.certificate })).certificates).toHaveLength(2)
    for (const one of [signer, next]) {
      const client = installation.visitor()
      const { requestId, state } = await begin(client)
      const xml = signedResponse(partsOf(requestId, { signer: one }))
      expect(ok(await finish(client, await post(client, xml, state))).user.name).toBe('森 朔')
    }
    const { auditLogs } = ok(await admin.client.get(`${space.url}/auditLog?kind=security`))
    expect(auditLogs[0].act).toBe('security.ssoCertificate')
    const answered = ok(await admin.client.get(`${space.url}/sso`)).sso
    expect(answered.saml.certificates[1]).toMatchObject({ subject: 'CN=idp.example.com' })
    expect(ok(await admin.client.get(url)).certificates).toEqual(answered.saml.certificates)
    // Adding a certificate again changes neither the list nor its order.
    const { certificates } = ok(await admin.client.post(url, { certificate: signer.certificate }))
    expect(certificates).toEqual(answered.saml.certificates)
    expect(ok(await admin.client.post(`${space.url}/sso/test`)).problem).toBeNull()
  })

  it('is refused with a deleted certificate, and the last valid certificate cannot be deleted', async () => {
    const url = `${space.url}/sso/certificate`
    const compromised = makeCertificate()
    const { certificates } = ok(await admin.client.post(url, { certificate: compromised.certificate }))
    const [first, kept, gone] = certificates
    expect(certificates).toHaveLength(3)
    const remove = (fingerprint: string) => admin.client.delete(`${url}/${encodeURIComponent(fingerprint)}`)
    const attempt = async (one: typeof signer) => {
      const client = installation.visitor()
      const { requestId, state } = await begin(client)
      return post(client, signedResponse(partsOf(requestId, { signer: one })), state)
    }
    expect(await attempt(compromised)).toMatch('/sso/verify#')
    for (const unknown of ['00', gone.fingerprint.replace(/^../, '00'), '%'])
      expect((await remove(unknown)).status).toBe(404)
    const left = ok(await remove(gone.fingerprint.toLowerCase())).certificates
    expect(left).toEqual(
      certificates.filter(({ fingerprint }: typeof gone) => fingerprint !== gone.fingerprint),
    )
    expect(await attempt(compromised)).toBe('/sso/login?error=SsoRefused')
    expect((await remove(gone.fingerprint)).status).toBe(404)
    const { auditLogs } = ok(await admin.client.get(`${space.url}/auditLog?kind=security&outcome=done`))
    expect(auditLogs[0]).toMatchObject({
      act: 'security.ssoCertificateDelete',
      details: { changes: expect.arrayContaining([{ key: 'fingerprint', before: gone.fingerprint }]) },
    })
    ok(await remove(kept.fingerprint))
    const last = await remove(first.fingerprint)
    expect([last.status, last.body.code]).toEqual([409, 'SsoCertificateIsNeeded'])
    expect(await attempt(signer)).toMatch('/sso/verify#')
  })

  it('can begin at the identity provider only if the connection allows it', async () => {
    const client = installation.visitor()
    const unasked = () => signedResponse(partsOf(null))
    expect(await post(client, unasked(), '')).toBe('/sso/login?error=SsoHasEnded')
    const allow = (idpInitiated: boolean) =>
      admin.client.put(`${space.url}/sso`, {
        data: { kind: 'saml', domains: ['example.com'], saml: { idpInitiated } },
      })
    ok(await allow(true))
    const xml = unasked()
    expect(ok(await finish(client, await post(client, xml, ''))).user.email).toBe('saku@example.com')
    // The response works only once. A response to a request is not accepted without the state of the request.
    expect(await post(client, xml, '')).toBe('/sso/login?error=SsoRefused')
    expect(ok(await admin.client.get(`${space.url}/sso/refusal`)).refusals[0].reason).toBe('replayed')
    const { requestId } = await begin(client)
    expect(await post(client, signedResponse(partsOf(requestId)), '')).toBe('/sso/login?error=SsoRefused')
    ok(await allow(false))
  })
})

const authnStatement =
  '<saml:AuthnStatement AuthnInstant="{IssueInstant}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>'

const evil = (parts: ResponseParts, id = '_evil') =>
  assertionOf({ ...parts, id, nameId: 'admin', attributes: { email: ['admin@example.com'] } })
const signed = (parts: ResponseParts) => signElement(assertionOf(parts), 'Assertion', parts)
const signatureOf = (xml: string) => /<ds:Signature.*<\/ds:Signature>/s.exec(xml)?.[0] ?? ''
const replaced = (from: string | RegExp, to: string) => (parts: ResponseParts) =>
  signedResponse({ ...parts, change: (xml) => xml.replace(from, to) })
const tampered = (from: string | RegExp, to: string) => (parts: ResponseParts) =>
  signedResponse(parts).replace(from, to)

/** Invalid responses by their defect. */
const hostile: [string, (parts: ResponseParts) => string][] = [
  ['no signature', (parts) => responseAround(parts, assertionOf(parts))],
  [
    'only the response signed',
    (parts) => signElement(responseAround(parts, assertionOf(parts)), 'Response', parts),
  ],
  ['another key', (parts) => signedResponse({ ...parts, signer: stranger })],
  ['a name changed after signing', tampered('>u-1<', '>admin<')],
  ['an attribute changed after signing', tampered('saku@', 'admin@')],
  ['an empty signature value', tampered(/<ds:SignatureValue>[^<]*/, '<ds:SignatureValue>')],
  [
    'SHA-1',
    (parts) =>
      signedResponse({
        ...parts,
        signatureAlgorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
        digestAlgorithm: 'http://www.w3.org/2000/09/xmldsig#sha1',
      }),
  ],
  [
    'HMAC with the certificate as its key',
    tampered(
      'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
      'http://www.w3.org/2000/09/xmldsig#hmac-sha1',
    ),
  ],
  [
    'XSW 1: a second response around the signed one',
    (parts) => responseAround(parts, `${evil(parts)}${signedResponse(parts)}`),
  ],
  [
    'XSW 2: a forged assertion before the signed one',
    (parts) => responseAround(parts, evil(parts) + signed(parts)),
  ],
  [
    'XSW 3: a forged assertion after the signed one',
    (parts) => responseAround(parts, signed(parts) + evil(parts)),
  ],
  [
    'XSW 4: the signed assertion inside the forged one',
    (parts) =>
      responseAround(parts, evil(parts).replace('</saml:Assertion>', `${signed(parts)}</saml:Assertion>`)),
  ],
  [
    'XSW 5: the signed assertion inside the signature of the forged one',
    (parts) => {
      const signature = signatureOf(signed(parts)).replace(
        '</ds:Signature>',
        `<ds:Object>${assertionOf(parts)}</ds:Object></ds:Signature>`,
      )
      return responseAround(parts, evil(parts).replace('</saml:Issuer>', `</saml:Issuer>${signature}`))
    },
  ],
  [
    'XSW 6: the signed assertion in an extension',
    (parts) => responseAround(parts, `<samlp:Extensions>${signed(parts)}</samlp:Extensions>${evil(parts)}`),
  ],
  [
    'XSW 7: the signature moved to a forged assertion',
    (parts) =>
      responseAround(
        parts,
        evil(parts).replace('</saml:Issuer>', `</saml:Issuer>${signatureOf(signed(parts))}`),
      ),
  ],
  [
    'XSW 8: two assertions with the same id',
    (parts) => responseAround(parts, evil(parts, parts.id) + signed(parts)),
  ],
  ['a comment in the name', replaced('>u-1<', '>u-1<!-- -->.evil<')],
  ['a comment inserted after signing', tampered('>u-1<', '>u-<!-- -->1<')],
  ['CDATA in the name', replaced('>u-1<', '><![CDATA[u-1]]><')],
  [
    'a DTD with entities',
    (parts) => `<!DOCTYPE x [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>${signedResponse(parts)}`,
  ],
  ['an external entity', (parts) => `<!DOCTYPE x SYSTEM "file:///etc/passwd">${signedResponse(parts)}`],
  ['a processing instruction', tampered('<saml:Subject>', '<?x y?><saml:Subject>')],
  ['an expired assertion', (parts) => signedResponse({ ...parts, notOnOrAfter: -121, confirmedUntil: 300 })],
  ['an expired confirmation', (parts) => signedResponse({ ...parts, confirmedUntil: -121 })],
  ['an assertion that is not valid yet', (parts) => signedResponse({ ...parts, notBefore: 125 })],
  ['an assertion without an expiry', replaced(/(<saml:Conditions[^>]*?) NotOnOrAfter="[^"]*"/, '$1')],
  [
    'a confirmation without an expiry',
    replaced(/(<saml:SubjectConfirmationData[^>]*?) NotOnOrAfter="[^"]*"/, '$1'),
  ],
  ['another audience', (parts) => signedResponse({ ...parts, audience: 'https://elsewhere.example' })],
  ['no audience', replaced(/<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/, '')],
  [
    'two audience restrictions, one of them for another audience',
    replaced(
      '</saml:AudienceRestriction>',
      '</saml:AudienceRestriction><saml:AudienceRestriction><saml:Audience>x</saml:Audience></saml:AudienceRestriction>',
    ),
  ],
  ['another recipient', (parts) => signedResponse({ ...parts, recipient: 'https://elsewhere.example/acs' })],
  [
    'another destination',
    (parts) => signedResponse({ ...parts, destination: 'https://elsewhere.example/acs' }),
  ],
  ['another issuer', (parts) => signedResponse({ ...parts, issuer: 'https://elsewhere.example' })],
  ['an answer to another request', (parts) => signedResponse({ ...parts, inResponseTo: '_other' })],
  ['an answer to no request', (parts) => signedResponse({ ...parts, inResponseTo: null })],
  ['a confirmation without a request', replaced(/ InResponseTo="[^"]*"/, '')],
  ['no confirmation', replaced(/<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/, '')],
  ['a confirmation by another method than bearer', replaced('cm:bearer', 'cm:sender-vouches')],
  ['no authentication statement', replaced(/<saml:AuthnStatement.*<\/saml:AuthnStatement>/, '')],
  ['no name', replaced(/<saml:NameID.*<\/saml:NameID>/, '')],
  ['an empty name', (parts) => signedResponse({ ...parts, nameId: '' })],
  [
    'a transient name',
    (parts) =>
      signedResponse({ ...parts, nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' }),
  ],
  ['a response with a failure status', tampered('status:Success', 'status:Responder')],
  ['no assertion', (parts) => responseAround(parts, '')],
  ['a text that is not XML', () => 'SAMLResponse'],
  ['XML that ends early', (parts) => signedResponse(parts).slice(0, -30)],
  [
    'a replacement character for invalid UTF-8',
    (parts) => signedResponse(parts).replace('>u-1<', '>\ufffd<'),
  ],
]

describe('a hostile SAML response', () => {
  it.concurrent.each(hostile)('is refused: %s', async (_, make) => {
    const client = installation.visitor()
    const { requestId, state } = await begin(client)
    expect(await post(client, make(partsOf(requestId)), state)).toBe('/sso/login?error=SsoRefused')
  })

  it('is refused if it is used twice, sent with another state, or too large', async () => {
    const client = installation.visitor()
    const [one, other] = [await begin(client), await begin(client)]
    const xml = signedResponse(partsOf(one.requestId))
    expect(await post(client, xml, other.state)).toBe('/sso/login?error=SsoRefused')
    // A refused sign-in has ended, even if a valid answer arrives later.
    const late = signedResponse(partsOf(other.requestId))
    expect(await post(client, late, other.state)).toBe('/sso/login?error=SsoHasEnded')
    expect(await post(client, xml, one.state)).toMatch('/sso/verify#')
    expect(await post(client, xml, one.state)).toBe('/sso/login?error=SsoHasEnded')
    expect(await post(client, 'x'.repeat(300_000), one.state)).toMatch('RequestFileTooLarge')
    const form = { 'content-type': 'text/plain' }
    const answer = await client.send('POST', new URL(ours.acsUrl).pathname, 'SAMLResponse=x', form)
    expect(answer.status).toBe(415)
    expect((await client.get('/api/sso/unknown/metadata')).status).toBe(404)
  })
})

describe('metadata of an identity provider', () => {
  const read = (body: object) => admin.client.post(`${space.url}/sso/metadata`, body)
  const issueOf = ({ status, body }: { status: number; body: { issues?: { path: string }[] } }) => [
    status,
    body.issues?.[0]?.path,
  ]

  it('provides the settings and the valid certificates for a connection', async () => {
    const other = await createSpace(admin.client)
    const { sso, ours: before } = ok(await admin.client.get(`${other.url}/sso`))
    expect(sso).toBeNull()
    const xml = idpMetadata({ certificates: [signer.certificate, ended.certificate] })
    const { metadata } = ok(await read({ xml }))
    expect(metadata).toMatchObject({ entityId: idp, signInUrl })
    expect(metadata.certificates).toMatchObject([{ pem: signer.certificate, subject: 'CN=idp.example.com' }])
    const { entityId, certificates } = metadata
    const saml = { entityId, signInUrl, certificates: certificates.map(({ pem }: { pem: string }) => pem) }
    const made = ok(await admin.client.put(`${other.url}/sso`, { data: { kind: 'saml', domains: [], saml } }))
    expect(made.sso).toMatchObject({ isComplete: true, ours: before })
    ok(await admin.client.delete(`${other.url}/sso`))
    expect(ok(await admin.client.get(`${other.url}/sso`)).ours).toEqual(before)
  })

  it('may contain up to ten valid certificates, which keep their order', async () => {
    const other = await createSpace(admin.client)
    const made = Array.from(
      { length: 11 },
      (_, at) => makeCertificate({ days: 400 - at, key: signer.key }).certificate,
    )
    const ten = made.slice(0, 10)
    const { metadata } = ok(await read({ xml: idpMetadata({ certificates: [ended.certificate, ...ten] }) }))
    const pems = metadata.certificates.map(({ pem }: { pem: string }) => pem)
    expect([pems, metadata.unusable]).toEqual([ten, 1])
    const save = (certificates: string[]) =>
      admin.client.put(`${other.url}/sso`, {
        data: { kind: 'saml', domains: [], saml: { entityId: idp, signInUrl, certificates } },
      })
    const fingerprints = async () =>
      ok(await admin.client.get(`${other.url}/sso/certificate`)).certificates.map(
        ({ fingerprint }: { fingerprint: string }) => fingerprint,
      )
    ok(await save(pems))
    const all = metadata.certificates.map(({ fingerprint }: { fingerprint: string }) => fingerprint)
    expect(await fingerprints()).toEqual(all)
    const tooMany = async (answer: Promise<Answer>) => {
      const { status, body } = await answer
      return [status, body.issues?.[0]]
    }
    const issue = (path: string) => [400, { path, code: 'TooManyItems', params: { maximum: 10 } }]
    const [eleventh = ''] = made.slice(10)
    expect(await tooMany(read({ xml: idpMetadata({ certificates: made }) }))).toEqual(issue('xml'))
    expect(await tooMany(save([eleventh]))).toEqual(issue('data.saml.certificates'))
    const add = admin.client.post(`${other.url}/sso/certificate`, { certificate: eleventh })
    expect(await tooMany(add)).toEqual(issue('certificate'))
    const wrong = await save([signer.key])
    expect(wrong.body.issues[0].path).toBe('data.saml.certificates.0')
    expect(await fingerprints()).toEqual(all)
  })

  it('is rejected if it is invalid, contains several providers, or is hostile', async () => {
    const good = idpMetadata({ certificates: [signer.certificate] })
    const entities = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    const hostile = [
      '',
      'no xml',
      '<a/>',
      good.replace('</', '<'),
      `${entities}${good}`,
      `<all xmlns="urn:x">${good}${good.replaceAll(idp, 'https://other.example')}</all>`,
      `${'<a>'.repeat(1000)}${'</a>'.repeat(1000)}`,
      `<a ${Array.from({ length: 20_000 }, (_, n) => `a${n}="x"`).join(' ')}/>`,
    ]
    for (const xml of hostile) expect(issueOf(await read({ xml }))).toEqual([400, 'xml'])
    expect(issueOf(await read({}))).toEqual([400, 'url'])
    expect(issueOf(await read({ url: 'http://idp.example.com/metadata' }))).toEqual([400, 'url'])
    expect((await read({ url: 'https://127.0.0.1/metadata' })).body.code).toBe('SsoUnavailable')
  })
})

describe('a refused sign-in', () => {
  it('is listed with its reason for the admins of the space', async () => {
    const wrong: [Partial<ResponseParts>, string][] = [
      [{ audience: 'https://elsewhere.example' }, 'audience'],
      [{ signer: stranger }, 'unknownCertificate'],
      [{ issuer: 'https://elsewhere.example' }, 'issuer'],
      [{ notOnOrAfter: -600 }, 'expired'],
      [{ confirmedUntil: -600 }, 'expired'],
      [{ notBefore: 600 }, 'notYetValid'],
      [{ inResponseTo: '_other' }, 'request'],
      [{ attributes: {}, nameId: 'u-without' }, 'noEmail'],
      [{ attributes: { email: ['ｓaku@example.com'] }, nameId: 'u-wide' }, 'wrongEmail'],
      [{ recipient: 'https://elsewhere.example' }, 'destination'],
      [{ attributes: { email: ['saku@elsewhere.example'] }, nameId: 'u-elsewhere' }, 'domain'],
    ]
    const client = installation.visitor()
    for (const [more] of wrong) {
      const { requestId, state } = await begin(client)
      const location = await post(client, signedResponse(partsOf(requestId, more)), state)
      if (location.startsWith('/sso/verify#')) await finish(client, location)
      else expect(location).toBe('/sso/login?error=SsoRefused')
    }
    const answers: [(parts: ResponseParts) => string, string][] = [
      [(parts) => responseAround(parts, '').replace('status:Success', 'status:Responder'), 'status'],
      [(parts) => responseAround(parts, '<saml:EncryptedAssertion>x</saml:EncryptedAssertion>'), 'encrypted'],
    ]
    for (const [make, reason] of answers) {
      const { requestId, state } = await begin(client)
      expect(await post(client, make(partsOf(requestId)), state)).toBe('/sso/login?error=SsoRefused')
      const [newest] = ok(await admin.client.get(`${space.url}/sso/refusal`)).refusals
      expect(newest.reason).toBe(reason)
    }
    const { refusals: all } = ok(await admin.client.get(`${space.url}/sso/refusal`))
    const refusals = all.slice(answers.length)
    expect(
      refusals
        .slice(0, wrong.length)
        .map(({ reason }: { reason: string }) => reason)
        .reverse(),
    ).toEqual(wrong.map(([, reason]) => reason))
    expect(refusals[0]).toMatchObject({ email: 'saku@elsewhere.example', ip: client.ip })
    const { auditLogs } = ok(await admin.client.get(`${space.url}/auditLog?kind=security&outcome=refused`))
    expect(auditLogs[answers.length]).toMatchObject({
      act: 'security.ssoRefuse',
      outcome: 'SsoAddressNotAllowed',
      details: { reason: 'domain', email: 'saku@elsewhere.example' },
    })
  })
})

describe('an SSO test', () => {
  let begun: string
  const tryIt = async (parts: Partial<ResponseParts>) => {
    const { url, testId } = ok(await admin.client.post(`${space.url}/sso/try`))
    begun = testId
    const { searchParams } = new URL(url)
    const request = samlify.Utility.inflateString(searchParams.get('SAMLRequest') ?? '')
    const requestId = /\sID="([^"]+)"/.exec(request)?.[1] ?? ''
    return post(admin.client, signedResponse(partsOf(requestId, parts)), searchParams.get('RelayState') ?? '')
  }
  const counts = async () => {
    const { rows } = await installation.database.pool.query(
      'SELECT (SELECT count(*) FROM account)::int, (SELECT count(*) FROM session)::int, (SELECT count(*) FROM space_member)::int, (SELECT count(*) FROM sso_identity)::int AS identities, (SELECT count(*) FROM sso_sign_in)::int AS sign_ins',
    )
    return rows[0]
  }

  it('returns the result of a sign-in, but creates no account, session or member', async () => {
    const before = await counts()
    const newcomer = { nameId: 'u-new', attributes: { email: ['new@example.com'], groups: ['総務'] } }
    const { user, testResult } = ok(await finish(admin.client, await tryIt(newcomer)))
    expect(user).toBeNull()
    expect(testResult).toEqual({
      claims: {
        issuer: idp,
        subject: 'u-new',
        email: 'new@example.com',
        name: '',
        groups: ['総務'],
        groupsProblem: null,
      },
      result: 'signIn',
      reason: null,
      email: 'new@example.com',
      roleId: 'pjt-Member',
    })
    expect(ok(await admin.client.get('/api/auth/getCurrentAccount')).currentAccount._id).toBe(admin.id)
    // Without their invisible characters, these names would equal the name of another group.
    const lookAlikes = { ...newcomer.attributes, groups: ['総\u200b務', '\u202e総務', '総務'] }
    const shown = ok(
      await finish(admin.client, await tryIt({ ...newcomer, attributes: lookAlikes })),
    ).testResult
    expect(shown.claims).toMatchObject({ groups: ['総務'], groupsProblem: 'unreadable' })
    const none = ok(
      await finish(admin.client, await tryIt({ ...newcomer, attributes: { email: ['new@example.com'] } })),
    )
    expect(none.testResult.claims).toMatchObject({ groups: [], groupsProblem: 'missing' })
    const elsewhere = { nameId: 'u-far', attributes: { email: ['far@elsewhere.example'] } }
    const refused = ok(await finish(admin.client, await tryIt(elsewhere))).testResult
    expect(refused).toMatchObject({ result: 'refused', reason: 'domain', roleId: null })
    expect(await tryIt({ audience: 'https://elsewhere.example' })).toBe(
      `/connected?success=false&error-code=SsoRefused&trial=${begun}`,
    )
    expect(await counts()).toEqual(before)
  })

  it('can be finished once by the account that began it, and cannot be used to link an account', async () => {
    const code = (await tryIt({ nameId: 'u-new', attributes: { email: ['new@example.com'] } })).split('#')[1]
    const ended = async (client: Client, path: string) =>
      (await client.post(`/api/auth/sso/${path}`, { code })).body.code
    expect(await ended(installation.visitor(), 'finish')).toBe('SsoHasEnded')
    expect(await ended(admin.client, 'link')).toBe('SsoHasEnded')
    ok(await finish(admin.client, `/sso/verify#${code}`))
    expect(await ended(admin.client, 'finish')).toBe('SsoHasEnded')
  })
})
