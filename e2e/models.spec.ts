import type { Page } from '@playwright/test'
import { expectAccessible } from './axe.ts'
import { chooseByKeyboard } from './choosing.ts'
import { expect, test } from './fixtures.ts'
import { enter, send } from './management-api.ts'
import { expectPickedUp } from './moving.ts'

const blog = '/api/project/models/app/blog'
const text = (uid: string, name: string, more: object = {}) => ({ uid, name, type: 'TEXT', ...more })

test.beforeEach(({ page, app }) =>
  enter(page.request, app.url, 'models', [
    { uid: 'author', name: '著者', fields: [text('name', '名前')] },
    {
      uid: 'article',
      name: '記事',
      fields: [
        text('title', '題名'),
        {
          uid: 'kind',
          name: '種類',
          type: 'SELECT',
          options: [
            { value: 'text', label: '本文' },
            { value: 'link', label: 'リンク' },
          ],
        },
        text('url', 'リンク先', { required: true }),
        text('note', 'メモ'),
        { uid: 'author', name: '著者', type: 'REFERENCE', modelUid: 'author' },
      ],
    },
  ]),
)

const saveModel = async (page: Page) => {
  await page.keyboard.press('ControlOrMeta+s')
  await expect(page.getByText('モデルを保存しました').last()).toBeVisible()
}
const fits = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)

test('a user adds a field to a model, moves it and adds a view with the keyboard only', async ({ page }) => {
  const { keyboard } = page
  await page.goto('/models/blog/author/-/model')
  await page.getByRole('button', { name: 'フィールドを追加' }).focus()
  await keyboard.press('Enter')
  const palette = page.getByRole('dialog', { name: '追加するフィールドの種類' })
  await expect(palette.getByRole('button', { name: /^テキスト/ })).toBeFocused()
  for (let presses = 0; presses < 5; presses++) await keyboard.press('Tab')
  await expect(palette.getByRole('button', { name: /^数値/ })).toBeFocused()
  await keyboard.press('Enter')
  const drawer = page.getByRole('dialog', { name: 'フィールドの設定' })
  await expect(drawer.getByLabel('フィールド名')).toBeFocused()
  await keyboard.insertText('年齢')
  await keyboard.press('Tab')
  await keyboard.press('ControlOrMeta+a')
  await keyboard.type('age')
  await keyboard.press('Escape')
  await expect(drawer).toBeHidden()
  await expect(page.getByRole('button', { name: '年齢 age 数値 新規' })).toBeFocused()
  await keyboard.press('Shift+Tab')
  await expect(page.getByRole('button', { name: '「年齢」を移動' })).toBeFocused()
  await keyboard.press('Space')
  await expectPickedUp(page, '年齢')
  await keyboard.press('ArrowUp')
  await expect(page.getByText('「年齢」は2件中1番目です')).toBeAttached()
  await keyboard.press('Space')
  await saveModel(page)

  await page.goto('/models/blog/author')
  await page.getByRole('button', { name: 'ビューを追加' }).focus()
  await keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'ビューを追加' })
  await expect(dialog.getByLabel('名前')).toBeFocused()
  await keyboard.insertText('名簿')
  await keyboard.press('Tab')
  const look = dialog.getByRole('combobox', { name: '表示方法' })
  await expect(look).toBeFocused()
  await chooseByKeyboard(look, 'リスト')
  await keyboard.press('Tab')
  await expect(dialog.getByRole('radio', { name: 'このAppの全員' })).toBeFocused()
  await keyboard.press('ArrowDown')
  await expect(dialog.getByRole('radio', { name: '自分だけ' })).toBeChecked()
  await keyboard.press('Enter')
  const tab = page.getByRole('navigation', { name: 'ビュー' }).getByRole('link', { name: /^名簿/ })
  await expect(tab).toHaveAttribute('aria-current', 'page')
})

