import type { Page } from '@playwright/test'
import { createClient } from 'newt-client-js'
import sharp from 'sharp'
import { expectAccessible } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { enter, send } from './management-api.ts'
import { expectPickedUp } from './moving.ts'
import { photograph } from './photograph.ts'

const models = '/api/project/pictures/app/blog/model'

const photo = (background: string) =>
  sharp({ create: { width: 640, height: 400, channels: 3, background } })
    .jpeg()
    .toBuffer()

async function look(page: Page, screen: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [390, 1280]) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 900 })
      await photograph(page, `${screen}-${colorScheme}-${width}`)
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(overflow, `${screen} ${width}`).toBeLessThanOrEqual(0)
      await expectAccessible(
        page,
        `${screen}, ${colorScheme}, ${width}`,
        colorScheme === 'light' ? 'all' : 'colors',
      )
    }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}

test('pictures and files are uploaded into a document, ordered, published and read by a site', {
  tag: '@full',
}, async ({ page, app }) => {
  await enter(page.request, app.url, 'pictures', [
    { uid: 'article', name: '記事', fields: [{ uid: 'title', name: '題名', type: 'TEXT' }] },
  ])

  await page.goto('/pictures/blog/article/-/model')
  await page.getByRole('button', { name: 'フィールドを追加' }).click()
  await page.getByRole('dialog').getByRole('button', { name: /^画像/ }).click()
  const drawer = page.getByRole('dialog', { name: 'フィールドの設定' })
  await drawer.getByLabel('フィールド名').fill('表紙')
  await drawer.getByLabel('フィールドUID').fill('cover')
  await expect(drawer.getByLabel('使える画像の形式').first()).toBeVisible()
  await drawer.getByRole('button', { name: '完了' }).click()
  await page.getByRole('button', { name: '保存する' }).click()
  await expect(page.getByText('モデルを保存しました')).toBeVisible()
  const { model } = await (await page.request.get(`${models}/article`)).json()
  const fields = [
    ...model.fields,
    { uid: 'gallery', name: '写真', type: 'IMAGE', multiple: true, maxItems: 3 },
    { uid: 'paper', name: '資料', type: 'FILE', accept: '.txt' },
  ]
  const { csrfToken } = await (await page.request.get('/api/auth/csrfToken')).json()
  const put = await page.request.put(`${models}/article`, {
    data: { data: { fields, version: model.version } },
    headers: { origin: app.url, 'x-csrf-token': csrfToken },
  })
  expect(put.ok(), await put.text()).toBe(true)

  const { document } = await send(page.request, app.url, `${models}/article/doc`, {
    document: { title: '池の一年' },
  })
  await page.goto(`/pictures/blog/article/${document._id}`)
  const part = (name: string) => page.getByRole('group', { name, exact: true })
  const bring = (name: string, ...files: { name: string; mimeType: string; buffer: Buffer }[]) =>
    part(name).locator('input[type=file]').setInputFiles(files)
  const jpeg = async (name: string, color: string) => ({
    name,
    mimeType: 'image/jpeg',
    buffer: await photo(color),
  })

  await bring('表紙', await jpeg('表紙.jpg', '#2a7f62'))
  await expect(part('表紙')).toContainText('640×400')
  await part('表紙').getByRole('button', { name: '入力する' }).click()
  await page.getByLabel('「表紙.jpg」の代替テキスト').fill('春の池')
  await page.getByLabel('「表紙.jpg」の代替テキスト').press('Enter')
  await expect(part('表紙')).toContainText('代替テキスト：春の池')

  await bring('写真', await jpeg('夏.jpg', '#c2571a'), await jpeg('秋.jpg', '#7a1fa2'))
  await expect(part('写真').getByRole('listitem')).toHaveText([/夏\.jpg/, /秋\.jpg/])
  await part('写真').getByRole('button', { name: '「2番目のファイル」を移動' }).focus()
  await page.keyboard.press('Space')
  await expectPickedUp(page, '2番目のファイル')
  await page.keyboard.press('ArrowUp')
  await expect(page.getByText('「2番目のファイル」は2件中1番目です')).toBeAttached()
  await page.keyboard.press('Space')
  await expect(part('写真').getByRole('listitem')).toHaveText([/秋\.jpg/, /夏\.jpg/])

  await bring('資料', { name: '案内.txt', mimeType: 'text/plain', buffer: Buffer.from('池の案内') })
  await expect(part('資料')).toContainText('案内.txt')
  await look(page, 'editor')

  await page.setViewportSize({ width: 1280, height: 900 })
  await part('写真').getByRole('button', { name: '「夏.jpg」を別のファイルにする' }).click()
  const picker = page.getByRole('dialog', { name: /画像を選択/ })
  await picker.getByRole('gridcell', { name: /表紙/ }).click()
  await expect(part('写真').getByRole('listitem')).toHaveText([/秋\.jpg/, /表紙\.jpg/])

  await page.getByRole('button', { name: '公開する' }).first().click()
  await expect(page.getByText('公開中', { exact: true }).first()).toBeVisible()

  const { cdnToken } = await send(page.request, app.url, '/api/project/pictures/cdnToken', {
    data: { name: 'site' },
  })
  const newt = createClient({
    spaceUid: 'pictures',
    token: cdnToken.token,
    apiType: 'cdn',
    fetch: ((url: string, init: RequestInit) => {
      const { pathname, search } = new URL(url)
      return fetch(app.url + pathname + search, init)
    }) as typeof fetch,
  })
  interface Shown {
    src: string
    altText: string
    fileName: string
  }
  const content = await newt.getContent<{ cover: Shown; gallery: Shown[]; paper: Shown }>({
    appUid: 'blog',
    modelUid: 'article',
    contentId: document._id,
  })
  expect(content.cover.altText).toBe('春の池')
  expect(content.gallery.map(({ fileName }) => fileName)).toEqual(['秋.jpg', '表紙.jpg'])
  const read = async ({ src }: Shown) => (await fetch(app.url + new URL(src).pathname)).arrayBuffer()
  expect((await sharp(await read(content.cover)).metadata()).width).toBe(640)
  expect(Buffer.from(await read(content.paper)).toString()).toBe('池の案内')

  const columns = JSON.stringify(['cover', 'gallery', 'paper'])
  await page.evaluate(
    (chosen) => localStorage.setItem('imori-columns/pictures/blog/article', chosen),
    columns,
  )
  await page.goto('/pictures/blog/article')
  await expect(page.getByRole('row').last()).toContainText('案内.txt')
  await expect(page.getByRole('img', { name: '春の池' }).first()).toBeVisible()

  // The asset links to the field of the document that uses it.
  const { assets: used } = await (await page.request.get('/api/project/pictures/assets?search=秋')).json()
  await page.goto(`/pictures/-/assets?open=${used[0]._id}`)
  await page.getByRole('list', { name: '使われているフィールド' }).getByRole('link').first().click()
  await expect(page).toHaveURL(/\?at=gallery\.0$/)
  await expect(page.locator('#field-gallery')).toBeFocused()

  // The asset links to the list of documents that use it. The list can then be filtered by another asset.
  const { assets } = await (await page.request.get('/api/project/pictures/assets?search=秋')).json()
  await page.goto(`/pictures/-/assets?open=${assets[0]._id}`)
  await page.getByRole('dialog').getByRole('link', { name: 'ブログ / 記事' }).click()
  const found = page.getByRole('row').filter({ hasText: '案内.txt' })
  await expect(found).toHaveCount(1)
  await page.getByRole('button', { name: /^絞り込み/ }).click()
  const value = page.getByRole('dialog', { name: '絞り込み' }).getByRole('combobox', { name: '値' })
  await expect(value).toHaveValue('秋.jpg')
  await value.fill('夏')
  await page.getByRole('option', { name: '夏.jpg' }).click()
  await expect(found).toHaveCount(0)
})
