/** @module-tag full */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sentencesIn } from '#moving/sentences.ts'
import { createSpace } from '#test/factories.ts'
import { picturedSpace, rescuedFrom } from '#test/newt-stand-in/archive.ts'
import { addAsset, addContent, assetsSrc, idOf, type StoredSpace } from '#test/newt-stand-in/space.ts'
import { quadrants } from '#test/pictures.ts'
import { ok } from '#test/server.ts'
import { MovedApp, Movers } from '#test/updated-move.ts'

let movers: Movers
beforeAll(async () => {
  movers = await Movers.start()
})
afterAll(() => movers?.installation.close())

const page = idOf(0x6001)
const [lost, damaged, good] = [idOf(0xd001), idOf(0xd002), idOf(0xd003)]
const lostSrc = assetsSrc('demo', lost, '表紙.png')
const film = 'https://films.example/v.mp4'

/** Returns a space with unusual values that people wrote into Newt, and with files that are lost or damaged. */
async function oddSpace(): Promise<StoredSpace> {
  const space = await picturedSpace()
  const picture = await quadrants(64, 48)
  const about = { fileType: 'image/png', width: 64, height: 48, altText: '池の表紙' }
  const asset = (id: string, fileName: string, bytes: Buffer) =>
    addAsset(space, { ...about, id, fileName, bytes, src: assetsSrc('demo', id, fileName) })
  const cover = asset(lost, '表紙.png', picture)
  const broken = asset(damaged, 'broken.png', picture.subarray(0, 120))
  const fine = asset(good, 'fine.png', picture)
  addContent(space, 'page', {
    id: page,
    createdAt: '2024-05-01T00:00:00.000Z',
    draft: {
      title: 'ページ\u0000一',
      body: [
        '<h2 id="概要" class="lead">概要 &mdash; &copy;</h2>',
        '<ul><li>一</li><li class="ql-indent-1">二</li><li class="ql-indent-2">三</li><li>四</li></ul>',
        '<p class="ql-align-center">中央<span style="color: rgb(230, 0, 0);">赤</span></p>',
        '<pre class="ql-syntax" spellcheck="false">let a = 1\n</pre>',
        `<video controls="" autoplay="" src="${film}"><track src="https://films.example/v.vtt"></video>`,
        `<p><img src="${lostSrc}" alt="表紙"></p>`,
        '<p align="right"><font color="red">字</font></p><script>x()</script>',
        '<blockquote class="twitter-tweet" data-lang="ja"><p lang="ja" dir="ltr">つぶやき</p>&mdash; 池</blockquote>',
      ].join(''),
      cover,
      photo: broken,
      blocks: [
        { _id: idOf(0x9201), type: 'IMAGE', data: [fine, cover] },
        { _id: idOf(0x9202), type: 'TEXT', data: '文' },
        { _id: idOf(0x9203), type: 'IMAGE', data: [fine] },
      ],
      lines: ['一', '', '三'],
      large: { $raw: '1e21' },
      small: { $raw: '5e-7' },
      日本語: 'あ',
      select: 'い',
      toString: 'う',
    },
  })
  return space
}

it('an import of unusual values and lost files leaves no unexplained differences in the delivery API', async () => {
  const newt = await oddSpace()
  const zip = await rescuedFrom(
    newt,
    { models: ['article', 'page'] },
    { fault: ({ path }) => (path.includes(lost) ? { kind: 'status', status: 404 } : undefined) },
  )
  const { client } = movers.admin
  const app = new MovedApp(movers, await createSpace(client), newt)
  const move = await app.upload(zip)
  const { plan } = ok(await client.get(app.moveUrl(move, '/plan')))
  const planned = plan.problems
    .filter(({ path }: { path: string }) => path.startsWith('page.'))
    .map(({ code, path, examples }: { code: string; path: string; examples: string[] }) => [
      code,
      path,
      examples,
    ])
  expect(planned).toEqual(
    expect.arrayContaining([
      [
        'sanitizedHtml',
        'page.body',
        expect.arrayContaining(['<font> ×1', '<script> ×1', '<p align> ×1', '<video autoplay> ×1']),
      ],
      ['quillHtml', 'page.body', []],
      ['longNumbers', 'page.large', ['1e21']],
      ['uidChanged', 'page.日本語', []],
      ['uidChanged', 'page.select', []],
    ]),
  )
  const fields = plan.models.find(({ uid }: { uid: string }) => uid === 'page').fields
  const typeOf = (from: string) => fields.find((field: { from: string }) => field.from === from).field
  expect(typeOf('small').type).toBe('NUMBER')
  expect(typeOf('blocks').types).toMatchObject([{ type: 'IMAGE', multiple: true }, { type: 'TEXT' }])

  const done = await app.apply(move)
  expect(done.state).toBe('imported')
  const sentences = sentencesIn('ja')
  const told = done.report.problems.map((problem: never) => sentences.report(problem)).join('\n')
  for (const kind of ['<font>', '<script>', '<p align>', '<video autoplay>']) expect(told).toContain(kind)
  expect(told).toContain('入れ子のリスト')
  expect(told).toContain('アーカイブにありません')

  const result = await app.verify(zip)
  expect(result.unexplained).toEqual([])
  expect([...result.removed.keys()]).toEqual(expect.arrayContaining(['<font>', '<script>']))
  // Files that could not be fetched, or were refused, are delivered as Newt described them, and marked in Imori.
  const { token } = ok(await client.post(`${app.space.url}/cdnToken`, { data: { name: 'site' } })).cdnToken
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${movers.server}/${app.space.uid}.cdn.newt.so/v1/blog/page/${page}`, {
    headers,
  })
  const { cover, photo, lines } = (await answer.json()) as Record<string, unknown>
  expect(lines).toEqual(['一', '', '三'])
  expect(cover).toMatchObject({
    _id: lost,
    src: lostSrc,
    altText: '池の表紙',
    fileType: 'image/png',
    width: 64,
  })
  expect(photo).toMatchObject({ _id: damaged, src: assetsSrc('demo', damaged, 'broken.png') })
  for (const id of [lost, damaged])
    expect(ok(await client.get(`${app.space.url}/assets/${id}`)).asset).toMatchObject({
      elsewhere: true,
      fileType: 'application/octet-stream',
      thumbnail: null,
    })
  // The refused bytes exist nowhere else once the move is accepted.
  ok(await client.post(app.moveUrl(move, '/accept')))
  const kept = await client.get(`/${app.space.uid}.assets/v1/${damaged}/broken.png`)
  expect([kept.status, kept.headers['content-type']]).toEqual([200, 'application/octet-stream'])
  // A document that references these files can be saved unchanged.
  const document = await app.read('page', page)
  const { _id, _sys, ...values } = document
  expect((await client.put(app.docUrl('page', page), { doc: values })).status).toBe(200)
})
