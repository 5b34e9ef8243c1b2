import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SpaceManifest } from '#archive/space-format.ts'
import { verifyArchive } from '#archive/verify.ts'
import { comparable, openArchives } from '#test/app-archives.ts'
import { createApp, createMember, createSpace, type TestAccount } from '#test/factories.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { createWholeApp } from '#test/whole-app.ts'

let installation: TestInstallation
let archives: Awaited<ReturnType<typeof openArchives>>
let admin: TestAccount
let home: { uid: string; url: string }
let first: Awaited<ReturnType<typeof createWholeApp>>
let second: { uid: string; url: string }

beforeAll(async () => {
  installation = await startInstallation({ IMORI_URL: 'https://cms.example.com' })
  archives = await openArchives(installation)
  ;({ admin } = archives)
  home = await createSpace(admin.client)
  first = await createWholeApp(installation, admin.client, home)
  second = await createSecondApp()
})
afterAll(async () => {
  await archives?.remove()
  await installation?.close()
})

/** An app that shows a file of the first one. */
async function createSecondApp() {
  const { client } = admin
  const app = await createApp(client, home)
  const fields = [
    { uid: 'title', name: '題', type: 'TEXT' },
    { uid: 'image', name: '画像', type: 'IMAGE' },
  ]
  ok(await client.post(`${app.url}/model`, { data: { uid: 'article', name: '記事', fields } }))
  const document = { title: 'もう一つのApp', image: first.assets[0] }
  ok(await client.post(`${app.url}/model/article/doc`, { document, type: 'PUBLISH' }))
  return app
}

describe('all apps of a space', () => {
  it('are in one signed archive, each as it would be alone, with what they share once', async () => {
    const zip = await archives.exported(home)
    const whole = await archives.unpack<SpaceManifest>(zip)
    expect(await verifyArchive(whole.path)).toMatchObject({
      status: 'complete',
      problems: [],
      contents: 8,
      signature: { state: 'valid' },
    })
    expect(whole.manifest).toMatchObject({
      source: { kind: 'imori', space: home.uid },
      apps: [
        { uid: first.uid, folder: `apps/${first.uid}` },
        { uid: second.uid, folder: `apps/${second.uid}` },
      ],
      counts: { documents: 8, assets: { all: 2, files: 2 } },
    })
    for (const app of [first, second]) {
      const alone = comparable(await archives.unpack(await archives.exported(app)))
      for (const [path, bytes] of Object.entries(alone)) {
        const there = path.startsWith('assets/') ? path : `apps/${app.uid}/${path}`
        expect([path, whole.files.get(there)?.toString('latin1')]).toEqual([path, bytes])
      }
    }
    expect(comparable(await archives.unpack<SpaceManifest>(await archives.exported(home)))).toEqual(
      comparable(whole),
    )
  })

  it('come with their revisions, or without their files, where that is asked for', async () => {
    const past = await archives.unpack<SpaceManifest>(await archives.exported(home, { revisions: true }))
    expect((await verifyArchive(past.path)).problems).toEqual([])
    expect(past.manifest.counts.revisions).toBeGreaterThan(8)
    const bare = await archives.unpack<SpaceManifest>(await archives.exported(home, { assets: false }))
    expect(await verifyArchive(bare.path)).toMatchObject({ problems: [], listed: 2 })
    expect([...bare.files.keys()].filter((path) => path.startsWith('assets/'))).toHaveLength(1)
  })

  it('are for who looks after every app; a space without apps has nothing to be exported', async () => {
    const member = await createMember(installation, home, 'pjt-Member')
    expect((await member.client.post(`${home.url}/export`, { data: {} })).status).toBe(403)
    expect((await member.client.get(`${home.url}/export`)).status).toBe(403)
    const empty = await createSpace(admin.client)
    expect(ok(await admin.client.get(`${empty.url}/export`))).toEqual({ export: null, downloadUrl: null })
    expect((await admin.client.post(`${empty.url}/export`, { data: {} })).status).toBe(400)
  })
})