test('a user sets up and fills in a form with a condition, a tab and a half-width field', {
  tag: '@full',
}, async ({ page }) => {
  await page.goto('/models/blog/article/-/model')
  await page.getByRole('button', { name: /^リンク先/ }).click()
  const drawer = page.getByRole('dialog', { name: 'フィールドの設定' })
  await drawer.getByText('半分').click()
  await drawer.getByLabel('タブ').fill('詳細')
  await drawer.getByRole('switch', { name: '条件を満たすときだけ表示する' }).check()
  await drawer.getByRole('combobox', { name: '条件にするフィールド' }).click()
  await page.getByRole('option', { name: '種類' }).click()
  await drawer.getByRole('combobox', { name: '条件', exact: true }).click()
  await page.getByRole('option', { name: '次のいずれかの値である' }).click()
  await drawer.getByRole('button', { name: '完了' }).click()
  // A condition without a value is invalid, and the field shows the error.
  await page.keyboard.press('ControlOrMeta+s')
  await expect(page.getByText('修正が必要な箇所が1件あります')).toBeVisible()
  await page.getByRole('button', { name: '最初の箇所を開く' }).click()
  await expect(drawer.getByText('値を1つ以上指定してください')).toBeVisible()
  await drawer.getByRole('combobox', { name: '値', exact: true }).click()
  await page.getByRole('option', { name: 'リンク' }).click()
  await page.keyboard.press('Escape')
  await expectAccessible(page, 'settings of a field in the form')
  await drawer.getByRole('button', { name: '完了' }).click()

  // The keyboard moves the field メモ below the heading of the new tab, to the field リンク先.
  const handle = page.getByRole('button', { name: '「メモ」を移動' })
  const rows = page.getByRole('region', { name: 'フィールド' }).getByRole('listitem')
  await expect(rows).toHaveCount(7)
  await handle.focus()
  await page.keyboard.press('Space')
  await expectPickedUp(page, 'メモ')
  for (const position of [5, 6, 7]) {
    await page.keyboard.press('ArrowDown')
    await expect(page.getByText(`「メモ」は7件中${position}番目です`)).toBeAttached()
  }
  await page.keyboard.press('Space')
  await expect(rows.last()).toContainText('メモ')
  await expectAccessible(page, 'fields on tabs')
  await saveModel(page)
  const { model } = await (await page.request.get(`${blog}/model/article`)).json()
  expect(model.fields.map((one: { uid: string; tab?: string }) => [one.uid, one.tab ?? null])).toEqual([
    ['title', null],
    ['kind', null],
    ['author', null],
    ['url', '詳細'],
    ['note', '詳細'],
  ])
  expect(model.fields[3]).toMatchObject({
    width: 'half',
    condition: { field: 'kind', is: 'oneOf', values: ['link'] },
  })

  await page.goto('/models/blog/article/new')
  await page.getByLabel('題名').fill('条件のある記事')
  await page.getByRole('tab', { name: '詳細' }).click()
  await expect(page.getByLabel('メモ')).toBeVisible()
  await expect(page.getByLabel('リンク先')).toHaveCount(0)
  await page.getByRole('tab', { name: '基本' }).click()
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(page.getByText('公開しました')).toBeVisible()
  await page.getByRole('combobox', { name: '種類' }).click()
  await page.getByRole('option', { name: 'リンク' }).click()
  await page.getByRole('button', { name: '変更を公開する' }).click()
  const summary = page.getByRole('alert').filter({ hasText: '1個のフィールドを確認してください' })
  await expect(summary).toBeFocused()
  await expect(page.getByRole('tab', { name: '詳細 要確認' })).toBeVisible()
  await expectAccessible(page, 'a document on tabs')
  await summary.getByRole('button', { name: 'リンク先' }).click()
  await expect(page.getByLabel('リンク先')).toBeFocused()
  await page.keyboard.type('/pond')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(page.getByRole('tab', { name: '詳細', exact: true })).toBeVisible()

  // The value of a hidden field is kept.
  await page.getByRole('tab', { name: '基本' }).click()
  await page.getByRole('combobox', { name: '種類' }).click()
  await page.getByRole('option', { name: '本文' }).click()
  await page.keyboard.press('ControlOrMeta+s')
  await expect(page.getByText('に保存済み')).toBeVisible()
  const [id] = page.url().split('/').slice(-1)
  const { document } = await (await page.request.get(`${blog}/model/article/doc/${id}`)).json()
  expect(document).toMatchObject({ kind: 'text', url: '/pond' })

  await page.getByRole('tab', { name: '詳細' }).click()
  await expect(page.getByLabel('メモ')).toBeVisible()
  expect(await fits(page)).toBe(true)
})

