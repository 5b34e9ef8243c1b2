import { type APIRequestContext, type Page, type Route, request } from '@playwright/test'
import { expectAccessible } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { typeJapanese } from './japanese-input.ts'
import { enter, joinSpace, send } from './management-api.ts'

const articles = '/editing/blog/article'
const api = '/api/project/editing/app/blog/model/article/doc'

test.beforeEach(({ page, app }) =>
  enter(page.request, app.url, 'editing', [
    {
      uid: 'article',
      name: '記事',
      fields: [
        { uid: 'title', name: '題名', type: 'TEXT' },
        { uid: 'lead', name: '紹介文', type: 'TEXT' },
        { uid: 'price', name: '価格', type: 'NUMBER', required: true },
      ],
    },
  ]),
)

/** Creates an article through the API and opens its editor. */
async function openArticle(page: Page, origin: string, values: object): Promise<string> {
  const { document } = await send(page.request, origin, api, { document: { price: 100, ...values } })
  await page.goto(`${articles}/${document._id}`)
  await expect(page.getByLabel('題名')).toBeVisible()
  return document._id
}

const ken = { email: 'ken@example.com', password: '森の池は静かです2026', name: '森田 健' }

/** Signs up Ken, who joins the space as an admin. Returns a request context with his session. */
async function joinKen(page: Page, origin: string): Promise<APIRequestContext> {
  const kens = await request.newContext()
  await joinSpace(page.request, kens, origin, 'editing', { ...ken, invitation: { roleId: 'pjt-Admin' } })
  return kens
}

const save = (page: Page) => page.keyboard.press('ControlOrMeta+s')
const saved = (page: Page) => expect(page.getByText('に保存済み')).toBeVisible()

test('saving a document in two windows merges changes of different fields, and asks about conflicts', async ({
  page,
  app,
  context,
}) => {
  await openArticle(page, app.url, { title: '二つの窓', lead: '元' })
  const other = await context.newPage()
  await other.goto(page.url())
  await page.getByLabel('題名').fill('こちらの題名')
  await other.getByLabel('紹介文').fill('あちらの紹介文')
  await save(page)
  await saved(page)
  await save(other)
  await expect(other.getByText('別の画面での変更を取り込みました：題名')).toBeVisible()
  await expect(other.getByLabel('題名')).toHaveValue('こちらの題名')
  await expect(other.getByLabel('紹介文')).toHaveValue('あちらの紹介文')

  await page.getByLabel('題名').fill('こちらが書いた')
  await page.getByLabel('価格').fill('200')
  await other.getByLabel('題名').fill('あちらが書いた')
  await save(other)
  await saved(other)
  await page.bringToFront()
  await save(page)
  const dialog = page.getByRole('dialog', { name: '別の画面での変更と競合しています' })
  await expect(dialog).toContainText('あちらが書いた')
  await expectAccessible(page, 'conflict')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(page.getByLabel('題名')).toHaveValue('こちらが書いた')
  await save(page)
  await dialog.getByRole('radio', { name: 'この画面の変更' }).check()
  await dialog.getByRole('button', { name: 'この内容で保存' }).click()
  await saved(page)
  const id = page.url().split('/').at(-1)
  const { document } = await (await page.request.get(`${api}/${id}`)).json()
  expect(document).toMatchObject({ title: 'こちらが書いた', lead: 'あちらの紹介文', price: 200 })
})

