import { afterAll, beforeAll, expect, it } from 'vitest'
import { comparable, inside, openArchives } from '#test/app-archives.ts'
import { createSpace } from '#test/factories.ts'
import { rescuedFrom } from '#test/newt-stand-in/archive.ts'
import { addAsset, addContent, assetsSrc, emptySpace, idOf } from '#test/newt-stand-in/space.ts'
import { runWaiting } from '#test/run-now.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { importMoveJob } from '../moves/moves.jobs.ts'

let installation: TestInstallation
let archives: Awaited<ReturnType<typeof openArchives>>
beforeAll(async () => {
  installation = await startInstallation()
  archives = await openArchives(installation)
})
afterAll(async () => {
  await archives?.remove()
  await installation?.close()
})

type Space = Awaited<ReturnType<typeof createSpace>>
const page = idOf(0x801)
const [lost, damaged] = [idOf(0xb01), idOf(0xb02)]
const lostSrc = assetsSrc('demo', lost, 'lost.png')

/** Returns an archive of Newt with a picture that its host no longer has, and with an invalid picture. */
function archiveOfNewt(): Promise<Buffer> {
  const space = emptySpace()
  const picture = { fileType: 'image/png', width: 640, height: 480, bytes: Buffer.from('no picture') }
  const metadata = { camera: 'いもり' }
  const cover = { ...picture, id: lost, fileName: 'lost.png', src: lostSrc, altText: '池の表紙', metadata }
  const photo = {
    ...picture,
    id: damaged,
    fileName: 'damaged.png',
    src: assetsSrc('demo', damaged, 'damaged.png'),
  }
  addContent(space, 'page', {
    id: page,
    createdAt: '2024-01-01T00:00:00.000Z',
    draft: { title: '池', cover: addAsset(space, cover), photo: addAsset(space, photo) },
  })
  const fault = ({ path }: { path: string }) =>
    path.includes(lost) ? ({ kind: 'status', status: 404 } as const) : undefined
  return rescuedFrom(space, { models: ['page'] }, { fault })
}

async function moveIn(space: Space, bytes: Buffer) {
  const { client } = archives.admin
  const id = await archives.upload(space, bytes)
  ok(await client.post(`${space.url}/move/${id}/start`))
  await runWaiting(installation, importMoveJob)
  const { state, report } = await archives.getMove(space, id)
  expect(state).toBe('imported')
  return report
}

/** Returns the page as sites receive it. */
async function delivered(space: Space) {
  const { client } = archives.admin
  const { token } = ok(await client.post(`${space.url}/cdnToken`, { data: { name: 'site' } })).cdnToken
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${archives.origin}/${space.uid}.cdn.newt.so/v1/blog/page/${page}`, { headers })
  expect(answer.status).toBe(200)
  return (await answer.json()) as Record<string, unknown>
}

it('files missing or damaged in Newt are exported and imported with the properties that sites receive', {
  tags: ['full'],
}, async () => {
  const { admin, exported, unpack, changed, refusalOf } = archives
  const [home, away] = [await createSpace(admin.client), await createSpace(admin.client)]
  await moveIn(home, await archiveOfNewt())
  const before = await delivered(home)
  const said = { altText: '池の表紙', fileType: 'image/png', width: 640, height: 480 }
  expect(before.cover).toMatchObject({ _id: lost, src: lostSrc, metadata: { camera: 'いもり' }, ...said })

  const zip = await exported({ url: `${home.url}/app/blog` })
  const report = await moveIn(away, zip)
  expect(report).toMatchObject({ documents: 1, problems: [] })
  const { _sys, ...after } = await delivered(away)
  const { _sys: _, ...expected } = before
  expect(after).toEqual(expected)
  for (const id of [lost, damaged])
    expect(ok(await admin.client.get(`${away.url}/assets/${id}`)).asset).toMatchObject({
      elsewhere: true,
      thumbnail: null,
    })
  const again = await exported({ url: `${away.url}/app/blog` })
  expect(comparable(await unpack(again))).toEqual(comparable(await unpack(zip)))

  // An archive with an invalid URL is refused.
  const hostile = await changed(zip, (files) => {
    const [first = '', ...others] = files.get('assets.ndjson')?.toString('utf8').split('\n') ?? []
    const line = inside(first, (asset: { elsewhere: { src: string } }) => {
      asset.elsewhere.src = 'javascript:alert(1)'
    })
    files.set('assets.ndjson', Buffer.from([line.toString('utf8'), ...others].join('\n')))
  })
  expect((await refusalOf(away, hostile))?.code).toBe('damaged')
})
