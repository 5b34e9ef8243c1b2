import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openArchive } from '#archive/source.ts'
import type { SpaceManifest } from '#archive/space-format.ts'
import { temporaryFolder } from '#rescue/testing/helpers.ts'
import { loadConfig } from '#server/config.ts'
import { convertUpload } from '#server/features/moves/check/convert-upload.ts'
import { checkMoveJob, importMoveJob } from '#server/features/moves/moves.jobs.ts'
import { createOutgoingHttp } from '#server/lib/outgoing-http.ts'
import { createOutgoing } from '#server/outgoing.ts'
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

/** Runs the command while jobs are processed. Returns its output and exit code. */
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
    publishUnknown = false,
    confirmContents = false,
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
  const choices = { apps, yes, update, publishUnknown, confirmContents }
  const run = runImport({ path, server, space: space.uid, ...choices, calls, text, sentences, say })
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

/** Converts the text of another service's export to an archive, and unpacks the archive into `dir`. */
async function convertTo(dir: string, fileName: string, content: string): Promise<void> {
  const path = archives.nextPath()
  await writeFile(path, content)
  const outgoing = createOutgoing(loadConfig({}).outgoing)
  const place = { path, fileName, folder: `${path}.work`, language: 'ja' as const }
  await convertUpload({ ...place, outgoing, progress: async () => {} })
  await outgoing.close()
  const source = await openArchive(path)
  for await (const name of source.list()) {
    await mkdir(dirname(join(dir, name)), { recursive: true })
    await writeFile(join(dir, name), Readable.from(source.read(name, 1e6)))
  }
  source.close()
}

/** Returns the titles that a site receives from the only app of a space. */
async function deliveredTitles(space: { url: string }, model: string): Promise<string[]> {
  const { client } = archives.admin
  const { apps } = ok(await client.get(`${space.url}/app`))
  const { cdnToken } = ok(await client.post(`${space.url}/cdnToken`, { data: { name: 'site' } }))
  const headers = { authorization: `Bearer ${cdnToken.token}` }
  const { body } = await installation.server.inject({ url: `/v1/${apps[0].uid}/${model}`, headers })
  return JSON.parse(body)
    .items.map(({ title }: { title: string }) => title)
    .sort()
}

