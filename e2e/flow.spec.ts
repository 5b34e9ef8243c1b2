import type { Locator, Page } from '@playwright/test'
import { expectAccessible } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { typeJapanese } from './japanese-input.ts'
import { enter, person, send } from './management-api.ts'
import { expectPickedUp } from './moving.ts'

const articles = '/flow/blog/article'
const api = '/api/project/flow/app/blog/model/article/doc'

test.beforeEach(({ page, app }) =>
  enter(page.request, app.url, 'flow', [
    { uid: 'author', name: '著者', fields: [{ uid: 'name', name: '名前', type: 'TEXT' }] },
    {
      uid: 'article',
      name: '記事',
      fields: [
        { uid: 'title', name: '題名', type: 'TEXT' },
        { uid: 'lead', name: '紹介文', type: 'TEXT' },
        { uid: 'slug', name: 'スラッグ', type: 'TEXT', unique: true },
        { uid: 'by', name: '著者', type: 'REFERENCE', modelUid: 'author' },
      ],
    },
  ]),
)

const create = async (page: Page, origin: string, values: object, type = 'SAVE', docs = api) =>
  (await send(page.request, origin, docs, { document: values, type })).document._id as string

const statusOf = async (page: Page, id: string) =>
  (await (await page.request.get(`${api}/${id}`)).json()).document?._sys.status

const row = (page: Page, title: string) => page.getByRole('row').filter({ hasText: title })

/**
 * Returns the cell that shows the title in a row. It contains no other controls, and its position does not depend on
 * the width of the text.
 */
const cell = (page: Page, title: string) => row(page, title).getByRole('gridcell').filter({ hasText: title })

test('a second Enter cancels a bulk deletion, and deleted documents can be restored', {
  tag: '@full',
}, async ({ page, app }) => {
  const one = await create(page, app.url, { title: '消す記事' }, 'PUBLISH')
  const two = await create(page, app.url, { title: '消す下書き' })
  await page.goto(`${articles}?q=消す`)
  await page.getByRole('checkbox', { name: '表示中の2件を選択' }).check()
  await expectAccessible(page, 'list with a selection')
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

  await cell(page, '消す下書き').click()
  await page.getByRole('button', { name: 'その他の操作' }).click()
  await page.getByRole('menuitem', { name: /^削除する/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: '削除する' }).click()
  await expect(page.getByText('「消す下書き」を削除しました')).toBeVisible()
  await page.getByRole('combobox', { name: 'ステータス' }).click()
  await expectAccessible(page, 'open list of options')
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'ゴミ箱' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: '消す下書き' })).toContainText(
    '山田 花さんが削除',
  )
  await expectAccessible(page, 'trash')
  await page.getByRole('button', { name: '「消す下書き」を元に戻す' }).click()
  await expect(page.getByRole('heading', { name: 'ゴミ箱は空です' })).toBeVisible()
  expect(await statusOf(page, two)).toBe('draft')
})

test('a double click on a row does not publish the opened document, and copies have other titles', {
  tag: '@full',
}, async ({ page, app }) => {
  const id = await create(page, app.url, { title: '二度押し' })
  await page.goto(`${articles}?q=二度押し`)
  const press = async (element: Locator, clickCount: number) => {
    const box = await element.boundingBox()
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2)
    await page.mouse.down({ clickCount })
    await page.mouse.up({ clickCount })
  }
  await press(cell(page, '二度押し'), 1)
  const publish = page.getByRole('button', { name: '公開する' })
  await expect(publish).toBeVisible()
  await press(publish, 2)
  // A publication by the second click would happen before this save.
  await page.getByLabel('紹介文').fill('まだ出さない')
  await page.keyboard.press('ControlOrMeta+s')
  await expect(page.getByText('に保存済み')).toBeVisible()
  expect(await statusOf(page, id)).toBe('draft')
  await publish.click()
  await expect(page.getByText('公開しました')).toBeVisible()

  await page.getByRole('button', { name: 'その他の操作' }).click()
  await page.getByRole('menuitem', { name: /^複製する/ }).click()
  await expect(page.getByText('「二度押しのコピー」を下書きとして作成しました')).toBeVisible()
  await expect(page.getByLabel('題名')).toHaveValue('二度押しのコピー')

  // A copy of a document with unsaved changes: they are saved first.
  await page.getByLabel('紹介文').fill('保存していない文')
  const duplicate = async () => {
    await page.getByRole('button', { name: 'その他の操作' }).click()
    await page.getByRole('menuitem', { name: /^複製する/ }).click()
  }
  await duplicate()
  const question = page.getByRole('dialog', { name: '保存してから複製しますか？' })
  await question.getByRole('button', { name: 'キャンセル' }).click()
  await duplicate()
  await question.getByRole('button', { name: '保存して複製する' }).click()
  await expect(page.getByLabel('題名')).toHaveValue('二度押しのコピーのコピー')
  await expect(page.getByLabel('紹介文')).toHaveValue('保存していない文')

  await page.goto(`${articles}?q=二度押しのコピー`)
  await page.getByRole('checkbox', { name: '「二度押しのコピー」を選択' }).click({ force: true })
  await page
    .getByRole('region', { name: '選択したコンテンツの操作' })
    .getByRole('button', { name: '複製する' })
    .click()
  await expect(page.getByText('「二度押しのコピーのコピー」を下書きとして作成しました')).toBeVisible()
  await expect(page.getByLabel('題名')).toHaveValue('二度押しのコピーのコピー')
})

