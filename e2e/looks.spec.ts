import type { Page } from '@playwright/test'
import pg from 'pg'
import sharp from 'sharp'
import { expectAccessible } from './axe.ts'
import { expect, own, test } from './fixtures.ts'
import { enter, send } from './management-api.ts'
import { photograph } from './photograph.ts'

test.use({ installation: own })

/*
 * Checks the form with every field type: without values, with one and many values, with long and invalid values, and
 * read-only. Also checks every type of view. Axe must find no serious violation in either colour scheme, and the page
 * must not overflow. With `E2E_SCREENS=1`, also checks English, a narrow screen and the settings of every field type,
 * and saves screenshots for review.
 */
const takesPictures = Boolean(process.env.E2E_SCREENS)
const languages = takesPictures ? ['ja', 'en'] : ['ja']
const widths = takesPictures ? [1280, 390] : [1280]

const blog = '/api/project/pond/app/blog'
const text = { type: 'TEXT' }
const long = 'とても長い題名で、どこまで行っても終わらないアカハライモリの春の観察記録'.repeat(3)
const fields = [
  { uid: 'title', name: '題名', ...text, required: true, maxLength: 60 },
  { uid: 'slug', name: 'スラッグ', ...text, unique: true, width: 'half' },
  { uid: 'count', name: '匹数', type: 'NUMBER', max: 2000, width: 'half' },
  { uid: 'words', name: 'ことば', ...text, multiple: true, maxItems: 3 },
  { uid: 'body', name: '本文', type: 'RICH_TEXT' },
  { uid: 'memo', name: 'メモ', type: 'MARKDOWN' },
  { uid: 'day', name: '開催日', type: 'DATE', inputType: 'date', width: 'half' },
  { uid: 'startsAt', name: '公開日時', type: 'DATE', inputType: 'datetime', width: 'half' },
  { uid: 'live', name: '開催中', type: 'CHECKBOX' },
  {
    uid: 'kind',
    name: '種類',
    type: 'SELECT',
    inputType: 'radio',
    options: [{ value: '春' }, { value: '秋' }],
  },
  { uid: 'theme', name: 'テーマ色', type: 'COLOR', palette: ['#e03131'], width: 'half' },
  { uid: 'mood', name: '気分', type: 'EMOJI', width: 'half' },
  { uid: 'place', name: '会場', type: 'MAP' },
  { uid: 'video', name: '動画', type: 'EMBED' },
  { uid: 'cover', name: '表紙', type: 'IMAGE' },
  { uid: 'papers', name: '資料', type: 'FILE', multiple: true },
  {
    uid: 'related',
    name: '関連',
    type: 'REFERENCE',
    modelUid: 'person',
    otherModelUids: ['shop', 'event'],
    multiple: true,
  },
  { uid: 'hero', name: '見出し', type: 'CUSTOM', customType: 'hero' },
  {
    uid: 'parts',
    name: '構成',
    type: 'MULTI_TYPE',
    multiple: true,
    types: [{ type: 'TEXT' }, { type: 'CUSTOM', customType: 'hero' }],
  },
]

/** Waits for the code of the inputs, which is loaded when they are first shown. */
async function inputsAreThere(page: Page): Promise<void> {
  await expect(page.locator('#field-title')).toBeVisible()
  await expect(page.locator('.mantine-Skeleton-root')).toHaveCount(0)
  await expect(page.locator('.cm-content')).toBeVisible()
}

/** A browser page with a signed-in user, and the URL of the server. */
type Visit = { page: Page; url: string }

async function speak({ page, url }: Visit, language: string): Promise<void> {
  const { currentAccount } = await (await page.request.get('/api/auth/getCurrentAccount')).json()
  await send(page.request, url, `/api/account/${currentAccount._id}`, { data: { language } }, 'PUT')
}

/** Checks a screen in every combination of language, width and colour scheme. */
async function look(visit: Visit, name: string, path: string, ready: () => Promise<void>): Promise<void> {
  const { page } = visit
  for (const language of languages) {
    await speak(visit, language)
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto(path)
      await ready()
      for (const colorScheme of ['light', 'dark'] as const) {
        const screen = `${name}-${language}-${width}-${colorScheme}`
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await photograph(page, screen)
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        expect(overflow, screen).toBeLessThanOrEqual(0)
        await expectAccessible(page, screen, colorScheme === 'light' ? 'all' : 'colors')
      }
    }
  }
}

