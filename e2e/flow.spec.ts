import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { send } from './management-api.ts'

test.use({ contextOptions: { reducedMotion: 'reduce' }, actionTimeout: 10_000 })

const articles = '/pond/blog/article'
const api = '/api/project/pond/app/blog/model/article/doc'
const person = { email: 'hana@example.com', password: 'いもりは池にいる2026' }

test.beforeEach(async ({ page, app }) => {
  const { firstAccount } = await (await page.request.get('/api/auth/signupState')).json()
  if (!firstAccount) {
    await send(page.request, app.url, '/api/auth/login', person)
    return
  }
  await send(page.request, app.url, '/api/auth/signup', { ...person, name: '山田 花' })
  await send(page.request, app.url, '/api/project', { project: { uid: 'pond', name: '池' } })
  await send(page.request, app.url, '/api/project/pond/app', { data: { uid: 'blog', name: 'ブログ' } })
  const model = (uid: string, name: string, fields: object[]) =>
    send(page.request, app.url, '/api/project/pond/app/blog/model', { data: { uid, name, fields } })
  await model('author', '著者', [{ uid: 'name', name: '名前', type: 'TEXT' }])
  await model('article', '記事', [
    { uid: 'title', name: '題名', type: 'TEXT' },
    { uid: 'lead', name: '紹介文', type: 'TEXT' },
    { uid: 'slug', name: 'スラッグ', type: 'TEXT', unique: true },
    { uid: 'by', name: '著者', type: 'REFERENCE', modelUid: 'author' },
  ])
})

const create = async (page: Page, origin: string, values: object, type = 'SAVE', docs = api) =>
  (await send(page.request, origin, docs, { document: values, type })).document._id as string

const statusOf = async (page: Page, id: string) =>
  (await (await page.request.get(`${api}/${id}`)).json()).document?._sys.status

const row = (page: Page, title: string) => page.getByRole('row').filter({ hasText: title })

test('Enter twice deletes nothing; what was deleted comes back by 元に戻す and from the trash', async ({
  page,
  app,
}) => {
  const one = await create(page, app.url, { title: '消す記事' }, 'PUBLISH')
  const two = await create(page, app.url, { title: '消す下書き' })
  await page.goto(`${articles}?q=消す`)
  await page.getByRole('checkbox', { name: '表示中の2件を選択' }).check()
  const bar = page.getByRole('region', { name: '選択したコンテンツの操作' })
  const ask = page.getByRole('dialog', { name: '2件を削除しますか？' })
  await bar.getByRole('button', { name: '削除する' }).focus()
  await page.keyboard.press('Enter')
  await expect(ask).toContainText('30日間はゴミ箱から戻せます。')
  await expect(ask.getByRole('button', { name: 'キャンセル' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(ask).toBeHidden()
  await expect(row(page, '消す記事')).toBeVisible()

  await bar.getByRole('button', { name: '削除する' }).click()
  await ask.getByRole('button', { name: '削除する' }).click()
  const toast = page.getByRole('status').filter({ hasText: '2件を削除しました' })
  await toast.getByRole('button', { name: '元に戻す' }).click()
  await expect(page.getByText('2件を元に戻しました')).toBeVisible()
  await expect(row(page, '消す記事')).toContainText('公開中')
  expect([await statusOf(page, one), await statusOf(page, two)]).toEqual(['published', 'draft'])

  await row(page, '消す下書き').click()
  await page.getByRole('button', { name: 'その他の操作' }).click()
  await page.getByRole('menuitem', { name: /^削除する/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: '削除する' }).click()
  await expect(page.getByText('「消す下書き」を削除しました')).toBeVisible()
  await page.getByRole('link', { name: 'ゴミ箱' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: '消す下書き' })).toContainText(
    '山田 花さんが削除',
  )
  await page.getByRole('button', { name: '「消す下書き」を元に戻す' }).click()
  await expect(page.getByRole('heading', { name: 'ゴミ箱は空です' })).toBeVisible()
  expect(await statusOf(page, two)).toBe('draft')
})

test('the second click of a double click does not publish what the first one opened', async ({
  page,
  app,
}) => {
  const id = await create(page, app.url, { title: '二度押し' })
  await page.goto(`${articles}?q=二度押し`)
  const press = async (element: Locator, clickCount: number) => {
    const box = await element.boundingBox()
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2)
    await page.mouse.down({ clickCount })
    await page.mouse.up({ clickCount })
  }
  await press(row(page, '二度押し'), 1)
  const publish = page.getByRole('button', { name: '公開する' })
  await expect(publish).toBeVisible()
  await press(publish, 2)
  // A publication would be under way before this save.
  await page.getByLabel('紹介文').fill('まだ出さない')
  await page.keyboard.press('ControlOrMeta+s')
  await expect(page.getByText('に保存済み')).toBeVisible()
  expect(await statusOf(page, id)).toBe('draft')
  await publish.click()
  await expect(page.getByText('公開しました')).toBeVisible()
})
