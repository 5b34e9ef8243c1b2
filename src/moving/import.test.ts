import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SpaceManifest } from '#archive/space-format.ts'
import { temporaryFolder } from '#rescue/testing/helpers.ts'
import { checkMoveJob, importMoveJob } from '#server/features/moves/moves.jobs.ts'
import { createOutgoingHttp } from '#server/lib/outgoing-http.ts'
import { type ArchiveFiles, type Carrying, createNeighbour, startCarrying } from '#test/app-archives.ts'
import { createSpace } from '#test/factories.ts'
import { picturedSpace, rescuedFrom } from '#test/newt-stand-in/archive.ts'
import { ids } from '#test/newt-stand-in/sample-space.ts'
import { rescueThreeApps } from '#test/newt-stand-in/three-apps.ts'
import { runWaiting } from '#test/run-now.ts'
import { ok } from '#test/server.ts'
import { type NamedApp, readNamedApps } from './chosen-apps.ts'
import { failureSentence } from './failures.ts'
import { exitCodes, runImport } from './import.ts'
import { messagesFor } from './messages.ts'
import { sentencesIn } from './sentences.ts'
import { Calls } from './server-calls.ts'
import type { UpdateOptions } from './update.ts'
import { archivesToVerify } from './verify.ts'

let installation: Carrying['installation']
let archives: Carrying['archives']
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let home: Carrying['home']
let away: Carrying['away']
let whole: Carrying['whole']
let end: Carrying['end'] | undefined
let zip: Buffer

beforeAll(async () => {
  ;({ installation, archives, home, away, whole, end } = await startCarrying())
  folder = await temporaryFolder()
  zip = await archives.exported(whole)
})
afterAll(async () => {
  await folder?.remove()
  await end?.()
})

/** Runs the command while jobs are processed; returns its output and exit code. */
async function command(
  path: string,
  {
    space = away,
    language = 'ja' as 'ja' | 'en',
    server = archives.origin,
    key = '',
    yes = false,
    update = undefined as UpdateOptions | undefined,
    apps = [] as NamedApp[],
  } = {},
): Promise<{ said: string; code: number }> {
  const token = key || ok(await archives.admin.client.post(`${space.url}/move:key`)).key
  const outgoing = createOutgoingHttp({ allowPrivate: [server] })
  const text = messagesFor(language)
  const sentences = sentencesIn(language)
  const lines: string[] = []
  const calls = new Calls(outgoing, server, space.uid, token)
  const say = (line: string) => void lines.push(line)
  let isDone = false
  const run = runImport({ path, server, space: space.uid, apps, yes, update, calls, text, sentences, say })
    .catch((error: unknown) => {
      lines.push(failureSentence(error, { text, sentences, server, space: space.uid, path, compares: false }))
      return exitCodes.failed
    })
    .finally(() => {
      isDone = true
    })
  while (!isDone) {
    await runWaiting(installation, checkMoveJob)
    await runWaiting(installation, importMoveJob)
    await Promise.race([run, new Promise((resolve) => setTimeout(resolve, 50))])
  }
  const code = await run
  await outgoing.close()
  return { said: lines.join('\n'), code }
}

async function unpackTo(dir: string, files: ArchiveFiles): Promise<void> {
  for (const [path, bytes] of files) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), bytes)
  }
}

