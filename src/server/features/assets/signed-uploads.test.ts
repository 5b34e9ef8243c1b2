import { readdir, utimes } from 'node:fs/promises'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '#server/lib/ids.ts'
import { signValue } from '#server/lib/signed-value.ts'
import { createAccount, createMember, createSpace, type TestAccount } from '#test/factories.ts'
import { quadrants } from '#test/pictures.ts'
import { runNow } from '#test/run-now.ts'
import { formOf, ok, startInstallation, type TestInstallation, testSecrets } from '#test/server.ts'
import { cleanUpAssetsJob } from './assets.jobs.ts'
import { incomingFolder } from './incoming.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let port: number
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  await installation.server.listen({ host: '127.0.0.1', port: 0, listenTextResolver: () => '' })
  port = (installation.server.server.address() as AddressInfo).port
})
afterAll(() => installation?.close())

interface Signed {
  _id: string
  url: string
  headers: Record<string, string>
  token: string
}

const sign = (fileName: string, fileType: string, fileSize: number) =>
  admin.client.get(
    `${space.url}/assets/signedUrl?${new URLSearchParams({ fileName, fileType, fileSize: `${fileSize}` })}`,
  )
const signed = async (size: number, type = 'text/plain', name = 'a.txt'): Promise<Signed> =>
  ok(await sign(name, type, size))

/** PUTs without cookies: the URL is the only authorisation. */
const put = (upload: Pick<Signed, 'url'>, body: string | Buffer, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${port}${upload.url}`, {
    method: 'PUT',
    body: body as string,
    headers: { 'content-type': 'text/plain', ...headers },
  })
const head = async (upload: Pick<Signed, 'url'>) => {
  const answer = await fetch(`http://127.0.0.1:${port}${upload.url}`, { method: 'HEAD' })
  return [answer.status, answer.headers.get('upload-offset')]
}
const confirm = ({ _id, token }: Signed, client = admin.client) =>
  client.post(`${space.url}/assets/${_id}/signedUrl`, { data: { token } })
const incoming = () => readdir(incomingFolder(installation.deps.services.config.dataDir)).catch(() => [])