test('the list keeps its search, order and scroll position, and the editor follows the order of the list', {
  tag: '@full',
}, async ({ page, app }) => {
  const titles = Array.from({ length: 30 }, (_, n) => `順番 ${String(n + 1).padStart(2, '0')}`)
  await Promise.all(titles.map((title) => create(page, app.url, { title })))
  await page.goto(`${articles}?q=順番&sort=title`)
  const grid = page.getByRole('grid')
  await expect(row(page, '順番 01')).toBeVisible()

  // Selecting a row does not move other rows.
  const before = await row(page, '順番 02').boundingBox()
  await page.getByRole('checkbox', { name: '「順番 01」を選択' }).click({ force: true })
  await expect(page.getByText('1件を選択中')).toBeVisible()
  expect(await row(page, '順番 02').boundingBox()).toEqual(before)
  await cell(page, '順番 05').click({ modifiers: ['Shift'] })
  await expect(page.getByText('5件を選択中')).toBeVisible()
  expect(await page.evaluate(() => String(getSelection()))).toBe('')
  await page.keyboard.press('Escape')

  await grid.evaluate((element) => element.scrollTo(0, 460))
  await expect(row(page, '順番 18')).toBeVisible()
  await cell(page, '順番 18').click()
  await expect(page.getByLabel('題名')).toHaveValue('順番 18')
  await page.getByRole('button', { name: '次のコンテンツ' }).click()
  await expect(page.getByLabel('題名')).toHaveValue('順番 19')
  await page.getByRole('button', { name: '前のコンテンツ' }).click()
  await expect(page.getByLabel('題名')).toHaveValue('順番 18')
  await page.getByRole('link', { name: '一覧に戻る' }).click()
  await expect(page).toHaveURL(/q=.+&sort=title/)
  await expect(page.getByText('30件が見つかりました')).toBeVisible()
  await expect.poll(() => grid.evaluate((element) => element.scrollTop)).toBe(460)
})

test('a document that was deleted elsewhere is restored from its editor, or saved as a new document', {
  tag: '@full',
}, async ({ page, app }) => {
  const id = await create(page, app.url, { title: '消される', slug: 'gone' })
  const remove = () => send(page.request, app.url, `${api}/bulkDelete`, { documentIds: [id] })
  await page.goto(`${articles}/${id}`)
  await page.getByLabel('紹介文').fill('書きかけ')
  await remove()
  await page.keyboard.press('ControlOrMeta+s')
  const notice = page.getByRole('alert').filter({ hasText: 'このコンテンツは削除されています' })
  await expect(notice).toBeVisible()
  await expect(page.getByText('削除済み').first()).toBeVisible()
  await notice.getByRole('button', { name: 'ゴミ箱から戻して編集を続ける' }).click()
  await expect(notice).toBeHidden()
  await page.keyboard.press('ControlOrMeta+s')
  await expect(page.getByText('に保存済み')).toBeVisible()
  expect((await (await page.request.get(`${api}/${id}`)).json()).document.lead).toBe('書きかけ')

  await page.getByLabel('紹介文').fill('書きなおし')
  await remove()
  await page.keyboard.press('ControlOrMeta+s')
  await notice.getByRole('button', { name: '新しいコンテンツとして保存' }).click()
  await expect(page).not.toHaveURL(new RegExp(id))
  await expect(page.getByText('に保存済み')).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('題名')).toHaveValue('消される')
  await expect(page.getByLabel('紹介文')).toHaveValue('書きなおし')
})

