/** @module-tag full */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCertificate } from '#test/certificates.ts'
import { createAccount, createSpace, type TestAccount } from '#test/factories.ts'
import { busyFiles } from '#test/hostile-files/busy.ts'
import { idpMetadata } from '#test/idp-metadata.ts'
import { shortestHold, shortestHolds } from '#test/loop-delay.ts'
import { assertionOf, type ResponseParts, responseAround, signElement } from '#test/saml-response.ts'
import { type Answer, formOf, ok, startInstallation, type TestInstallation } from '#test/server.ts'

/*
 * Uploaded files and messages from other services must not block the event loop for longer than a busy loop of about
 * 100 ms, whatever they contain.
 */

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let site: Server
let origin: string
/** The responses of the embeddable service, by the name of the page. */
const pages = new Map<string, () => string>()

beforeAll(async () => {
  site = createServer(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://x')
    const name = pathname === '/oembed' ? `oembed ${searchParams.get('page')}` : pathname.slice(1)
    response.end(pages.get(name.replace(/-\d+$/, ''))?.() ?? '')
  })
  await once(site.listen(0, '127.0.0.1'), 'listening')
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  installation = await startInstallation({ IMORI_EMBED_ORIGINS: origin })
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
})
afterAll(async () => {
  await installation?.close()
  site.close()
})

const times = (count: number, make: (index: number) => string, between = '') =>
  Array.from({ length: count }, (_, index) => make(index)).join(between)

interface Sent {
  name: string
  request(): Promise<Answer>
  status: number | number[]
}

/** Sends the requests one after the other. Fails with the name of a request that blocks the event loop for too long. */
async function expectShortHolds(all: Sent[]): Promise<void> {
  const holds = await shortestHolds(all.map(({ request }) => request))
  for (const [at, { result: answer, held, milliseconds }] of holds.entries()) {
    const { name = '', status = 0 } = all[at] ?? {}
    if (process.env.IMORI_TEST_HOLDS)
      process.stdout.write(`${milliseconds.toFixed(0).padStart(6)} ms ${name}\n`)
    expect([[status].flat().includes(answer.status), answer.status, name]).toEqual([
      true,
      answer.status,
      name,
    ])
    expect(held, name).toBeLessThan(1)
  }
}

describe('an uploaded file that is expensive to process', () => {
  it.each(busyFiles)(
    'does not block the event loop for more than about 100 ms: $name',
    async ({ declared, bytes, found }) => {
      const file = await bytes()
      const { result, held } = await shortestHold(() =>
        admin.client.post(`${space.url}/assets`, formOf({ name: 'a', type: declared, bytes: file })),
      )
      const [{ asset, code }] = ok(result).results
      expect(asset?.fileType ?? code).toBe(found)
      expect(held).toBeLessThan(1)
    },
  )
})