describe('a signed upload', () => {
  it('becomes one asset, even if it is confirmed several times', async () => {
    const picture = await quadrants(30, 10)
    const upload = await signed(picture.length, 'image/png', '写真/庭.png')
    expect(upload).toMatchObject({
      url: expect.stringMatching(/^\/api\/uploads\/[\w-]+\.[\w-]+$/),
      headers: { 'content-type': 'image/png' },
      pass: null,
      resumable: true,
    })
    const before = await confirm(upload)
    expect([before.status, before.body.code, before.body.offset]).toEqual([409, 'UploadIsIncomplete', 0])
    const answer = await put(upload, picture, upload.headers)
    expect([answer.status, answer.headers.get('upload-offset')]).toEqual([204, `${picture.length}`])
    expect(await head(upload)).toEqual([204, `${picture.length}`])
    // A repeated PUT before the confirmation replaces the file.
    expect((await put(upload, picture, upload.headers)).status).toBe(204)
    const both = await Promise.all([confirm(upload), confirm(upload)])
    const [first, second] = both.map((one) => ok(one).asset)
    expect(first).toMatchObject({ _id: upload._id, fileName: '庭.png', width: 30, fileSize: picture.length })
    expect(second).toEqual(first)
    expect(ok(await confirm(upload)).asset).toEqual(first)
    expect(ok(await admin.client.get(`${space.url}/assets?search=庭`)).total).toBe(1)
    for (const again of [await put(upload, picture, upload.headers), await confirmless(upload)])
      expect(again.status).toBe(409)
    expect(await incoming()).toEqual([])
  })
  const confirmless = (upload: Signed) => fetch(`http://127.0.0.1:${port}${upload.url}`, { method: 'HEAD' })

  it('is rejected while unconfirmed uploads of the account or space exceed the limit of number or size', async () => {
    const { kysely } = installation.database
    const own = await createSpace(admin.client)
    const member = await createMember(installation, own)
    const sign = (client = member.client, at = own) =>
      client.get(`${at.url}/assets/signedUrl?fileName=a.txt&fileType=text/plain&fileSize=3`)
    const elsewhere = await createSpace(member.client)
    const upload = ok(await sign())
    const { space_id } = await kysely
      .selectFrom('open_upload')
      .select('space_id')
      .where('id', '=', upload._id)
      .executeTakeFirstOrThrow()
    const expires_at = new Date(Date.now() + 1_800_000)
    const add = (count: number, size: number, account_id: string) =>
      kysely
        .insertInto('open_upload')
        .values(
          Array.from({ length: count }, () => ({ space_id, id: newId(), account_id, size, expires_at })),
        )
        .execute()
    const refused = async (client = member.client, at = own) => {
      const answer = await sign(client, at)
      const { code, limit } = answer.body
      const of = client === member.client ? 'account' : 'space'
      expect([answer.status, code, limit.of]).toEqual([429, 'TooManyOpenUploads', of])
      const wait = Number(answer.headers['retry-after'])
      expect(wait > 1_700 && wait <= 1_800).toBe(true)
    }
    await add(199, 1, member.id)
    await refused()
    // Uploads in other spaces count too.
    await refused(member.client, elsewhere)
    // Other accounts are not affected.
    ok(await sign(admin.client))
    expect((await put(upload, 'abc')).status).toBe(204)
    const { _id, token } = upload
    ok(await member.client.post(`${own.url}/assets/${_id}/signedUrl`, { data: { token } }))
    const next = ok(await sign())
    await refused()
    expect((await put(next, 'abc')).status).toBe(204)
    await kysely
      .updateTable('open_upload')
      .set({ expires_at: new Date() })
      .where('id', '=', next._id)
      .execute()
    expect((await incoming()).some((name) => name.includes(next._id))).toBe(true)
    ok(await sign())
    // The file of the expired upload is removed as well.
    expect((await incoming()).some((name) => name.includes(next._id))).toBe(false)

    await kysely.deleteFrom('open_upload').where('space_id', '=', space_id).execute()
    await add(1, 999_999_999, member.id)
    await refused()
    for (let count = 0; count < 10; count++) await add(1, 999_999_999, newId())
    await refused(admin.client)
    await kysely.deleteFrom('open_upload').where('space_id', '=', space_id).execute()
    await add(2_000, 1, newId())
    await refused(admin.client)
  })

  it('creates one asset per idempotency key, even if the file is sent again as a multipart upload', async () => {
    const key = { 'idempotency-key': 'one-file' }
    const send = async () => {
      const upload = await signed(3, 'text/plain', 'key.txt')
      expect((await put(upload, 'abc')).status).toBe(204)
      const { _id, token } = upload
      return admin.client.post(`${space.url}/assets/${_id}/signedUrl`, { data: { token } }, key)
    }
    const { asset } = ok(await send())
    expect(ok(await send()).asset).toEqual(asset)
    const form = formOf({ name: 'key.txt', type: 'text/plain', bytes: 'abc' })
    const { results } = ok(await admin.client.post(`${space.url}/assets`, form, key))
    expect(results).toEqual([{ fileName: 'key.txt', success: true, asset }])
    expect(ok(await admin.client.get(`${space.url}/assets?search=key.txt`)).total).toBe(1)
    expect(await incoming()).toEqual([])
  })

  it('can be continued after the connection was lost', async () => {
    const body = 'x'.repeat(200_000)
    const upload = await signed(body.length)
    const options = {
      method: 'PUT',
      headers: { 'content-type': 'text/plain', 'content-length': body.length },
    }
    const cut = request(`http://127.0.0.1:${port}${upload.url}`, options)
    cut.on('error', () => {})
    cut.write(body.slice(0, 100_000))
    await expect.poll(() => head(upload)).toEqual([204, '100000'])
    cut.destroy()
    await new Promise((resolve) => cut.once('close', resolve))
    const rest = (from: number, to = body.length) =>
      put(upload, body.slice(from, to), { 'content-range': `bytes ${from}-${to - 1}/${body.length}` })
    // Succeeds as soon as the server notices that the first connection was closed.
    await expect.poll(async () => (await rest(100_000, 150_000)).status).toBe(204)
    const wrong = await rest(100_000)
    expect([wrong.status, wrong.headers.get('upload-offset')]).toEqual([409, '150000'])
    expect((await confirm(upload)).body).toMatchObject({ code: 'UploadIsIncomplete', offset: 150_000 })
    expect((await rest(150_000)).status).toBe(204)
    const { asset } = ok(await confirm(upload))
    expect((await admin.client.get(`${space.url}/assets/${asset._id}/getBlob`)).text).toBe(body)
  })

  it('rejects requests that do not match its signed URL or confirmation token', async () => {
    const upload = await signed(10)
    const range = (text: string) => ({ 'content-range': text })
    const [, payload = '', signature = ''] = /uploads\/(.+)\.(.+)$/.exec(upload.url) ?? []
    const [expires, value] = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const other = Buffer.from(JSON.stringify([expires, { ...value, size: 1000 }])).toString('base64url')
    const expired = signValue(testSecrets.sessionKey, 'upload.put', value, new Date(Date.now() - 1000))
    const answers = [
      await put(upload, 'x'.repeat(11)),
      await put(upload, 'x'.repeat(11), range('bytes 0-10/10')),
      await put(upload, 'x', range('bytes 0-3/10')),
      await put(upload, 'x', range('bytes 0-0/11')),
      await put(upload, 'x', range('lines 1')),
      await put(upload, 'x'.repeat(10), { 'content-type': 'text/html' }),
      await put({ url: `/api/uploads/${other}.${signature}` }, 'x'),
      await put({ url: `/api/uploads/${expired}` }, 'x'.repeat(10)),
      await put({ url: '/api/uploads/x' }, 'x'),
      await put({ url: `/api/uploads/${upload.token}`.slice(0, 400) }, 'x'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([413, 413, 400, 400, 400, 415, 403, 403, 403, 403])
    expect(await head(upload)).toEqual([204, '0'])
    // Anybody can send forged addresses, so these leave no audit entry.
    const query = installation.database.kysely.selectFrom('audit_entry').select('act')
    expect(await query.where('act', '=', 'space.request').execute()).toEqual([])
    expect((await put(upload, '0123456789')).status).toBe(204)
    // A token is valid for one asset, one space and the caller who requested it.
    const member = await createMember(installation, space)
    const elsewhere = await createSpace(admin.client)
    const confirmations = [
      await confirm(upload, member.client),
      await confirm({ ...upload, token: `${upload.token}x` }),
      await confirm({ ...upload, _id: '0'.repeat(24) }),
      await admin.client.post(`${elsewhere.url}/assets/${upload._id}/signedUrl`, {
        data: { token: upload.token },
      }),
      await confirm({ ...upload, token: upload.url.split('/').at(-1) ?? '' }),
    ]
    expect(confirmations.map(({ status }) => status)).toEqual([403, 403, 404, 404, 403])
    ok(await confirm(upload))
  })

  it('rejects a file with a false type, an empty file and a file that is too large', async () => {
    const page = '<!doctype html><script>alert(1)</script>'
    const lie = await signed(page.length, 'image/png')
    expect((await put(lie, page, { 'content-type': 'image/png' })).status).toBe(204)
    const answer = await confirm(lie)
    expect([answer.status, answer.body.code]).toEqual([415, 'UnsupportedMediaType'])
    const sizes = [await sign('a', 'text/plain', 0), await sign('a', 'text/plain', 20 * 1024 * 1024 + 1)]
    expect(sizes.map(({ body }) => body.code)).toEqual(['FileIsEmpty', 'RequestFileTooLarge'])
    expect((await sign('a', 'text/plain\r\nx: y', 3)).status).toBe(400)
    expect((await sign(' ', 'text/plain', 3)).status).toBe(400)
  })

  it('is deleted if it is not confirmed within a day', async () => {
    const upload = await signed(3)
    expect((await put(upload, 'abc')).status).toBe(204)
    const part = (await incoming()).find((name) => name.includes(upload._id)) ?? ''
    expect(await runNow(installation, cleanUpAssetsJob)).toBe('done')
    expect(await incoming()).toContain(part)
    const yesterday = new Date(Date.now() - 25 * 3_600_000)
    await utimes(join(incomingFolder(installation.deps.services.config.dataDir), part), yesterday, yesterday)
    expect(await runNow(installation, cleanUpAssetsJob)).toBe('done')
    expect(await incoming()).not.toContain(part)
    expect((await confirm(upload)).body.code).toBe('UploadIsIncomplete')
  })

  it('is accepted from pages of any origin, without credentials', async () => {
    const upload = await signed(3)
    const preflight = await fetch(`http://127.0.0.1:${port}${upload.url}`, { method: 'OPTIONS' })
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'HEAD, PUT',
    ])
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull()
    const answer = await put(upload, 'abc', { origin: 'https://elsewhere.example' })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    expect(answer.headers.get('set-cookie')).toBeNull()
  })
})