test('unsaved input is restored after the session has ended and the user has logged in again', async ({
  page,
  app,
  context,
}) => {
  const id = await create(page, app.url, { title: '途中で切れる' })
  await page.goto(`${articles}/${id}`)
  await page.getByLabel('紹介文').fill('切れる前に書いた')
  await context.clearCookies()
  await page.keyboard.press('ControlOrMeta+s')
  await expect(page).toHaveURL(/\/login/)
  await expect(page.getByText('入力中の内容はこのブラウザーに残っています').last()).toBeVisible()
  await page.getByLabel('メールアドレス').fill(person.email)
  await page.getByLabel('パスワード', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'ログイン', exact: true }).click()
  await expect(page).toHaveURL(new RegExp(id))
  await expect(page.getByLabel('紹介文')).toHaveValue('切れる前に書いた')
  await expect(page.getByText('ログイン前に入力していた内容を復元しました')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+s')
  await expect(page.getByText('に保存済み')).toBeVisible()
})

test('publishing with a draft reference and unpublishing a referenced document require confirmation', {
  tag: '@full',
}, async ({ page, app }) => {
  const docs = '/api/project/flow/app/blog/model/author/doc'
  const author = await create(page, app.url, { name: '下書きの著者' }, 'SAVE', docs)
  const id = await create(page, app.url, { title: '参照する記事', by: author })
  await page.goto(`${articles}/${id}`)
  await page.getByRole('button', { name: '公開する' }).click()
  const ask = page.getByRole('dialog', { name: '参照先に下書きがあります' })
  await expect(ask).toContainText('「下書きの著者」は公開されていません')
  await ask.getByRole('button', { name: 'キャンセル' }).click()
  expect(await statusOf(page, id)).toBe('draft')
  await page.getByRole('button', { name: '公開する' }).click()
  await ask.getByRole('button', { name: 'このまま公開する' }).click()
  await expect(page.getByText('公開しました')).toBeVisible()

  for (const n of [1, 2, 3]) await create(page, app.url, { title: `参照 ${n}`, by: author })
  const bar = page.getByRole('region', { name: '選択したコンテンツの操作' })
  await page.goto(`${articles}?q=参照`)
  await page.getByRole('checkbox', { name: '表示中の4件を選択' }).check()
  await bar.getByRole('button', { name: '公開する' }).click()
  await expect(page.getByRole('dialog')).toContainText(
    '参照先に、公開されていないコンテンツが1件あります（「下書きの著者」）。',
  )
  await page.getByRole('dialog').getByRole('button', { name: 'キャンセル' }).click()
  await send(page.request, app.url, `${docs}/bulkPublish`, { documentIds: [author] })
  await page.goto('/flow/blog/author')
  await page.getByRole('checkbox', { name: '表示中の1件を選択' }).check()
  await bar.getByRole('button', { name: '下書きに切り替える' }).click()
  await expect(page.getByRole('dialog')).toContainText(
    'ほかのコンテンツ4件から参照されています（「参照 3」、「参照 2」、「参照 1」ほか1件）。',
  )
  await page.getByRole('dialog').getByRole('button', { name: 'キャンセル' }).click()
  await page.goto(`/flow/blog/author/${author}`)
  await page.getByRole('button', { name: 'その他の操作' }).click()
  await page.getByRole('menuitem', { name: /^下書きに切り替える/ }).click()
  await expect(page.getByRole('dialog')).toContainText(
    '4件のコンテンツがこのコンテンツを参照しています（「参照 3」、「参照 2」、「参照 1」ほか1件）。',
  )
  // The author was deleted in the meantime, so the dialog shows why the request failed.
  await send(page.request, app.url, `${docs}/bulkDelete`, { documentIds: [author] })
  await page.getByRole('dialog').getByRole('button', { name: '下書きに切り替える' }).click()
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('見つかりませんでした')
})

