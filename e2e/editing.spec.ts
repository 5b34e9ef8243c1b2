import type { Page, Route } from '@playwright/test'
import { expectAccessible } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { typeJapanese } from './japanese-input.ts'
import { enter, send } from './management-api.ts'

const articles = '/pond/blog/article'
const api = '/api/project/pond/app/blog/model/article/doc'

test.beforeEach(({ page, app }) =>
  enter(page.request, app.url, [
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

/** Makes an article through the API and opens its editor. */
async function openArticle(page: Page, origin: string, values: object): Promise<string> {
  const { document } = await send(page.request, origin, api, { document: { price: 100, ...values } })
  await page.goto(`${articles}/${document._id}`)
  await expect(page.getByLabel('題名')).toBeVisible()
  return document._id
}

const save = (page: Page) => page.keyboard.press('ControlOrMeta+s')
const saved = (page: Page) => expect(page.getByText('に保存済み')).toBeVisible()

test('two windows on one document: what differs is merged, what overlaps is asked about', async ({
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

test('publishing many at once tells of the one that is broken, by field', async ({ page, app }) => {
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
  // With a space: both words, in whatever order.
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

test('what was typed is there again after the tab has crashed', async ({ page, app, context }) => {
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

test('while the server is away nothing is lost, and the save follows by itself', async ({
  page,
  app,
  context,
}) => {
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

test('write, publish and delete with the keyboard alone', async ({ page }) => {
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

  // Escape closes the window alone, and the focus is where it was.
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

test('an answer that is lost makes no second document', async ({ page }) => {
  await page.goto(`${articles}/new`)
  await page.getByLabel('題名').fill('一度だけ')
  // The server makes the document, and the connection breaks before the answer.
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