describe('metadata of an identity provider', () => {
  const signer = makeCertificate()
  const good = idpMetadata({ certificates: [signer.certificate] })
  const within = (xml: string) => good.replace(/<\/IDPSSODescriptor>/, `${xml}</IDPSSODescriptor>`)
  const documents: [name: string, xml: () => string, status?: number][] = [
    ['levels', () => '<a>'.repeat(90_000), 400],
    ['elements', () => within('<a/>'.repeat(70_000))],
    ['attributes', () => within(`<a ${times(20_000, (at) => `a${at}="1"`, ' ')}/>`), 400],
    ['namespaces', () => within(`<a ${times(14_000, (at) => `xmlns:a${at}="1"`, ' ')}/>`), 400],
    ['namespaces of many elements', () => within(times(13_000, (at) => `<a${at} xmlns="b${at}"/>`)), 400],
    ['entities', () => within('&amp;'.repeat(58_000))],
    ['entities of its own', () => `<!DOCTYPE a [<!ENTITY a "${'a'.repeat(280_000)}">]>${good}`, 400],
    ['entities that nobody knows', () => within('&aaaa;'.repeat(48_000)), 400],
    ['a long comment', () => within(`<!--${'- '.repeat(140_000)}-->`)],
    ['CDATA', () => within('<![CDATA[]]>'.repeat(24_000))],
    ['text without an end', () => `<a>${'a'.repeat(290_000)}`, 400],
    ['a long name', () => `<${'a'.repeat(290_000)}>`, 400],
    ['keys of one certificate', () => idpMetadata({ certificates: new Array(170).fill(signer.certificate) })],
    [
      'certificates that are none',
      () =>
        within(
          `<KeyDescriptor><X509Certificate>${'A'.repeat(14_000)}</X509Certificate></KeyDescriptor>`.repeat(
            20,
          ),
        ),
    ],
  ]

  it('does not block the event loop for more than about 100 ms when an admin submits it', () =>
    expectShortHolds(
      documents.map(([name, xml, status = 200]) => {
        const text = xml()
        expect(text.length, name).toBeLessThanOrEqual(300_000)
        return { name, status, request: () => admin.client.post(`${space.url}/sso/metadata`, { xml: text }) }
      }),
    ))
})