test('the notice about merged changes and the conflict dialog name the other user', async ({ page, app }) => {
  const kens = await joinKen(page, app.url)
  const id = await openArticle(page, app.url, { title: '春の池', lead: '元' })
  await page.getByLabel('題名').fill('夏の池')
  await send(kens, app.url, `${api}/${id}`, { doc: { lead: '健の紹介文' } }, 'PUT')
  await save(page)
  await expect(page.getByText('森田 健さんの変更を取り込みました：紹介文')).toBeVisible()
  await expect(page.getByLabel('題名')).toHaveValue('夏の池')
  await expect(page.getByLabel('紹介文')).toHaveValue('健の紹介文')

  await page.getByLabel('題名').fill('秋の池')
  await send(kens, app.url, `${api}/${id}`, { doc: { title: '冬の池' } }, 'PUT')
  await save(page)
  await expect(page.getByRole('dialog')).toContainText('編集中に森田 健さんが同じフィールドを変更しました')
  await kens.dispose()
})

test('an editor compares an earlier version with the current content, and restores one field', async ({
  page,
  app,
}) => {
  const id = await openArticle(page, app.url, { title: '池の生きもの', lead: '春の池にイモリがいる。' })
  await page.getByRole('button', { name: '公開する' }).click()
  await expect(page.getByText('公開しました')).toBeVisible()
  await page.getByLabel('紹介文').fill('冬の池にイモリがいる。')
  await page.getByLabel('価格').fill('250')
  await save(page)
  await saved(page)

  const history = page.getByRole('region', { name: '変更履歴' })
  const published = history.getByRole('button', { name: /^公開 バージョン2 公開中/ })
  await published.focus()
  await page.keyboard.press('Enter')
  const version = page.getByRole('dialog', { name: 'バージョン2の内容' })
  const side = (name: string) => version.getByRole('region', { name })
  await expect(side('紹介文 バージョン2').locator('mark')).toHaveText('春')
  await expect(side('紹介文 今の内容').locator('mark')).toHaveText('冬')
  await expect(side('価格 バージョン2')).toHaveText('100')
  await expect(side('題名 バージョン2')).toBeHidden()
  await expectAccessible(page, 'version')
  await version.getByText('このバージョンの内容', { exact: true }).click()
  await expect(version.getByRole('region', { name: '題名' })).toContainText('池の生きもの')
  await page.keyboard.press('Escape')
  await expect(version).toBeHidden()
  await expect(published).toBeFocused()

  await page.keyboard.press('Enter')
  await version.getByRole('button', { name: 'このフィールドだけ戻す：紹介文' }).click()
  await expect(side('紹介文 バージョン2')).toBeHidden()
  await expect(version).toBeVisible()
  await version.getByRole('button', { name: 'このバージョンの内容に戻す' }).click()
  await expect(version).toBeHidden()
  // The message is shown for only six seconds, so its button is clicked before the other checks.
  const messages = page.getByRole('status').filter({ hasText: /^バージョン2の内容に戻しました/ })
  await messages.getByRole('button', { name: '元に戻す' }).click()
  await expect(page.getByLabel('紹介文')).toHaveValue('春の池にイモリがいる。')
  await expect(page.getByLabel('価格')).toHaveValue('250')
  // Restoring changes only the form; nothing is saved yet.
  const stored = async () => (await (await page.request.get(`${api}/${id}`)).json()).document
  expect(await stored()).toMatchObject({ price: 250, _sys: { version: 3 } })
  await save(page)
  await saved(page)
  expect(await stored()).toMatchObject({ lead: '春の池にイモリがいる。', price: 250, _sys: { version: 4 } })
})

