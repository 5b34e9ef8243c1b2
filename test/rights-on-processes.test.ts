/** @module-tag full */
import pg from 'pg'
import { FormData } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toUrl } from './database-names.ts'
import { lengthOf } from './full-length.ts'
import { type Received, type Sent, startTwoProcesses, type TwoProcesses } from './two-processes.ts'

/** Tests two processes of one installation, each with its own cache of rights and of delivery responses. */
let processes: TwoProcesses
beforeAll(async () => {
  processes = await startTwoProcesses()
})
afterAll(() => processes?.close())

type Send = (
  process: number,
  method: string,
  path: string,
  body?: unknown,
  // biome-ignore lint/suspicious/noExplicitAny: responses of many endpoints
) => Promise<{ status: number; body: any }>

/** Signs up an account that can send requests to either process. */
async function signUp(name: string): Promise<{ id: string; email: string; send: Send }> {
  let cookie = ''
  let csrf = ''
  const send: Send = async (number, method, path, body) => {
    const isForm = body instanceof FormData
    const answer = await processes.fetch(number, {
      method,
      path: `/api/${path}`,
      headers: {
        origin: processes.origins[number] ?? '',
        cookie,
        'x-csrf-token': csrf,
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    })
    const cookies = [answer.headers['set-cookie'] ?? []].flat().map((line) => line.split(';')[0])
    if (cookies.length > 0) cookie = cookies.join('; ')
    return { status: answer.status, body: JSON.parse(answer.text) }
  }
  const email = `${name}@example.com`
  const { body } = await send(0, 'POST', 'auth/signup', { email, password: 'a large sandwich for lunch' })
  csrf = (await send(0, 'GET', 'auth/csrfToken')).body.csrfToken
  return { id: body.account.id ?? body.account._id, email, send }
}

it('rights removed or granted by one process apply to the next request at each of the two processes', async () => {
  const admin = await signUp('admin')
  const member = await signUp('member')
  // biome-ignore lint/suspicious/noExplicitAny: responses of many endpoints
  const done = async (method: string, path: string, body?: unknown): Promise<any> => {
    const answer = await admin.send(0, method, path, body)
    expect([method, path, answer.status, answer.body]).toEqual([method, path, 200, expect.anything()])
    return answer.body
  }
  const app = 'project/acme/app/blog'
  await done('POST', 'project', { project: { uid: 'acme', name: 'Acme' } })
  await done('POST', 'project/acme/app', { data: { uid: 'blog', name: 'Blog' } })
  const fields = [{ uid: 'title', name: 'Title', type: 'TEXT' }]
  await done('POST', `${app}/model`, { data: { uid: 'article', name: 'Article', fields } })
  const { invitation } = await done('POST', 'project/acme/invitation', {
    invitation: { roleId: 'pjt-Member', maximumUses: 1 },
  })
  const code = new URL(invitation.url).searchParams.get('code')
  expect((await member.send(1, 'POST', 'invitation/accept', { code })).status).toBe(200)
  expect((await member.send(1, 'POST', `${app}/members/join`, {})).status).toBe(200)
  const { members } = await done('GET', 'project/acme/members')
  const inSpace = members.find((row: { email?: string }) => row.email === member.email)?._id
  expect(inSpace).toBeTypeOf('string')

  const save = async (number: number) => {
    const path = `${app}/model/article/doc`
    const { status, body } = await member.send(number, 'POST', path, { document: { title: 'x' } })
    return [status, body.code]
  }
  const { role } = await done('POST', `${app}/role`, {
    data: { name: 'Writers', rights: ['document.read', 'document.write.own'] },
  })
  const ofApp = `${app}/member/${inSpace}`
  const rights = (list: string[]) => done('PUT', `${app}/role/${role.uid}`, { data: { rights: list } })
  const restrict = (ranges: string[] | null) =>
    inDatabase(
      `INSERT INTO space_security (space_id, ip_ranges) SELECT id, $1::text[] FROM space
       ON CONFLICT (space_id) DO UPDATE SET ip_ranges = excluded.ip_ranges`,
      [ranges],
    )
  const changes: [change: () => Promise<unknown>, then: unknown[]][] = [
    [() => done('PATCH', ofApp, { roleId: 'app-Subscriber' }), [403, 'Forbidden']],
    [() => done('PATCH', ofApp, { roleId: role.uid }), [200, undefined]],
    [() => rights(['document.read']), [403, 'Forbidden']],
    [() => rights(['document.read', 'document.write.own']), [200, undefined]],
    [() => restrict(['192.0.2.0/24']), [403, 'IpAddressNotAllowed']],
    [() => restrict(null), [200, undefined]],
    [() => done('DELETE', ofApp), [403, 'Forbidden']],
    [
      () => done('PATCH', app, { accessSettings: { visibility: 'private', defaultRole: 'app-Editor' } }),
      [404, 'NotFound'],
    ],
    [() => done('POST', `${app}/members`, { memberId: inSpace, roleId: 'app-Author' }), [200, undefined]],
    [() => done('DELETE', `project/acme/member/${inSpace}`), [404, 'NotFound']],
  ]
  expect(await save(0)).toEqual([200, undefined])
  expect(await save(1)).toEqual([200, undefined])
  for (const [index, [change, then]] of changes.entries()) {
    await change()
    expect([index, 'other', ...(await save(1))]).toEqual([index, 'other', ...then])
    expect([index, 'same', ...(await save(0))]).toEqual([index, 'same', ...then])
  }
})

type IsNew = (answer: Received) => boolean
interface Change {
  /** Returns the request to send before and after the change. */
  prepare(): Promise<Sent>
  /** Makes the change. Returns a predicate for responses that include it. */
  change(): Promise<IsNew>
}

/**
 * Returns changes that sites must see with their next read. They are made at the first process, and most toggle between
 * two states.
 */
async function changesOf(send: Send, uid: string): Promise<Record<string, Change>> {
  // biome-ignore lint/suspicious/noExplicitAny: responses of many endpoints
  const done = async (method: string, path: string, body?: unknown): Promise<any> => {
    const answer = await send(0, method, `project${path}`, body)
    expect([method, path, answer.status, answer.body]).toEqual([method, path, 200, expect.anything()])
    return answer.body
  }
  /** Creates a separate space for each kind, so that a change of one kind does not invalidate the cache for another. */
  const space = async (kind: string) => {
    const of = `${uid}-${kind}`
    await done('POST', '', { project: { uid: of, name: of } })
    for (const app of ['blog', 'shop']) await done('POST', `/${of}/app`, { data: { uid: app, name: app } })
    const fields = [{ uid: 'title', name: 'Title', type: 'TEXT' }]
    await done('POST', `/${of}/app/blog/model`, { data: { uid: 'article', name: 'Article', fields } })
    return `/${of}`
  }
  const newToken = async (at: string) =>
    (await done('POST', `${at}/cdnToken`, { data: { name: 't' } })).cdnToken
  const list = (token: string): Sent => ({
    path: '/v1/blog/article',
    headers: { authorization: `Bearer ${token}` },
  })
  const is = (status: number) => (answer: Received) => answer.status === status
  const toAndFro = (
    request: Sent,
    there: () => Promise<unknown>,
    refused: number,
    back: () => Promise<unknown>,
  ): Change => {
    let isThere = false
    return {
      prepare: async () => request,
      async change() {
        isThere = !isThere
        await (isThere ? there() : back())
        return is(isThere ? refused : 200)
      },
    }
  }

  const tokens = await space('tokens')
  let removed = await newToken(tokens)
  let rotated = await newToken(tokens)
  const reduced = await newToken(tokens)
  const reduce = (apps: string[] | null) =>
    done('PUT', `${tokens}/cdnToken/${reduced._id}`, { data: { apps } })
  const ranges = await space('ranges')
  const restrict = (tokenIpRanges: string[] | null) =>
    done('PUT', `${ranges}/security`, { data: { tokenIpRanges }, limitTokens: true })
  const models = await space('models')
  const rename = (from: string, to: string) =>
    done('PUT', `${models}/app/blog/model/${from}`, { data: { uid: to } })

  const files = await space('files')
  const form = (text: string) => {
    const data = new FormData()
    data.append('file', new File([text], 'a.txt', { type: 'text/plain' }))
    return data
  }
  const upload = async () => (await done('POST', `${files}/assets`, form('first'))).results[0].asset._id
  const file = (id: string): Sent => ({ path: `${files}.assets/v1/${id}/a.txt` })
  const hidden = await upload()
  const hide = (isPrivate: boolean) =>
    done('PATCH', `${files}/assets/${hidden}`, { data: { private: isPrivate } })
  const trashed = await upload()
  const bulk = (act: string) => done('POST', `${files}/assets/${act}`, { assetIds: [trashed] })
  const replaced = await upload()
  let replacements = 0

  return {
    'a token that is deleted': {
      async prepare() {
        removed = await newToken(tokens)
        return list(removed.token)
      },
      async change() {
        await done('DELETE', `${tokens}/cdnToken/${removed._id}`)
        return is(401)
      },
    },
    'a token with another value': {
      prepare: async () => list(rotated.token),
      async change() {
        rotated = (await done('POST', `${tokens}/cdnToken/${rotated._id}/refresh`)).cdnToken
        return is(401)
      },
    },
    'a token of fewer apps': toAndFro(
      list(reduced.token),
      () => reduce(['shop']),
      403,
      () => reduce(null),
    ),
    'addresses that tokens are used from': toAndFro(
      list((await newToken(ranges)).token),
      () => restrict(['192.0.2.0/24']),
      403,
      () => restrict(null),
    ),
    'the uid of a model': toAndFro(
      list((await newToken(models)).token),
      () => rename('article', 'story'),
      404,
      () => rename('story', 'article'),
    ),
    'an asset that is private': toAndFro(
      file(hidden),
      () => hide(true),
      403,
      () => hide(false),
    ),
    'an asset in the trash': toAndFro(
      file(trashed),
      () => bulk('bulkDelete'),
      404,
      () => bulk('bulkRestore'),
    ),
    'an asset with another file': {
      prepare: async () => file(replaced),
      async change() {
        const text = `text ${++replacements}`
        await done('PUT', `${files}/assets/${replaced}:refresh`, form(text))
        return (answer) => answer.text === text
      },
    },
  }
}

describe('the first read of a site after a change', () => {
  const rounds = lengthOf(50, 1_000)

  it.each(['heard', 'silent'])(
    'returns no outdated response (notices between processes: %s)',
    async (notices) => {
      const { send } = await signUp(notices)
      const changes = await changesOf(send, notices)
      if (notices === 'silent') processes.silenceNotices()
      /** Number of outdated responses of each process, by kind of change. */
      const old: Record<string, number[]> = {}
      for (const [kind, { prepare, change }] of Object.entries(changes)) {
        const counts = [0, 0]
        for (let round = 0; round < rounds; round++) {
          const request = await prepare()
          // The second read comes from the cache.
          for (const number of [0, 1, 0, 1]) await processes.fetch(number, request)
          const isNew = await change()
          const answers = await Promise.all([0, 1].map((number) => processes.fetch(number, request)))
          for (const [number, answer] of answers.entries())
            if (!isNew(answer)) counts[number] = (counts[number] ?? 0) + 1
        }
        old[kind] = counts
      }
      expect(old).toEqual(Object.fromEntries(Object.keys(changes).map((kind) => [kind, [0, 0]])))
    },
  )
})

async function inDatabase(text: string, values: unknown[]): Promise<void> {
  const client = new pg.Client(toUrl(processes.database.connection))
  await client.connect()
  try {
    await client.query(text, values)
  } finally {
    await client.end()
  }
}