describe('a SAML response', () => {
  const signer = makeCertificate()
  let ours: { entityId: string; acsUrl: string }
  let count = 0

  beforeAll(async () => {
    const saml = {
      entityId: 'https://idp.example.com/saml',
      signInUrl: 'https://idp.example.com/in',
      idpInitiated: true,
    }
    const data = { kind: 'saml', domains: ['example.com'], saml }
    const { sso } = ok(await admin.client.put(`${space.url}/sso`, { data }))
    ours = sso.ours
    ok(await admin.client.post(`${space.url}/sso/certificate`, { certificate: signer.certificate }))
  })

  const partsOf = (change: (xml: string) => string, attributes = {}): ResponseParts => ({
    signer,
    issuer: 'https://idp.example.com/saml',
    destination: ours.acsUrl,
    recipient: ours.acsUrl,
    audience: ours.entityId,
    inResponseTo: null,
    nameId: 'u-1',
    nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
    attributes: { email: ['saku@example.com'], ...attributes },
    notBefore: -5,
    notOnOrAfter: 300,
    confirmedUntil: 300,
    id: `_a${++count}`,
    signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
    change,
  })
  const inside = (more: string) => (xml: string) =>
    xml.replace('</saml:AttributeStatement>', `${more}</saml:AttributeStatement>`)
  /** Signs a small assertion, then lets `change` add content. Content inside the assertion makes its digest wrong. */
  const signed = (change: (xml: string) => string) => {
    const parts = partsOf((xml) => xml)
    return responseAround(parts, change(signElement(assertionOf(parts), 'Assertion', parts)))
  }

  const answers: [name: string, xml: () => string][] = [
    [
      'unsigned levels',
      () =>
        responseAround(
          partsOf((xml) => xml),
          assertionOf(partsOf(inside('<a>'.repeat(20_000) + '</a>'.repeat(20_000)))),
        ),
    ],
    ['signed levels', () => signed(inside('<a>'.repeat(20_000) + '</a>'.repeat(20_000)))],
    ['signed 2,000 levels', () => signed(inside('<a>'.repeat(2_000) + '</a>'.repeat(2_000)))],
    ['signed elements', () => signed(inside('<a/>'.repeat(35_000)))],
    ['signed elements with names', () => signed(inside('<a xmlns="b"/>'.repeat(12_000)))],
    ['signed attributes', () => signed(inside(`<a ${times(14_000, (at) => `a${at}="1"`, ' ')}/>`))],
    ['signed namespaces', () => signed(inside(`<a ${times(9_000, (at) => `xmlns:a${at}="1"`, ' ')}/>`))],
    [
      'signed prefixes in levels',
      () =>
        signed(
          inside(
            `${times(3_000, (at) => `<a${at}:a xmlns:a${at}="1">`)}${times(3_000, (at) => `</a${2_999 - at}:a>`)}`,
          ),
        ),
    ],
    ['text', () => signed(inside('a&amp;'.repeat(30_000)))],
    [
      'levels around it',
      () =>
        responseAround(
          partsOf((xml) => xml),
          `${'<a>'.repeat(20_000)}${assertionOf(partsOf((xml) => xml))}${'</a>'.repeat(20_000)}`,
        ),
    ],
    ['elements beside it', () => signed((xml) => `${'<a/>'.repeat(35_000)}${xml}`)],
    [
      'references',
      () => signed((xml) => xml.replace(/(<ds:Reference.*<\/ds:Reference>)/, (one) => one.repeat(250))),
    ],
    [
      'transforms',
      () => signed((xml) => xml.replace(/(<ds:Transform [^>]*exc-c14n#"[^>]*>)/, (one) => one.repeat(1_500))),
    ],
    ['open tags', () => '<saml:Response '.repeat(12_000)],
    [
      'ids',
      () =>
        responseAround(
          partsOf((xml) => xml),
          times(12_000, (at) => `<a ID="${at}"/>`),
        ),
    ],
    [
      'spaces',
      () =>
        responseAround(
          partsOf((xml) => xml),
          `<a${' '.repeat(180_000)}/>${assertionOf(partsOf((xml) => xml))}`,
        ),
    ],
    ['a status of one long word', () => `<Response><StatusCode Value="${'a'.repeat(180_000)}!"/></Response>`],
    ['at the limit: elements', () => signed(inside('<a xmlns="b" c="d" e="f" g="h"/>'.repeat(700)))],
    [
      'at the limit: attributes',
      () => signed(inside(`<a ${times(29, (at) => `a${at}="1"`, ' ')}/>`.repeat(95))),
    ],
    [
      'at the limit: namespaces',
      () => signed(inside(`<a ${times(29, (at) => `xmlns:a${at}="1"`, ' ')}/>`.repeat(95))),
    ],
    [
      'at the limit: namespaces in levels',
      () =>
        signed(
          inside(
            `${times(14, (level) => `<a ${times(29, (at) => `xmlns:a${level}_${at}="1"`, ' ')}>`)}${'<a0_0:b/>'.repeat(750)}${'</a>'.repeat(14)}`,
          ),
        ),
    ],
    [
      'at the limit: groups',
      () => {
        const parts = partsOf((xml) => xml, { groups: Array.from({ length: 760 }, (_, at) => `g${at}`) })
        return responseAround(parts, signElement(assertionOf(parts), 'Assertion', parts))
      },
    ],
    [
      'many values',
      () => {
        const parts = partsOf((xml) => xml, { groups: Array.from({ length: 3_000 }, (_, at) => `g${at}`) })
        return responseAround(parts, signElement(assertionOf(parts), 'Assertion', parts))
      },
    ],
  ]

  it('does not block the event loop for more than about 100 ms when a visitor posts it', () =>
    expectShortHolds(
      answers.map(([name, xml]) => {
        const form = new URLSearchParams({
          SAMLResponse: Buffer.from(xml()).toString('base64'),
          RelayState: '',
        })
        const type = {
          'content-type': 'application/x-www-form-urlencoded',
          origin: 'https://idp.example.com',
        }
        const path = new URL(ours.acsUrl).pathname
        const request = () => installation.visitor().send('POST', path, form.toString(), type)
        return { name, status: 303, request }
      }),
    ))

  it('is accepted for a user in 500 groups', async () => {
    const parts = partsOf((xml) => xml, { groups: Array.from({ length: 500 }, (_, at) => `g${at}`) })
    const declared =
      '<saml:AttributeValue xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string">'
    parts.change = (xml) => xml.replaceAll('<saml:AttributeValue>', declared)
    const xml = responseAround(parts, signElement(assertionOf(parts), 'Assertion', parts))
    const form = new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString('base64'), RelayState: '' })
    const type = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://idp.example.com' }
    const path = new URL(ours.acsUrl).pathname
    const { headers } = await installation.visitor().send('POST', path, form.toString(), type)
    expect(headers.location).toMatch('/sso/verify#')
  })
})

describe('a SCIM request of a directory', () => {
  let token: string
  let group: string
  const send = (method: string, path: string, body?: string) =>
    installation.visitor().send(method as 'POST', `/scim/v2/${space.uid}${path}`, body, {
      'content-type': 'application/scim+json',
      authorization: `Bearer ${token}`,
    })
  const filter = (terms: number, make: (at: number) => string) => times(terms, make, ' or ')
  const members = (count: number) => `[${times(count, (at) => `{"value":"${at}"}`, ',')}]`
  const patch = (...operations: string[]) => `{"Operations":[${operations.join(',')}]}`
  const operation = (op: string, path: string, value = '"a"') =>
    `{"op":"${op}","path":${JSON.stringify(path)},"value":${value}}`

  beforeAll(async () => {
    token = ok(await admin.client.post(`${space.url}/scim`, { data: {} })).scim.token
    group = (await send('POST', '/Groups', '{"displayName":"g"}')).body.id
  })

  const many = filter(150, (at) => `value co "${at}x"`)
  const bodies: [name: string, status: number, body: () => string][] = [
    ['1,001 operations', 400, () => patch(...new Array(1_001).fill(operation('add', 'displayName')))],
    ['operations of 20,000', 400, () => patch(...new Array(20_000).fill(operation('add', 'displayName')))],
    ['1,000 operations', 200, () => patch(...new Array(1_000).fill(operation('add', 'displayName')))],
    ['many members', 400, () => patch(operation('add', 'members', members(40_000)))],
    [
      'many members that are named one by one',
      400,
      () =>
        patch(
          operation('add', 'members', members(3_000)),
          ...Array.from({ length: 900 }, (_, at) => operation('remove', `members[value eq "x${at}"]`)),
        ),
    ],
    [
      'many members that are asked much of',
      400,
      () =>
        patch(
          operation('add', 'members', members(9_000)),
          ...new Array(200).fill(operation('remove', `members[${many}]`)),
        ),
    ],
    [
      'members for each operation',
      400,
      () => patch(...new Array(900).fill(operation('add', 'members', members(60)))),
    ],
    [
      'members and additions',
      400,
      () =>
        patch(
          operation('add', 'members', members(9_000)),
          ...new Array(900).fill(operation('add', 'members', '[{"value":"x"}]')),
        ),
    ],
    [
      'paths of 10,000 signs',
      400,
      () =>
        patch(
          ...new Array(95).fill(
            operation('remove', `members[${filter(199, (at) => `value eq "${'a'.repeat(30)}${at}"`)}]`),
          ),
          operation('remove', 'members[('),
        ),
    ],
    ['a path of a megabyte', 400, () => patch(operation('remove', `members[${'('.repeat(900_000)}`))],
    ['a path of names', 400, () => patch(operation('add', 'a.'.repeat(400_000)))],
    [
      'keys without a path',
      400,
      () => `{"Operations":[{"op":"add","value":{${times(50_000, (at) => `"k${at}":1`, ',')}}}]}`,
    ],
    [
      'keys of 9,000',
      200,
      () => `{"Operations":[{"op":"add","value":{${times(9_000, (at) => `"k${at}":1`, ',')}}}]}`,
    ],
    ['levels', 400, () => `{"Operations":${'['.repeat(450_000)}${']'.repeat(450_000)}}`],
  ]

  const people: [name: string, status: number, body: () => string][] = [
    [
      'many emails',
      400,
      () => `{"userName":"a@example.com","emails":[${times(50_000, (at) => `{"value":"${at}"}`, ',')}]}`,
    ],
    ['a long name', 400, () => `{"userName":"${'a'.repeat(1_000_000)}"}`],
  ]
  const filters: [name: string, status: number, text: () => string][] = [
    ['a filter of brackets', 400, () => '('.repeat(900_000)],
    ['a filter of 9,900 signs', 400, () => '('.repeat(9_900)],
    ['a filter of texts', 200, () => filter(190, (at) => `userName co "${'a'.repeat(25)}${at}"`)],
    ['a filter of a text without an end', 400, () => `userName eq "${'\\\\'.repeat(4_900)}`],
  ]

  it('does not block the event loop for more than about 100 ms when it changes a group', () =>
    expectShortHolds(
      bodies.map(([name, status, body]) => {
        const text = body()
        expect(text.length, name).toBeLessThan(1024 * 1024)
        return { name, status, request: () => send('PATCH', `/Groups/${group}`, text) }
      }),
    ))

  it('does not block the event loop for more than about 100 ms when it creates a user or filters users', () =>
    expectShortHolds([
      ...people.map(([name, status, body]) => {
        const text = body()
        return { name, status, request: () => send('POST', '/Users', text) }
      }),
      ...filters.map(([name, status, text]) => {
        const body = JSON.stringify({ filter: text() })
        return { name, status, request: () => send('POST', '/Users/.search', body) }
      }),
    ]))
})

describe('an oEmbed response', () => {
  const named = '<link rel="alternate" type="application/json+oembed"'
  const answered = (html: string) => JSON.stringify({ type: 'rich', html })
  const iframe = '<iframe src="https://player.example/1"></iframe>'
  const found: [name: string, page: () => string, answer?: () => string][] = [
    ['many links', () => '<link '.repeat(87_000)],
    ['links that name nothing', () => `${named}>`.repeat(10_000)],
    ['one long link', () => `${named}${' href'.repeat(100_000)}>`],
    ['one long link of spaces', () => `${named} href ${' '.repeat(500_000)}>`],
    ['one long link of equals', () => `${named}${' href='.repeat(85_000)}>`],
    ['levels', () => '<div>'.repeat(100_000)],
    ['8 MB', () => '<link a>'.repeat(1_000_000)],
    [
      'HTML of 64 KB',
      () => `${named} href="/oembed?page=large">`,
      () => answered(iframe + '<p>'.repeat(21_000)),
    ],
    [
      'HTML of 8 KB',
      () => `${named} href="/oembed?page=small">`,
      () => answered(iframe + '<b>'.repeat(2_700)),
    ],
    [
      'attributes',
      () => `${named} href="/oembed?page=attributes">`,
      () =>
        answered(`<iframe ${times(1_100, (at) => `a${at}=1`, ' ')} src="https://player.example/1"></iframe>`),
    ],
    ['iframes', () => `${named} href="/oembed?page=iframes">`, () => answered('<iframe '.repeat(1_000))],
    ['JSON of levels', () => `${named} href="/oembed?page=levels">`, () => '['.repeat(260_000)],
    [
      'JSON of keys',
      () => `${named} href="/oembed?page=keys">`,
      () => `{${times(18_000, (at) => `"k${at}":1`, ',')}}`,
    ],
  ]
  it('does not block the event loop for more than about 100 ms when an editor requests the embed code', () => {
    let attempt = 0
    return expectShortHolds(
      found.map(([name, page, answer]) => {
        const [text, json] = [page(), answer?.() ?? '']
        const path = name.replace(/\W/g, '_')
        pages.set(path, () => text)
        pages.set(`oembed ${/page=(\w+)/.exec(text)?.[1]}`, () => json)
        // Responses are cached by URL.
        const url = () => encodeURIComponent(`${origin}/${path}-${++attempt}`)
        const request = () => admin.client.get(`/api/embed:getEmbeddedCode?url=${url()}`)
        return { name, status: [200, 400], request }
      }),
    )
  })
})