test('bulk publishing names the document that cannot be published, and the invalid field', {
  tag: '@full',
}, async ({ page, app }) => {
  for (const values of [
    { title: '一括 良い', price: 1 },
    { title: '一括 壊れた' },
    { title: '一括 可', price: 2 },
  ])
    await send(page.request, app.url, api, { document: values })
  await page.goto(articles)
  await page.getByLabel('キーワードで検索').focus()
  await typeJapanese(page, 'いっかつ', '一括')
  await expect(page.getByText('3件が見つかりました')).toBeVisible()
  // Words separated by a space are found in any order.
  await page.getByLabel('キーワードで検索').fill('壊れた 一括')
  await expect(page.getByText('1件が見つかりました')).toBeVisible()
  await page.getByLabel('キーワードで検索').fill('一括')
  await expect(page.getByText('3件が見つかりました')).toBeVisible()

  await page.getByRole('checkbox', { name: '表示中の3件を選択' }).check()
  await page
    .getByRole('region', { name: '選択したコンテンツの操作' })
    .getByRole('button', { name: '公開する' })
    .click()
  await page
    .getByRole('dialog', { name: '3件を公開しますか？' })
    .getByRole('button', { name: '公開する' })
    .click()
  const result = page.getByRole('dialog', { name: '一部のコンテンツで問題が発生しました' })
  await expect(result).toContainText('2件は完了しましたが、1件は完了できませんでした。')
  await expect(result.getByRole('listitem').first()).toContainText('価格：入力してください')
  await expectAccessible(page, 'result of a bulk action')
  await expect(result.getByRole('link', { name: '一括 壊れた' })).toHaveAttribute(
    'href',
    /article\/[0-9a-f]{24}$/,
  )
  await page.keyboard.press('Escape')
  await expect(result).toBeHidden()
  await expect(page.getByText('1件を選択中')).toBeVisible()
  await expect(page.getByRole('grid').getByText('公開中')).toHaveCount(2)
})

test('unsaved input can be restored after the tab was closed', { tag: '@full' }, async ({
  page,
  app,
  context,
}) => {
  await openArticle(page, app.url, { title: '落ちる前' })
  const address = page.url()
  await page.getByLabel('題名').fill('落ちる直前に書いた')
  await expect(page.getByText('未保存の変更があります')).toBeVisible()
  const copies = () => page.evaluate(() => JSON.stringify({ ...localStorage }))
  await expect.poll(copies).toContain('落ちる直前に書いた')
  await page.close({ runBeforeUnload: false })

  const next = await context.newPage()
  await next.goto(address)
  await expect(next.getByText('保存されていない変更が残っています')).toBeVisible()
  await expect(next.getByLabel('題名')).toHaveValue('落ちる前')
  await next.getByRole('button', { name: '復元する' }).click()
  await expect(next.getByLabel('題名')).toHaveValue('落ちる直前に書いた')
  await save(next)
  await saved(next)
})

test("unsaved input moves to the current form after a field's uid has changed", {
  tag: '@full',
}, async ({ page, app, context }) => {
  const model = '/api/project/editing/app/blog/model/article'
  const rename = async (from: string, to: string) => {
    const { fields } = (await (await context.request.get(model)).json()).model
    const renamed = fields.map((field: { uid: string }) =>
      field.uid === from ? { ...field, uid: to } : field,
    )
    await send(context.request, app.url, model, { data: { fields: renamed } }, 'PUT')
  }
  await openArticle(page, app.url, { title: '改名', lead: '元' })
  await page.getByLabel('紹介文').fill('改名の間に書いた')
  await rename('lead', 'intro')
  await save(page)
  const notice = page.getByRole('alert').filter({ hasText: 'モデルが変更されました' })
  await expect(notice).toBeVisible()
  await expectAccessible(page, 'the model was changed while somebody writes')
  await notice.getByRole('button', { name: '最新のフォームに切り替える' }).click()
  await expect(notice).toBeHidden()
  await expect(page.getByLabel('紹介文')).toHaveValue('改名の間に書いた')
  await save(page)
  await saved(page)

  // Input can also be restored into the changed form after its tab was closed.
  await page.getByLabel('紹介文').fill('閉じる前に書いた')
  const copies = () => page.evaluate(() => JSON.stringify({ ...localStorage }))
  await expect.poll(copies).toContain('閉じる前に書いた')
  const address = page.url()
  const next = await context.newPage()
  await page.close({ runBeforeUnload: false })
  await rename('intro', 'lead')
  await next.goto(address)
  await next.getByRole('button', { name: '復元する' }).click()
  await expect(next.getByLabel('紹介文')).toHaveValue('閉じる前に書いた')
  await save(next)
  await saved(next)
})