test('bulk publishing reports published and unchanged documents separately', { tag: '@full' }, async ({
  page,
  app,
}) => {
  await create(page, app.url, { title: '済み、甲' }, 'PUBLISH')
  await create(page, app.url, { title: '済み、乙' })
  await page.goto(`${articles}?q=済み`)
  const bar = page.getByRole('region', { name: '選択したコンテンツの操作' })
  const publishBoth = async () => {
    await page.getByRole('checkbox', { name: '表示中の2件を選択' }).check()
    await bar.getByRole('button', { name: '公開する' }).click()
    await page.getByRole('dialog').getByRole('button', { name: '公開する' }).click()
  }
  await publishBoth()
  await expect(page.getByText('1件を公開しました（変更のない1件はそのままです）')).toBeVisible()
  await publishBoth()
  await expect(page.getByText('2件とも公開済みの内容から変更がありません')).toBeVisible()
})

test('a click at the right edge of a row in the reference dialog chooses the document', {
  tag: '@full',
}, async ({ page, app }) => {
  const docs = '/api/project/flow/app/blog/model/author/doc'
  await create(page, app.url, { name: '行の著者' }, 'PUBLISH', docs)
  await page.goto(`${articles}/new`)
  await expect(page.getByLabel('題名')).toBeFocused()
  // Some users keep the mouse button pressed for this long. Meanwhile, the title field loses the focus and may show a
  // message, which must not move the button away from the pointer.
  await page.getByRole('button', { name: 'コンテンツを選ぶ' }).click({ delay: 500 })
  const choice = page.getByRole('dialog').getByRole('radio', { name: '行の著者' })
  const right = page.getByRole('dialog').getByRole('button', { name: '新しく作る' })
  await expect(choice).toBeVisible()
  const [row, edge] = await Promise.all([choice.boundingBox(), right.boundingBox()])
  if (!row || !edge) throw new Error('Both are in sight')
  await page.mouse.click(edge.x + edge.width - 12, row.y + row.height / 2)
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page.getByText('行の著者')).toBeVisible()
})