describe('npm run import', () => {
  it('shows the plan for an unpacked archive, and imports the archive with --yes', async () => {
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

    // `--app from=to` imports the app with another uid.
    const space = await createSpace(archives.admin.client)
    const apps = readNamedApps([`${whole.uid}=renamed`])
    expect((await command(dir, { space, apps, yes: true })).code).toBe(exitCodes.done)
    expect(ok(await archives.admin.client.get(`${space.url}/app`)).apps).toMatchObject([{ uid: 'renamed' }])
  })

  it('imports only the named app from the folder of a space archive', {
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

  it('imports the named apps from a folder of several apps, and lists the apps if a name is unknown', {
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

  it('prints the problems of a plan in the chosen language, and creates no second import when run again', async () => {
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

  it('imports changes made in Newt into the imported app with --update', { tags: ['full'] }, async () => {
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
    expect([done.code, done.said]).toEqual([
      exitCodes.done,
      expect.stringContaining('  Imported, or moved to the trash: 2'),
    ])
    const { document } = ok(
      await archives.admin.client.get(`${away.url}/app/blog/model/author/doc/${ids.author}`),
    )
    expect(document.name).toBe('直した著者')
  })

  describe('with a file of another service', () => {
    const table = [
      'title,status,api_key',
      'Open,published,',
      'Closed,draft,',
      'Odd,quux,secret word',
      'Silent,,',
      'Turned \u202etxt,,',
    ].join('\n')

    it('prints the states of the contents, and publishes only published contents without --publish-unknown', async () => {
      const space = await createSpace(archives.admin.client)
      const path = join(folder.path, 'posts.csv')
      await writeFile(path, table)
      const planned = await command(path, { space })
      expect(planned.code).toBe(exitCodes.planned)
      const states = [
        '    公開中（status: published）: 1件 → 公開 「Open」',
        '    不明（status: quux）: 1件 → 下書き 「Odd」',
        '    不明（移行元に記載なし）: 2件 → 下書き 「Silent」「Turned txt」',
        '    下書き（status: draft）: 1件 → 下書き 「Closed」',
        '  公開1件、下書き4件、取り込まない0件',
        '  公開中か分からない3件は、下書きになります。公開してよければ --publish-unknown を付けてください。',
      ]
      expect(planned.said.split('\n')).toEqual(expect.arrayContaining(states))
      expect(planned.said).toContain('    秘密の値: posts.api_key（1件）')
      expect(planned.said).not.toContain('secret word')

      const widened = await command(path, { space, language: 'en', publishUnknown: true })
      expect(widened.code).toBe(exitCodes.planned)
      expect(widened.said).toContain('    Unknown (status: quux): 1 → published “Odd”')
      expect(widened.said).toContain(
        '    Unknown (not stated by the source): 2 → published “Silent”, “Turned txt”',
      )
      expect(widened.said).toContain('  Published: 4, drafts: 1, not imported: 0')

      // A later run without the option must not publish contents because of the earlier run with it.
      const done = await command(path, { space, language: 'en', yes: true })
      expect(done.code).toBe(exitCodes.done)
      expect(done.said).toContain('which become drafts: 3. Add --publish-unknown to publish them.')
      expect(await deliveredTitles(space, 'posts')).toEqual(['Open'])
    })

    it('publishes contents of unknown state with --publish-unknown', async () => {
      const space = await createSpace(archives.admin.client)
      const path = join(folder.path, 'news.csv')
      await writeFile(path, table)
      const done = await command(path, { space, yes: true, publishUnknown: true })
      expect(done.code).toBe(exitCodes.done)
      expect(done.said).toContain('  公開中か分からない3件も、公開します（--publish-unknown）。')
      expect(await deliveredTitles(space, 'news')).toEqual(['Odd', 'Open', 'Silent', 'Turned \u202etxt'])
    })

    it('imports a generic JSON list only with --confirm-contents', async () => {
      const space = await createSpace(archives.admin.client)
      const path = join(folder.path, 'notes.json')
      await writeFile(path, '[{"title":"A","status":"published"},{"title":"B"}]')
      const refused = await command(path, { space, yes: true })
      expect(refused.code).toBe(exitCodes.planned)
      expect(refused.said).toContain('取り込みたいコンテンツなら、--confirm-contents を付けてください。')
      expect(refused.said).toContain('このままでは始められません。')
      const english = await command(path, { space, language: 'en', yes: true })
      expect(english.said).toContain('not personal data or settings, add --confirm-contents.')
      expect(ok(await archives.admin.client.get(`${space.url}/app`)).apps).toEqual([])
      const done = await command(path, { space, yes: true, confirmContents: true })
      expect(done.code).toBe(exitCodes.done)
      expect(done.said).not.toContain('--confirm-contents')
      expect(await deliveredTitles(space, 'notes')).toEqual(['A'])
    })

    it('prints the states of the contents of each app in a folder, and applies --publish-unknown', {
      tags: ['full'],
    }, async () => {
      const space = await createSpace(archives.admin.client)
      const several = join(folder.path, 'converted')
      for (const name of ['one.json', 'two.csv'])
        await convertTo(join(several, name.slice(0, 3)), name, name === 'two.csv' ? table : '[{"title":"A"}]')
      const stopped = await command(several, { space, yes: true })
      expect(stopped.code).toBe(exitCodes.planned)
      expect(stopped.said).toContain('\n      不明（移行元に記載なし）: 1件 → 下書き 「A」\n')
      expect(stopped.said).toContain('\n    公開1件、下書き4件、取り込まない0件\n')
      expect(stopped.said).toContain('--confirm-contents を付けてください。')
      const choices = { yes: true, publishUnknown: true, confirmContents: true }
      const done = await command(several, { space, language: 'en', ...choices })
      expect([done.code, done.said]).toEqual([
        exitCodes.done,
        expect.stringContaining('\n    Published: 4, drafts: 1, not imported: 0\n'),
      ])
    })
  })

  it('prints why an archive is refused, and which file in it is damaged', async () => {
    const path = archives.nextPath()
    const { files } = await archives.unpack(zip)
    await writeFile(path, await archives.pack(new Map(files).set('app.json', Buffer.from('{}'))))
    const { said, code } = await command(path, { language: 'en' })
    expect(code).toBe(exitCodes.failed)
    expect(said).toContain('The archive is damaged, or was changed after it was created.')
    expect(said).toContain('  Different size: app.json')
  })

  it('prints the problem of a wrong path, key, space or server', async () => {
    const path = archives.nextPath()
    await writeFile(path, zip)
    const empty = join(folder.path, 'empty')
    await mkdir(empty)
    const nothing = join(folder.path, 'nothing')
    expect(await command(nothing)).toEqual({
      code: 1,
      said: `${nothing} がありません。パスを確かめてください。`,
    })
    expect((await command(empty, { language: 'en' })).said).toContain(`${empty} contains nothing to upload.`)
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