test('saving a model change first shows its effects on sites and on publishing', { tag: '@full' }, async ({
  page,
  app,
}) => {
  const save = (doc: object, type: string) =>
    send(page.request, app.url, `${blog}/model/article/doc`, { document: doc, type })
  await save({ title: '公開中の記事', url: 'https://example.com' }, 'PUBLISH')
  await save({ title: '下書き', url: 'https://example.com', note: 'ある' }, 'SAVE')
  await page.goto('/models/blog/article/-/model')
  await page.getByRole('button', { name: /^メモ/ }).click()
  const drawer = page.getByRole('dialog', { name: 'フィールドの設定' })
  await drawer.getByLabel('UID').fill('memo')
  await drawer.getByRole('switch', { name: '必須' }).check()
  await drawer.getByRole('button', { name: '完了' }).click()
  await page.keyboard.press('ControlOrMeta+s')
  const dialog = page.getByRole('dialog', { name: '続ける前に確認してください' })
  await expect(dialog.getByRole('region', { name: 'サイトに返る内容の変化' })).toContainText('note → memo')
  const blocked = dialog.getByRole('region', { name: '公開できなくなるコンテンツ' })
  await expect(blocked).toContainText('必須の値がありません')
  await expectAccessible(page, 'model-consequences')
  const opened = page.waitForEvent('popup')
  await blocked.getByRole('link', { name: /件/ }).click()
  const list = await opened
  await expect(list.getByRole('row', { name: /公開中の記事/ })).toBeVisible()
  await expect(list.getByRole('checkbox', { name: '「下書き」を選択' })).toHaveCount(0)
  await list.close()
  await dialog.getByRole('button', { name: '編集に戻る' }).click()
  await expect(dialog).toBeHidden()
  await page.keyboard.press('ControlOrMeta+s')
  await dialog.getByRole('button', { name: '保存する' }).click()
  await expect(page.getByText('モデルを保存しました').last()).toBeVisible()
})

test('a model is copied to another app and shown as JSON, from which another model is created', async ({
  page,
  app,
}) => {
  await send(page.request, app.url, '/api/project/models/app', { data: { uid: 'shop', name: 'お店' } })
  await page.goto('/models/blog')
  await page.getByRole('button', { name: '「記事」の操作' }).click()
  await page.getByRole('menuitem', { name: 'モデルを複製' }).click()
  await expect(page.getByRole('heading', { name: '「記事」を複製' })).toBeVisible()
  await expect(page.getByLabel('モデルUID')).toHaveAttribute('placeholder', 'article-2')
  await page.getByRole('combobox', { name: '作成先のApp' }).click()
  await page.getByRole('option', { name: 'お店' }).click()
  await expect(page.getByText('author（モデル「author」への参照）')).toBeVisible()
  await expectAccessible(page, 'duplicating a model')
  await page.getByRole('button', { name: '複製する' }).click()
  await expect(page).toHaveURL(/\/models\/shop\/article\/-\/model$/)
  await expect(page.getByRole('button', { name: /^リンク先/ })).toBeVisible()

  await page.getByRole('link', { name: 'JSON・型' }).click()
  await expect(page.getByText('"uid": "article"')).toBeVisible()
  const json = await page.locator('pre').textContent()
  await page.getByText('TypeScript', { exact: true }).click()
  await expect(page.getByText('export type Article = Content & {')).toBeVisible()
  await expectAccessible(page, 'the code of a model')
  expect(await fits(page)).toBe(true)

  await page.goto('/models/shop/-/models/new')
  await page.getByRole('link', { name: 'JSONから作成' }).click()
  await page.getByLabel('JSON', { exact: true }).fill(String(json).replace('"TEXT"', '"TEXTS"'))
  await page.getByRole('button', { name: '内容を確認する' }).click()
  await expect(page.getByRole('alert')).toContainText('このモデルUIDはすでに使われています')
  // When the empty uid input gets the focus, it suggests the uid in the JSON. It is cleared if the JSON changes.
  const uid = page.getByLabel('モデルUIDを変える')
  await uid.focus()
  await expect(uid).toHaveValue(JSON.parse(String(json)).uid)
  await page.getByLabel('JSON', { exact: true }).press('End')
  await page.getByLabel('JSON', { exact: true }).press('Space')
  await expect(uid).toHaveValue('')
  await uid.fill('news')
  await page.getByRole('button', { name: '内容を確認する' }).click()
  await expect(page.getByRole('alert')).toContainText(
    'fields.0.type：存在しないか、ここでは使えないフィールドタイプです',
  )
  await expectAccessible(page, 'JSON that is refused')
  await page.getByLabel('JSON', { exact: true }).fill(String(json))
  await page.getByRole('button', { name: '内容を確認する' }).click()
  await expect(page.getByText('フィールド4個')).toBeVisible()
  expect(await fits(page)).toBe(true)
  await page.getByRole('button', { name: 'この内容で作成する' }).click()
  await expect(page).toHaveURL(/\/models\/shop\/news\/-\/model$/)

  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('button', { name: '山田 花' }).click()
  await page.getByRole('menuitemradio', { name: 'English' }).click()
  await page.getByRole('link', { name: 'Duplicate' }).click()
  await expect(page.getByRole('heading', { name: 'Duplicate “記事”' })).toBeVisible()
  await expect(page.getByText('4 fields')).toBeVisible()
})