async function lookAtSettings(visit: Visit): Promise<void> {
  const { page } = visit
  for (const [language, width, colorScheme] of [
    ['ja', 1280, 'light'],
    ['en', 390, 'dark'],
  ] as const) {
    await speak(visit, language)
    await page.setViewportSize({ width, height: 1400 })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.reload()
    for (const { uid, name } of fields) {
      await page
        .getByRole('button', { name: new RegExp(`^${name}(の設定|$| ${uid}|${uid})`) })
        .first()
        .click()
      const drawer = page.getByRole('dialog')
      await expect(drawer.locator('.mantine-Skeleton-root')).toHaveCount(0)
      await expect(drawer.getByRole('textbox').first()).toHaveValue(name)
      await photograph(page, `settings-${uid}-${language}-${width}-${colorScheme}`)
      await expectAccessible(page, `settings of ${uid}, ${language}, ${width}, ${colorScheme}`)
      await page.keyboard.press('Escape')
      await expect(drawer).toHaveCount(0)
    }
  }
}

test('forms with every field type, and views of every type, pass axe and do not overflow', {
  tag: '@full',
}, async ({ page, app, browser }) => {
  test.setTimeout(1_800_000)
  const { url } = app
  const { request } = page
  const mine = { page, url }
  await enter(request, url, 'pond', [
    { uid: 'person', name: '人', fields: [{ uid: 'name', name: '名前', ...text, required: true }] },
    { uid: 'shop', name: 'お店', fields: [{ uid: 'name', name: '店名', ...text }] },
    { uid: 'nothing', name: '空のモデル', fields: [{ uid: 'name', name: '名前', ...text }] },
  ])
  await send(request, url, `${blog}/customFieldType`, {
    data: {
      uid: 'hero',
      name: 'ヒーロー',
      fields: [
        { uid: 'lead', name: '導入', ...text, maxLength: 20, width: 'half' },
        { uid: 'wide', name: '全幅', type: 'CHECKBOX', width: 'half' },
        { uid: 'note', name: '注記', ...text, condition: { field: 'wide', is: 'oneOf', values: [true] } },
      ],
    },
  })
  const { model } = await send(request, url, `${blog}/model`, {
    data: { uid: 'event', name: '催し', fields },
  })
  expect(model.fields).toHaveLength(fields.length)
  const make = async (of: string, document: object, type = 'SAVE') =>
    (await send(request, url, `${blog}/model/${of}/doc`, { document, type })).document._id as string
  const people = [await make('person', { name: '山田' }, 'PUBLISH'), await make('person', { name: long })]
  const shop = await make('shop', { name: '池の店' }, 'PUBLISH')
  const picture = await sharp({ create: { width: 640, height: 400, channels: 3, background: '#2a7f62' } })
    .png()
    .toBuffer()
  const { csrfToken } = await (await request.get('/api/auth/csrfToken')).json()
  const upload = await request.post('/api/project/pond/assets', {
    headers: { origin: url, 'x-csrf-token': csrfToken },
    multipart: { file: { name: '池のとても長い名前の写真です.png', mimeType: 'image/png', buffer: picture } },
  })
  const { results } = await upload.json()
  const [{ asset }] = results
  const many = await make('event', {
    title: '春の観察会',
    slug: 'spring',
    count: 1234,
    words: ['赤', '青', '緑', '多すぎる'],
    body: `<h2>見出し</h2><p>池の<strong>水</strong>。<a data-document="${people[0]}" data-model="old">山田</a> <a href="https://example.com">例</a></p><ul><li>一</li><li>二</li></ul><table><tbody><tr><th>表</th><td>中身</td></tr></tbody></table>`,
    memo: '# 見出し\n\n- 一\n- **二**',
    day: '2026-04-01T00:00:00.000Z',
    startsAt: '2026-04-01T03:00:00.000Z',
    live: true,
    kind: '春',
    theme: '#e03131',
    mood: { type: 'emoji', value: '🦎' },
    place: { lat: 35.68, lng: 139.76 },
    video: '<iframe src="https://player.example/1" title="池の動画"></iframe>',
    cover: asset._id,
    papers: [asset._id],
    related: [...people, shop],
    hero: { lead: '二十文字を超えてしまうとても長い導入の文章です', wide: true, note: '注記です' },
    parts: [
      { type: 'hero', data: { lead: '導入', wide: false } },
      { type: 'TEXT', data: '文' },
      { type: 'hero', data: { lead: '二十文字を超えてしまうとても長い導入の文章です', wide: true } },
    ],
  })
  await make('event', { title: long, slug: 'spring', words: [long] })
  const one = await make(
    'event',
    { title: '一つだけ', words: ['赤'], related: [shop], parts: [{ type: 'TEXT', data: '文' }] },
    'PUBLISH',
  )

  await look(mine, 'editor-empty', '/pond/blog/event/new', () => inputsAreThere(page))
  await look(mine, 'editor-one', `/pond/blog/event/${one}`, () => inputsAreThere(page))
  await look(mine, 'editor-many-broken', `/pond/blog/event/${many}`, async () => {
    await inputsAreThere(page)
    await expect(page.getByText('池の店').first()).toBeVisible()
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByRole('dialog').getByRole('button').last().click()
    await expect(page.getByRole('alert').first()).toBeVisible()
  })
  await look(mine, 'table', '/pond/blog/event', () =>
    expect(page.getByText('一つだけ').first()).toBeVisible(),
  )
  await look(mine, 'table-empty', '/pond/blog/nothing', async () => {
    await expect(page.getByRole('heading', { level: 2 })).toBeVisible()
    await expect(page.locator('.mantine-Skeleton-root')).toHaveCount(0)
  })
  for (const [type, modelUid, more] of [
    ['GALLERY', 'event', { cover: 'cover' }],
    ['LIST', 'event', {}],
    ['CALENDAR', 'event', { date: 'day' }],
    ['GALLERY', 'nothing', {}],
    ['SINGLETON', 'person', {}],
    ['SINGLETON', 'nothing', {}],
  ] as const) {
    const { appView } = await send(request, url, `${blog}/appView`, {
      data: { modelUid, name: type, type, personal: false, settings: more },
    })
    const path = `/pond/blog/${modelUid}?view=${appView.uid}${type === 'CALENDAR' ? '&month=2026-04' : ''}`
    const shown = {
      event: page.getByText('春の観察会').first(),
      // A view of one document opens the form of the document directly.
      person: page.locator('#field-name'),
      nothing: type === 'SINGLETON' ? page.locator('#field-name') : page.getByRole('link', { name: type }),
    }[modelUid]
    await look(mine, `view-${type.toLowerCase()}-${modelUid}`, path, async () => {
      await expect(shown).toBeVisible()
      await expect(page.locator('.mantine-Skeleton-root')).toHaveCount(0)
    })
  }
  await look(mine, 'model', '/pond/blog/event/-/model', () =>
    expect(page.getByText('題名').first()).toBeVisible(),
  )
  if (takesPictures) await lookAtSettings(mine)
  await speak(mine, 'ja')

  const context = await browser.newContext({ baseURL: url, reducedMotion: 'reduce', locale: 'ja-JP' })
  const reader = await context.newPage()
  await becomeReader(reader, app)
  const theirs = { page: reader, url }
  await look(theirs, 'editor-read-only', `/pond/blog/event/${many}`, () => inputsAreThere(reader))
  await look(theirs, 'table-read-only', '/pond/blog/event?view=all', async () => {
    await expect(reader.getByText('一つだけ').first()).toBeVisible()
    await expect(reader.getByRole('grid').getByRole('checkbox')).toHaveCount(0)
  })
  // Without permitted batch actions, no document can be selected, neither by keyboard nor by click.
  const row = reader.getByRole('row').filter({ hasText: '一つだけ' })
  await row.focus()
  await reader.keyboard.press('Space')
  await reader.keyboard.press('ControlOrMeta+a')
  await expect(reader.getByRole('region', { name: '選択したコンテンツの操作' })).toHaveCount(0)
  await row.click({ modifiers: ['Shift'] })
  await inputsAreThere(reader)
  await context.close()
})

/** Signs up another user, who can read the documents of the app. */
async function becomeReader(page: Page, { url, database }: { url: string; database: string }): Promise<void> {
  const email = 'sora@example.com'
  await send(page.request, url, '/api/auth/signup', {
    email,
    password: 'いもりは空を見る2026',
    name: '佐藤 空',
  })
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  await client.query(
    `INSERT INTO space_member (space_id, id, account_id, role)
      SELECT space.id, repeat('e', 24), account.id, 'pjt-Member' FROM space, account WHERE account.email = $1`,
    [email],
  )
  await client.query(
    `INSERT INTO app_member (space_id, app_id, member_id, role)
      SELECT space_id, id, repeat('e', 24), 'app-Subscriber' FROM app`,
  )
  await client.end()
}