test('a link and a click outside a dialog do not discard unsaved input', { tag: '@full' }, async ({
  page,
}) => {
  await page.goto('/flow/-/settings')
  await page.getByLabel('スペース名').fill('池の名前')
  await page.getByRole('link', { name: 'メンバー' }).click()
  const leave = page.getByRole('dialog', { name: '保存していない変更があります' })
  await expect(leave.getByRole('button', { name: '編集を続ける' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('スペース名')).toHaveValue('池の名前')
  await page.getByLabel('スペース名').fill('池')

  await page.getByRole('navigation').getByRole('link', { name: 'ホーム' }).click()
  await page.getByRole('link', { name: '新しいApp' }).click()
  await page.getByRole('button', { name: '空のApp' }).click()
  const dialog = page.getByRole('dialog', { name: '新しいApp' })
  // Words that are not in the dictionary are romanised from the typed reading.
  await dialog.getByLabel('App名').focus()
  await typeJapanese(page, 'いけだや', '池田屋')
  await expect(dialog.getByLabel('App名')).toHaveValue('池田屋')
  await expect(dialog.getByLabel('App UID')).toHaveValue('ikedaya')
  await dialog.getByLabel('App名').fill('イモリの写真')
  await expect(dialog.getByLabel('App UID')).toHaveValue('imori-photo')
  await page.mouse.click(10, 400)
  await expect(dialog.getByLabel('App名')).toHaveValue('イモリの写真')
})

test('an admin reorders models, and the page of a missing app says that the app does not exist', {
  tag: '@full',
}, async ({ page }) => {
  await page.goto('/flow/blog')
  const models = page.getByRole('list', { name: 'モデル' }).getByRole('heading')
  await expect(models).toHaveText(['著者', '記事'])
  await page.getByRole('button', { name: '「記事」の操作' }).click()
  await expectAccessible(page, 'menu of a model')
  await page.getByRole('menuitem', { name: '左に移動' }).click()
  await expect(models).toHaveText(['記事', '著者'])
  await page.reload()
  await expect(models).toHaveText(['記事', '著者'])
  await expect(page.getByRole('navigation').getByRole('link', { name: /^(記事|著者)$/ })).toHaveText([
    '記事',
    '著者',
  ])
  await page.getByRole('button', { name: '「記事」の操作' }).click()
  await page.getByRole('menuitem', { name: 'モデルを並べ替える' }).click()
  const dialog = page.getByRole('dialog', { name: 'モデルを並べ替える' })
  await dialog.getByRole('button', { name: '「著者」を移動' }).focus()
  await page.keyboard.press('Space')
  await expectPickedUp(page, '著者')
  await page.keyboard.press('ArrowUp')
  await expect(page.getByText('「著者」は2件中1番目です')).toBeAttached()
  await page.keyboard.press('Space')
  await expectAccessible(page, 'order of models')
  await dialog.getByRole('button', { name: '閉じる' }).last().click()
  await expect(models).toHaveText(['著者', '記事'])
  await page.goto('/flow/secret')
  await expect(page.getByRole('heading', { name: 'このAppはありません' })).toBeVisible()
  await expect(page.getByRole('button', { name: '参加をリクエストする' })).toBeHidden()
})

test('a list that could not be loaded is not shown as empty', { tag: '@full' }, async ({ page }) => {
  await page.goto('/flow/blog')
  await page.route(`**${api}?*`, (route) => route.abort())
  await page.getByRole('list', { name: 'モデル' }).getByRole('link', { name: '記事' }).click()
  await expect(page.getByText('読み込めませんでした')).toBeVisible()
  await expect(page.getByText('全0件')).toBeHidden()
})

test('the lists of documents, media and members report a lost connection until it is restored', {
  tag: '@full',
}, async ({ page }) => {
  const search = (name: string) => async () => {
    await page.getByRole('searchbox', { name }).fill('ない言葉')
  }
  const lists: [string, () => Promise<void>][] = [
    ['/flow/blog/article', search('キーワードで検索')],
    ['/flow/-/assets', search('キーワードで検索')],
    ['/flow/-/members', search('名前・メールアドレスで検索')],
  ]
  for (const [address, ask] of lists) {
    await page.goto(address)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await page.context().setOffline(true)
    await ask()
    const problem = page.getByRole('alert').filter({ hasText: 'サーバーに接続できません' })
    await expect(problem, address).toBeVisible()
    await expect(page.getByText('件が見つかりました')).toBeHidden()
    await page.context().setOffline(false)
    await expect(problem, address).toBeHidden()
  }
})

test('the button 最初の箇所を開く focuses the invalid setting of a field', { tag: '@full' }, async ({
  page,
}) => {
  await page.goto(`${articles}/-/model`)
  await page.locator('[data-field-key]').nth(1).click()
  const drawer = page.getByRole('dialog', { name: 'フィールドの設定' })
  await drawer.getByLabel('最小文字数').fill('9')
  await drawer.getByLabel('最大文字数').fill('3')
  await drawer.getByRole('button', { name: '完了' }).click()
  await page.keyboard.press('ControlOrMeta+s')
  await page.getByRole('button', { name: '最初の箇所を開く' }).click()
  await expect(drawer.getByLabel('最大文字数')).toBeFocused()
})

test('a model change that lost values is undone, and another change is confirmed, on the page of the model', {
  tag: '@full',
}, async ({ page, app }) => {
  const docs = '/api/project/flow/app/blog/model/author/doc'
  const id = await create(page, app.url, { name: '新美南吉' }, 'PUBLISH', docs)
  const model = '/api/project/flow/app/blog/model/author'
  const change = async () => {
    const [field] = (await (await page.request.get(model)).json()).model.fields
    const fields = [{ _id: field._id, uid: field.uid, name: field.name, type: 'NUMBER' }]
    await send(page.request, app.url, model, { data: { fields }, acceptLoss: true }, 'PUT')
  }
  const nameOf = async () => (await (await page.request.get(`${docs}/${id}`)).json()).document.name
  await change()
  expect(await nameOf()).toBeUndefined()
  await page.goto('/flow/blog/author/-/model')
  const notice = page.getByRole('alert').filter({ hasText: 'まで元に戻せます' })
  await expect(notice).toContainText('「名前」の種類の変更（テキスト → 数値）')
  await expectAccessible(page, 'a change of fields that can be taken back')
  await notice.getByRole('button', { name: '元に戻す' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '元に戻す' }).click()
  await expect(page.getByText('フィールドの変更を元に戻しました')).toBeVisible()
  await expect(notice).toBeHidden()
  expect(await nameOf()).toBe('新美南吉')

  await change()
  await page.reload()
  await notice.getByRole('button', { name: '変更を確定する' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '変更を確定する' }).click()
  await expect(notice).toBeHidden()
})