test('input is kept while the connection is lost, and is saved when the connection is restored', {
  tag: '@full',
}, async ({ page, app, context }) => {
  await openArticle(page, app.url, { title: '通信の前' })
  await context.setOffline(true)
  await page.getByLabel('題名').fill('通信が切れて書いた')
  await save(page)
  await expect(page.getByText('オフラインです。')).toBeVisible()
  await context.setOffline(false)
  await saved(page)
  await page.reload()
  await expect(page.getByLabel('題名')).toHaveValue('通信が切れて書いた')
})

test('an editor creates, publishes and deletes an article with the keyboard only', async ({ page }) => {
  await page.goto(articles)
  await page.getByRole('link', { name: '新規作成' }).first().focus()
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('題名')).toBeFocused()
  await typeJapanese(page, 'いもりのはる', '井守の春')
  await page.keyboard.press('Tab')
  await expect(page.getByLabel('紹介文')).toBeFocused()
  await typeJapanese(page, 'いけ', '池')
  await page.keyboard.press('ControlOrMeta+Enter')
  const summary = page.getByRole('alert').filter({ hasText: '1個のフィールドを確認してください' })
  await expect(summary).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('価格')).toBeFocused()
  await page.keyboard.type('1200')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(page.getByText('公開しました')).toBeVisible()
  await expect(page).toHaveURL(/article\/[0-9a-f]{24}$/)

  // Escape closes the dialog, and the button of the menu gets the focus again.
  const more = page.getByRole('button', { name: 'その他の操作' })
  const chooseRemoval = async () => {
    await page.keyboard.press('Enter')
    await expect(page.getByRole('menuitem').first()).toBeFocused()
    await page.keyboard.press('End')
    await expect(page.getByRole('menuitem', { name: /^削除する/ })).toBeFocused()
    await page.keyboard.press('Enter')
  }
  await more.focus()
  await chooseRemoval()
  const ask = page.getByRole('dialog', { name: 'このコンテンツを削除しますか？' })
  await expect(ask.getByRole('button', { name: 'キャンセル' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(ask).toBeHidden()
  await expect(more).toBeFocused()
  await chooseRemoval()
  await expect(ask.getByRole('button', { name: 'キャンセル' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/article$/)
  await expect(page.locator('#main')).toBeFocused()
})

test('the first save of a new article does not scroll to the top', { tag: '@full' }, async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 320 })
  await page.goto(`${articles}/new`)
  await page.getByLabel('題名').fill('下の方で保存する')
  await page.getByLabel('価格').fill('300')
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight))
  const place = () => page.evaluate(() => window.scrollY)
  expect(await place()).toBeGreaterThan(0)
  await save(page)
  await expect(page).toHaveURL(/article\/[0-9a-f]{24}$/)
  await saved(page)
  expect(await place()).toBeGreaterThan(0)
})

test('saving again after a lost response does not create a second document', { tag: '@full' }, async ({
  page,
}) => {
  await page.goto(`${articles}/new`)
  await page.getByLabel('題名').fill('一度だけ')
  // The server creates the document, and the connection breaks before the response.
  const cut = async (route: Route) => {
    expect((await route.fetch()).ok()).toBe(true)
    await route.abort('connectionreset')
  }
  await page.route(`**${api}`, cut, { times: 1 })
  await save(page)
  await expect(page.getByText(/サーバーに接続できません/).first()).toBeVisible()
  await page.getByLabel('題名').fill('一度だけ、続き')
  await save(page)
  await expect(page).toHaveURL(/article\/[0-9a-f]{24}$/)
  await saved(page)
  const { documents } = await (await page.request.get(`${api}?search=一度だけ`)).json()
  expect(documents.map(({ title }: { title: string }) => title)).toEqual(['一度だけ、続き'])
})