describe('npm run import', () => {
  it('takes the archive of an app as a folder, shows its plan, and imports it', async () => {
    const dir = join(folder.path, 'exported')
    await unpackTo(dir, (await archives.unpack(zip)).files)
    const planned = await command(dir)
    expect(planned.code).toBe(exitCodes.planned)
    expect(planned.said).toContain('article の名前（article）: フィールド19個、コンテンツ5件')
    expect(planned.said).toContain('\n    blocks: MULTI_TYPE\n')
    const { said, code } = await command(dir, { yes: true })
    expect([code, said]).toEqual([exitCodes.done, expect.stringContaining('コンテンツ7件、メディア2件')])
    const [move] = ok(await archives.admin.client.get(`${away.url}/move`)).moves
    expect(move).toMatchObject({ state: 'imported', source: { signature: { state: 'own' } } })

    // With another uid, by `--app from=to`.
    const space = await createSpace(archives.admin.client)
    const apps = readNamedApps([`${whole.uid}=renamed`])
    expect((await command(dir, { space, apps, yes: true })).code).toBe(exitCodes.done)
    expect(ok(await archives.admin.client.get(`${space.url}/app`)).apps).toMatchObject([{ uid: 'renamed' }])
  })

  it('takes the archive of a space as a folder, and of it the apps that are named', {
    tags: ['full'],
  }, async () => {
    const neighbour = await createNeighbour({ admin: archives.admin, home, whole })
    const dir = join(folder.path, 'space')
    await unpackTo(dir, (await archives.unpack<SpaceManifest>(await archives.exported(home))).files)
    const space = await createSpace(archives.admin.client)
    const planned = await command(dir, { space })
    expect(planned.code).toBe(exitCodes.planned)
    expect(planned.said).toContain('計画: アーカイブに2個のAppがあります')
    const apps = readNamedApps([`${neighbour.uid}=notes`])
    const done = await command(dir, { space, apps, yes: true })
    expect([done.code, done.said]).toEqual([
      exitCodes.done,
      expect.stringContaining('コンテンツ1件、メディア1件'),
    ])
    expect(ok(await archives.admin.client.get(`${space.url}/app`)).apps).toMatchObject([{ uid: 'notes' }])
    ok(await archives.admin.client.delete(neighbour.url))
  })

  it('takes a folder of several apps, those that are named, and says which there are', {
    tags: ['full'],
  }, async () => {
    const rescued = join(folder.path, 'rescued')
    await rescueThreeApps(rescued)
    const space = await createSpace(archives.admin.client)
    const planned = await command(rescued, { space })
    expect(planned.code).toBe(exitCodes.planned)
    expect(planned.said).toContain('計画: アーカイブに3個のAppがあります')
    expect(planned.said).toContain('App「ショップ」（shop）: コンテンツ35件')
    const unknown = await command(rescued, { space, apps: readNamedApps(['shop', 'site']), yes: true })
    expect([unknown.code, unknown.said]).toEqual([
      exitCodes.failed,
      expect.stringContaining('アーカイブに「site」というAppはありません。あるのは blog、news、shop です。'),
    ])
    ok(await archives.admin.client.post(`${space.url}/app`, { data: { uid: 'shop', name: '店' } }))
    const taken = await command(rescued, { space, language: 'en', yes: true })
    expect([taken.code, taken.said]).toEqual([
      exitCodes.planned,
      expect.stringContaining('This space already has an app with that UID.'),
    ])
    const apps = readNamedApps(['blog', 'shop=shop-2'])
    const done = await command(rescued, { space, language: 'en', apps, yes: true })
    expect([done.code, done.said]).toEqual([
      exitCodes.done,
      expect.stringContaining('App “お知らせ” (news): not imported'),
    ])
    const here = ok(await archives.admin.client.get(`${space.url}/app`)).apps
    expect(here.map(({ uid }: { uid: string }) => uid).sort()).toEqual(['blog', 'shop', 'shop-2'])

    // Each app is compared under its current uid.
    expect(await archivesToVerify(rescued, [])).toEqual(
      ['blog', 'news', 'shop'].map((app) => ({ part: `newt-demo-${app}`, app })),
    )
    expect(await archivesToVerify(rescued, apps)).toEqual([
      { part: 'newt-demo-blog', app: 'blog' },
      { part: 'newt-demo-shop', app: 'shop-2' },
    ])
    expect(await archivesToVerify(join(rescued, 'newt-demo-shop'), [])).toEqual([
      { part: undefined, app: 'shop' },
    ])

    // An incomplete archive would otherwise be skipped silently.
    await mkdir(join(rescued, 'newt-demo-form', '.rescue'), { recursive: true })
    const running = await command(rescued, { space })
    expect([running.code, running.said]).toEqual([1, expect.stringContaining('newt-demo-form は保存が途中')])
  })

  it('says in sentences what stops a plan, in the language of the terminal', async () => {
    const path = archives.nextPath()
    await writeFile(path, zip)
    const japanese = await command(path, { space: home, yes: true })
    expect(japanese.code).toBe(exitCodes.planned)
    expect(japanese.said).toContain('同じUIDのAppがこのスペースにあります。')
    expect(japanese.said).toContain('7件のコンテンツと同じIDのものが')
    expect(japanese.said).not.toMatch(/appUidTaken|documentIdsTaken/)
    const english = await command(path, { space: home, yes: true, language: 'en' })
    expect(english.said).toContain('This space already has an app with that UID.')
    expect(ok(await archives.admin.client.get(`${home.url}/move`)).moves).toHaveLength(1)
  })

  it('brings what changed in Newt since into the app that moved in', { tags: ['full'] }, async () => {
    const newt = await picturedSpace()
    const first = archives.nextPath()
    await writeFile(first, await rescuedFrom(newt))
    const update = { app: 'blog', takesTheirs: false, trashesGone: true }
    const early = await command(first, { update })
    expect([early.code, early.said]).toEqual([1, expect.stringContaining('App「blog」はありません')])
    expect((await command(first, { yes: true })).code).toBe(exitCodes.done)
    const same = await command(first, { update, yes: true })
    expect([same.code, same.said]).toEqual([
      exitCodes.done,
      expect.stringContaining('変わったところはありません'),
    ])

    const author = newt.models.get('author')?.get(ids.author)
    if (!author) throw new Error('no author')
    author.draft = { ...author.draft, name: '直した著者' }
    author.published = author.draft
    author.updatedAt = author.publishedAt = '2026-11-20T10:00:00.000Z'
    newt.models.get('article')?.delete(ids.bare)
    const second = archives.nextPath()
    await writeFile(second, await rescuedFrom(newt))
    const planned = await command(second, { update })
    expect(planned.code).toBe(exitCodes.planned)
    expect(planned.said).toContain('Newtで変更1件')
    expect(planned.said).toContain('Newtで削除1件')
    const done = await command(second, { update, yes: true, language: 'en' })
    expect([done.code, done.said]).toEqual([exitCodes.done, expect.stringContaining('  Brought: 2')])
    const { document } = ok(
      await archives.admin.client.get(`${away.url}/app/blog/model/author/doc/${ids.author}`),
    )
    expect(document.name).toBe('直した著者')
  })

  it('says in a sentence why a file is refused, and what of it is wrong', async () => {
    const path = archives.nextPath()
    const { files } = await archives.unpack(zip)
    await writeFile(path, await archives.pack(new Map(files).set('app.json', Buffer.from('{}'))))
    const { said, code } = await command(path, { language: 'en' })
    expect(code).toBe(exitCodes.failed)
    expect(said).toContain('The contents differ from when the archive was created.')
    expect(said).toContain('  Different size: app.json')
  })

  it('says what is wrong with a path, a key, a space and a server', async () => {
    const path = archives.nextPath()
    await writeFile(path, zip)
    const empty = join(folder.path, 'empty')
    await mkdir(empty)
    const nothing = join(folder.path, 'nothing')
    expect(await command(nothing)).toEqual({
      code: 1,
      said: `${nothing} がありません。パスを確かめてください。`,
    })
    expect((await command(empty, { language: 'en' })).said).toContain(`There is nothing in ${empty}`)
    expect((await command(path, { key: 'x' })).said).toContain('キーが正しくないか')
    const key = ok(await archives.admin.client.post(`${away.url}/move:key`)).key
    expect((await command(path, { key, space: { uid: 'nowhere', url: '' } })).said).toContain('「nowhere」')

    const other = createServer((_, response) => response.end('<html>'))
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    const server = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    expect((await command(path, { key, server })).said).toContain('Imoriのサーバーではないようです')
    other.close()
    await once(other, 'close')
    const gone = await command(path, { key, server, language: 'en' })
    expect([gone.code, gone.said]).toEqual([1, expect.stringContaining(`${server} cannot be reached (`)])
  })
})
