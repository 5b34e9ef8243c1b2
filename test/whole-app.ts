import { fieldTypeNames } from '#shared/fields/index.ts'
import { putAsset } from './asset-fixtures.ts'
import { createApp } from './factories.ts'
import { quadrants } from './pictures.ts'
import { type Client, formOf, ok, type TestInstallation } from './server.ts'

type Loose = Record<string, unknown>

const field = (uid: string, type: string, more: Loose = {}) => ({ uid, name: uid, type, ...more })
const item = (n: number) => n.toString(16).padStart(24, '0')

/**
 * Creates an app with every feature.
 *
 * - each type of field, some of them with several values, in nested custom types or in a field with several types
 * - references to several models and to the model itself, texts with links to documents and files
 * - documents in all four states and one in the trash
 * - tags, views, roles, an icon and a cover
 */
export async function createWholeApp(
  installation: TestInstallation,
  client: Client,
  space: { uid: string; url: string },
): Promise<{ uid: string; url: string; assets: string[]; documents: Record<string, string> }> {
  const app = await createApp(client, space)
  const assets = [
    await putAsset(installation, space, {
      bytes: await quadrants(12, 8),
      fileName: '朝の 光.png',
      focalPoint: { x: 0.25, y: 0.75 },
    }),
    await putAsset(installation, space, {
      bytes: Buffer.from('%PDF-1.4\n%%EOF\n'),
      mediaType: 'application/pdf',
      fileName: '資料.pdf',
      isPrivate: true,
    }),
  ]
  const [picture = '', file = ''] = assets
  const tag = ok(await client.post(`${space.url}/tags`, { data: { name: '写真' } })).tag._id
  ok(
    await client.patch(`${space.url}/assets/${picture}`, {
      data: { tags: [tag], title: '朝', altText: '光', description: '説明' },
    }),
  )
  // A file that no document references is not exported.
  await putAsset(installation, space, { bytes: await quadrants(2, 2), fileName: 'unused.png' })
  ok(
    await client.put(app.url, {
      data: { description: '持ち運ぶアプリ', icon: { type: 'emoji', value: '🦎' } },
    }),
  )
  const cover = formOf({ name: 'cover.png', type: 'image/png', bytes: await quadrants(1800, 900) })
  ok(await client.post(`${app.url}/cover`, cover))
  const model = async (uid: string, fields: Loose[], more: Loose = {}) =>
    ok(await client.post(`${app.url}/model`, { data: { uid, name: `${uid} の名前`, fields, ...more } })).model
  const person = await model('person', [field('name', 'TEXT', { required: true, unique: true })])
  await model('place', [field('name', 'TEXT')], { description: '場所' })
  const type = async (uid: string, fields: Loose[]) =>
    ok(await client.post(`${app.url}/customFieldType`, { data: { uid, name: uid, fields } }))
  await type('inner', [field('label', 'TEXT'), field('who', 'REFERENCE', { modelUid: 'person' })])
  await type('outer', [
    field('inner', 'CUSTOM', { customType: 'inner' }),
    field('several', 'CUSTOM', { customType: 'inner', multiple: true }),
    field('body', 'RICH_TEXT'),
  ])
  await type('block', [field('picture', 'IMAGE'), field('outer', 'CUSTOM', { customType: 'outer' })])
  const article = await model('article', [
    field('title', 'TEXT', { required: true, tab: '基本', description: '見出し' }),
    field('address', 'TEXT', { unique: true, width: 'half' }),
    field('tags', 'TEXT', { multiple: true, minItems: 1, maxItems: 5 }),
    field('body', 'RICH_TEXT'),
    field('notes', 'MARKDOWN'),
    field('number', 'NUMBER'),
    field('date', 'DATE'),
    field('isNew', 'CHECKBOX'),
    field('kind', 'SELECT', { options: [{ value: 'a', label: 'あ' }, { value: 'b' }] }),
    field('color', 'COLOR', { alpha: true }),
    field('emoji', 'EMOJI'),
    field('map', 'MAP'),
    field('embed', 'EMBED', { condition: { field: 'kind', is: 'oneOf', values: ['a'] } }),
    field('image', 'IMAGE'),
    field('files', 'FILE', { multiple: true }),
    field('author', 'REFERENCE', { modelUid: 'person', otherModelUids: ['place'] }),
    field('related', 'REFERENCE', { modelUid: 'article', multiple: true }),
    field('block', 'CUSTOM', { customType: 'block' }),
    field('blocks', 'MULTI_TYPE', {
      multiple: true,
      types: [
        { type: 'RICH_TEXT' },
        { type: 'IMAGE' },
        { type: 'REFERENCE', modelUid: 'person' },
        { type: 'CUSTOM', customType: 'outer' },
      ],
    }),
  ])
  const used = new Set(article.fields.map(({ type: code }: { type: string }) => code))
  const missing = fieldTypeNames.filter((code) => !used.has(code))
  if (missing.length > 0) throw new Error(`the whole app lacks ${missing.join(', ')}`)
  const documents: Record<string, string> = {}
  const document = async (uid: string, name: string, values: Loose, how: Loose = {}) => {
    const made = ok(await client.post(`${app.url}/model/${uid}/doc`, { document: values, ...how }))
    documents[name] = made.document._id
    return made.document._id as string
  }
  const hana = await document('person', 'hana', { name: '花' }, { type: 'PUBLISH' })
  await document('place', 'pond', { name: '池' }, { type: 'PUBLISH' })
  const address = (id: string, name: string) =>
    `https://cms.example.com/${space.uid}.assets/v1/${id}/${encodeURIComponent(name)}`
  const html = [
    `<p>文と<a data-document="${hana}" data-model="person">花</a></p>`,
    `<p><img src="${address(picture, '朝の 光.png')}?width=80" alt="光" /></p>`,
    `<p>注<sup><a href="#fn-1" id="fnref-1" role="doc-noteref">1</a></sup></p>`,
    '<table><tbody><tr><th>甲</th><td>乙</td></tr></tbody></table>',
    '<section role="doc-endnotes"><ol><li id="fn-1"><span>注の文</span><a href="#fnref-1" role="doc-backlink">↩</a></li></ol></section>',
  ].join('')
  const outer = {
    inner: { label: '内', who: hana },
    several: [
      { _id: item(1), label: '一' },
      { _id: item(2), who: hana },
    ],
    body: `<p><img src="${address(picture, '朝の 光.png')}" /></p>`,
  }
  const whole = (title: string, others: Loose): Loose => ({
    title,
    address: `address-${title}`,
    tags: ['春', '夏', address(file, '資料.pdf')],
    body: html,
    notes: `# 見出し\n\n![光](${address(picture, '朝の 光.png')})\n\n<a data-document="${hana}">花</a>`,
    number: 0.1,
    date: '2026-11-24T01:02:03.004Z',
    isNew: true,
    kind: 'a',
    color: '#ff880080',
    emoji: '❤️',
    map: { lat: 35.681236, lng: 139.767125 },
    embed: '<iframe src="https://player.example/1"></iframe>',
    image: picture,
    files: [file, picture],
    author: documents.pond,
    block: { picture, outer },
    blocks: [
      { _id: item(3), type: 'RICH_TEXT', data: html },
      { _id: item(4), type: 'IMAGE', data: picture },
      { _id: item(5), type: 'REFERENCE', data: hana },
      { _id: item(6), type: 'outer', data: outer },
    ],
    ...others,
  })
  const docs = `${app.url}/model/article/doc`
  const published = await document('article', 'published', whole('公開', {}), { type: 'PUBLISH' })
  await document('article', 'draft', whole('下書き', { related: [published] }))
  const changed = await document('article', 'changed', whole('変更前', {}), { type: 'PUBLISH' })
  ok(await client.put(`${docs}/${changed}`, { doc: whole('変更後', { related: [changed, published] }) }))
  const unpublished = await document('article', 'unpublished', { title: '公開終了' }, { type: 'PUBLISH' })
  ok(await client.post(`${docs}/bulkUnpublish`, { documentIds: [unpublished] }))
  await document('article', 'empty', { title: '題だけ' })
  const trashed = await document('article', 'trashed', whole('ごみ箱', {}))
  ok(await client.delete(`${docs}/${trashed}`))
  ok(
    await client.post(`${app.url}/appView`, {
      data: {
        modelUid: 'article',
        name: '花の記事',
        type: 'TABLE',
        settings: {
          columns: [{ id: 'kind' }, { id: 'block.outer' }, { id: '_sys.status' }],
          filters: [{ field: 'author', op: 'eq', value: hana }],
          sort: '-date',
        },
      },
    }),
  )
  ok(
    await client.post(`${app.url}/appView`, {
      data: { modelUid: 'article', name: '自分用', type: 'LIST', personal: true, settings: {} },
    }),
  )
  const name = article.fields.find(({ uid }: { uid: string }) => uid === 'address')
  ok(
    await client.post(`${app.url}/role`, {
      data: {
        uid: 'helper',
        name: '手伝い',
        rights: ['document.read', 'document.write.own'],
        models: { [article._id]: { readOnly: [name._id] }, [person._id]: { rights: ['document.read'] } },
      },
    }),
  )
  ok(await client.patch(app.url, { accessSettings: { visibility: 'private', defaultRole: 'helper' } }))
  return { ...app, assets, documents }
}
