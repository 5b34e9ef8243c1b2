import type { Browser, BrowserContext, Page } from '@playwright/test'
import pg from 'pg'
import sharp from 'sharp'
import type { App } from './app.ts'
import { expectAccessible } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { enter, send } from './management-api.ts'
import { expectPickedUp } from './moving.ts'
import { photograph } from './photograph.ts'

test.describe.configure({ mode: 'serial' })

const other = { email: 'sora@example.com', password: 'いもりは空を見る2026', name: '佐藤 空' }
const list = '/views/blog/event'
const docs = '/api/project/views/app/blog/model/event/doc'

let main: App
test.beforeEach(({ app }) => {
  main = app
})

async function visit(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<{ page: Page; context: BrowserContext }> {
  const context = await browser.newContext({ baseURL: main.url, reducedMotion: 'reduce', ...options })
  return { page: await context.newPage(), context }
}

/**
 * Checks, in both colour schemes and on a phone, that the page has no horizontal overflow and no serious violation
 * found by axe.
 */
async function look(page: Page, screen: string): Promise<void> {
  const size = page.viewportSize()
  for (const [width, colorScheme] of [
    [390, 'light'],
    [1280, 'dark'],
    [1280, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const rules = colorScheme === 'light' ? 'all' : 'colors'
    await expectAccessible(page, `${screen}, ${width}, ${colorScheme}`, rules)
    await photograph(page, `${screen}-${width}-${colorScheme}`)
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(overflow, `${screen} ${width}`).toBeLessThanOrEqual(0)
  }
  if (size) await page.setViewportSize(size)
}

const tabs = (page: Page) => page.getByRole('navigation', { name: /^(ビュー|Views)$/ })
const tab = (page: Page, name: string) => tabs(page).getByRole('link', { name: new RegExp(`^${name}`) })
const day = (page: Page, date: string) =>
  page.getByRole('cell').filter({ has: page.locator(`time[datetime="${date}"]`) })
const entry = (page: Page, date: string, name: string) => day(page, date).getByRole('button', { name })

async function askForView(page: Page, name: string, type: string, who: string): Promise<void> {
  await tabs(page).getByRole('button', { name: 'ビューを追加' }).click()
  const dialog = page.getByRole('dialog', { name: 'ビューを追加' })
  await dialog.getByLabel('名前').fill(name)
  await dialog.getByRole('combobox', { name: '表示方法' }).click()
  await page.getByRole('option', { name: type }).click()
  await dialog.getByRole('radio', { name: who }).check()
  await dialog.getByRole('button', { name: '追加する' }).click()
}

async function addView(page: Page, name: string, type: string, who: string): Promise<void> {
  await askForView(page, name, type, who)
  await expect(tab(page, name)).toHaveAttribute('aria-current', 'page')
}

test('views are created, changed, saved, ordered and deleted, and a calendar moves documents', {
  tag: '@full',
}, async ({ browser }) => {
  const { page, context } = await visit(browser)
  await enter(page.request, main.url, 'views', [
    {
      uid: 'person',
      name: '人',
      fields: [{ uid: 'name', name: '名前', type: 'TEXT' }],
    },
    {
      uid: 'event',
      name: '催し',
      fields: [
        { uid: 'title', name: '題名', type: 'TEXT' },
        { uid: 'heldOn', name: '開催日', type: 'DATE', inputType: 'date' },
        { uid: 'photo', name: '写真', type: 'IMAGE' },
        { uid: 'price', name: '料金', type: 'NUMBER', max: 1000 },
        { uid: 'host', name: '主催', type: 'REFERENCE', modelUid: 'person' },
        { uid: 'parts', name: '部品', type: 'MULTI_TYPE', multiple: true, types: [{ type: 'TEXT' }] },
      ],
    },
  ])
  const people = '/api/project/views/app/blog/model/person/doc'
  const { document: host } = await send(page.request, main.url, people, { document: { name: '佐藤 空' } })
  const buffer = await sharp({ create: { width: 320, height: 200, channels: 3, background: '#2a7f62' } })
    .jpeg()
    .toBuffer()
  const { csrfToken } = await (await page.request.get('/api/auth/csrfToken')).json()
  const uploaded = await page.request.post('/api/project/views/assets', {
    headers: { origin: main.url, 'x-csrf-token': csrfToken },
    multipart: { file: { name: '池.jpg', mimeType: 'image/jpeg', buffer } },
  })
  const [{ asset }] = (await uploaded.json()).results
  // The current month in the browser's time zone, which is set in playwright.config.ts.
  const month = new Date().toLocaleDateString('sv', { timeZone: 'Asia/Tokyo' }).slice(0, 7)
  const make = (title: string, date: string, price: number) =>
    send(page.request, main.url, docs, {
      document: {
        title,
        heldOn: `${date}T00:00:00.000Z`,
        price,
        ...(price > 0
          ? { photo: asset._id, host: host._id, parts: [{ type: 'TEXT', data: `${title}の案内` }] }
          : {}),
      },
    })
  await make('イモリ観察会', `${month}-10`, 500)
  await make('池の掃除', `${month}-12`, 0)
  await make('昔の祭り', '2020-05-05', 300)

  await page.goto(list)
  // The list is filtered by a date in this month, then also by a price of at least 500. Finally, one of the two
  // conditions is enough.
  await page.getByRole('button', { name: '絞り込み' }).click()
  const filters = page.getByRole('dialog', { name: '絞り込み' })
  await filters.getByRole('button', { name: '条件を追加' }).click()
  const condition = (name: string) => filters.getByRole('group', { name, exact: true })
  const choose = async (where: string, box: string, option: string) => {
    await condition(where).getByRole('combobox', { name: box }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  await choose('条件1', 'フィールド', '開催日')
  await choose('条件1', '比較', 'が次の期間')
  await choose('条件1', '値', '今月')
  await expect(page.getByText('2件が見つかりました')).toBeVisible()
  await filters.getByRole('button', { name: 'グループを追加' }).click()
  await choose('条件2-1', 'フィールド', '料金')
  await choose('条件2-1', '比較', 'が次以上')
  await condition('条件2-1').getByRole('textbox', { name: '値' }).fill('500')
  await expect(page.getByText('1件が見つかりました')).toBeVisible()
  await filters.getByRole('combobox', { name: '条件の組み合わせ' }).click()
  await page.getByRole('option', { name: 'いずれかの条件に一致' }).click()
  await expect(page.getByText('2件が見つかりました')).toBeVisible()
  await look(page, 'filters')
  await page.keyboard.press('Escape')

  await tabs(page).getByRole('button', { name: 'ビューとして保存' }).click()
  const dialog = page.getByRole('dialog', { name: 'ビューを追加' })
  await dialog.getByLabel('名前').fill('今月')
  await dialog.getByRole('button', { name: '追加する' }).click()
  await expect(tab(page, '今月')).toHaveAttribute('aria-current', 'page')
  await expect(page.getByText('2件が見つかりました')).toBeVisible()
  await expect(page).toHaveURL(/\?view=[0-9a-f]{24}$/)

  // A column is added, moved and resized. Until the view is saved, only the URL contains these changes.
  await page.getByRole('button', { name: '表示する列' }).click()
  await page.getByRole('checkbox', { name: '料金' }).check()
  await page.getByRole('button', { name: '「料金」を移動' }).focus()
  await page.keyboard.press('Space')
  await expectPickedUp(page, '料金')
  for (const at of [3, 2, 1]) {
    await page.keyboard.press('ArrowUp')
    await expect(page.getByText(`「料金」は4件中${at}番目です`)).toBeAttached()
  }
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: '「料金」の列を固定' }).click()
  await page.keyboard.press('Escape')
  const head = (index: number) => page.getByRole('columnheader').nth(index)
  await expect(head(2)).toHaveText('料金')
  const width = async () => (await head(2).boundingBox())?.width ?? 0
  const before = await width()
  await page.getByRole('separator', { name: '「料金」の列の幅' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect.poll(width).toBe(before + 16)
  await expect(tabs(page).getByRole('img', { name: '保存されていない変更' })).toBeVisible()
  await page.reload()
  await expect(head(2)).toHaveText('料金')
  await look(page, 'table')
  await tabs(page).getByRole('button', { name: '全員のビューに保存' }).click()
  await expect(tabs(page).getByRole('img', { name: '保存されていない変更' })).toHaveCount(0)
  await expect(head(2)).toHaveText('料金')

  // A value is edited in its cell by keyboard: refused with the field's message, then saved, then undone.
  const cell = (title: string, field: string) =>
    page.getByRole('row', { name: new RegExp(title) }).locator(`[data-field="${field}"]`)
  await page.getByRole('row', { name: /池の掃除/ }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(cell('池の掃除', 'title')).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  const price = page.getByRole('dialog', { name: '「料金」を編集' })
  await price.getByRole('textbox').fill('5000')
  await page.keyboard.press('Enter')
  await expect(price.getByText('1000以下の値を入力してください')).toBeVisible()
  await expectAccessible(page, 'cell')
  // Another user has changed the value at the same time. The typed value is kept.
  const { documents } = await (await page.request.get(`${docs}?title=池の掃除`)).json()
  await send(page.request, main.url, `${docs}/${documents[0]._id}`, { doc: { price: 20 } }, 'PUT')
  await price.getByRole('textbox').fill('40')
  await page.keyboard.press('Enter')
  await expect(price.getByRole('alert')).toContainText('このフィールドを変更しました')
  await price.getByRole('button', { name: 'この内容で上書き' }).click()
  await expect(cell('池の掃除', 'price')).toHaveText('40')
  await expect(cell('池の掃除', 'price')).toBeFocused()
  await page.getByRole('button', { name: '元に戻す' }).last().click()
  await expect(cell('池の掃除', 'price')).toHaveText('20')
  await cell('イモリ観察会', 'title').dblclick()
  const title = page.getByRole('dialog', { name: '「題名」を編集' })
  await title.getByRole('textbox').fill('イモリ観察会の夕べ')
  await page.keyboard.press('Tab')
  await expect(cell('イモリ観察会の夕べ', 'title')).toBeVisible()
  await expect(price.getByRole('textbox')).toHaveValue('500')
  await page.keyboard.press('Escape')
  await expect(price).toHaveCount(0)

  await page.getByRole('row', { name: /イモリ観察会/ }).focus()
  await page.getByRole('button', { name: /「イモリ観察会の夕べ」のステータスを変更/ }).press('Enter')
  await page.getByRole('menuitem', { name: '公開する' }).click()
  await expect(page.getByRole('row', { name: /イモリ観察会/ })).toContainText('公開中')

  await addView(page, '写真', 'ギャラリー', 'このAppの全員')
  await expect(page.getByRole('gridcell')).toHaveCount(2)
  await expect(page.getByRole('gridcell').first().locator('img')).toBeVisible()
  await look(page, 'gallery')
  // A copy is an independent view. Here it becomes a list and is then deleted.
  const actions = async (name: string, action: string) => {
    await page.getByRole('button', { name: `ビュー「${name}」の操作` }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  await actions('写真', '複製する')
  await expect(tab(page, '写真のコピー')).toHaveAttribute('aria-current', 'page')
  await actions('写真のコピー', 'ビューを編集')
  const edit = page.getByRole('dialog', { name: 'ビューを編集' })
  await edit.getByRole('combobox', { name: '表示方法' }).click()
  await page.getByRole('option', { name: 'リスト' }).click()
  await edit.getByRole('button', { name: '保存する' }).click()
  await expect(edit).toHaveCount(0)
  await expect(page.getByRole('row', { name: /池の掃除/ })).toBeVisible()
  await expectAccessible(page, 'list')
  await actions('写真のコピー', '削除する')

  await page.goto(`${list}?view=all`)
  await addView(page, '予定', 'カレンダー', '自分だけ')
  await expect(entry(page, `${month}-10`, 'イモリ観察会')).toBeVisible()
  await look(page, 'calendar')
  await entry(page, `${month}-10`, 'イモリ観察会').dragTo(day(page, `${month}-18`))
  await expect(entry(page, `${month}-18`, 'イモリ観察会')).toBeVisible()
  await entry(page, `${month}-18`, 'イモリ観察会').focus()
  await page.keyboard.press('Alt+ArrowLeft')
  await expect(entry(page, `${month}-17`, 'イモリ観察会')).toBeFocused()
  await page.getByRole('button', { name: '元に戻す' }).last().click()
  await expect(entry(page, `${month}-18`, 'イモリ観察会')).toBeVisible()
  // The calendar counts documents without a date, and a click on a day creates a document with that date.
  await send(page.request, main.url, docs, { document: { title: '日は未定' } })
  await page.reload()
  await expect(page.getByText('「開催日」が空のコンテンツが1件あります')).toBeVisible()
  await page.getByRole('link', { name: '一覧で見る' }).click()
  await expect(page.getByRole('row', { name: /日は未定/ })).toBeVisible()
  await page.goBack()
  await day(page, `${month}-20`).hover()
  await day(page, `${month}-20`)
    .getByRole('link', { name: /20日のコンテンツを作成/ })
    .click()
  await expect(page.getByRole('textbox', { name: '開催日' })).toHaveValue(/20日/)

  await page.goto(`${list}?view=all&q=${encodeURIComponent('いもり')}`)
  await expect(page.getByRole('row')).toHaveCount(2)
  await page.goto(`${list}?view=all&q=${encodeURIComponent('祭')}`)
  await expect(page.getByRole('row')).toHaveCount(2)
  await expect
    .poll(() => page.evaluate(() => [...(CSS.highlights.get('search-hit') ?? [])].map(String)))
    .toEqual(['祭'])

  // Conditions can use referenced documents and nested values. A reload keeps the conditions, because the URL contains
  // them.
  await page.goto(`${list}?view=all`)
  await page.getByRole('button', { name: '絞り込み' }).click()
  await filters.getByRole('button', { name: '条件を追加' }).click()
  // The drop-down has more fields than it can show.
  await condition('条件1').getByRole('combobox', { name: 'フィールド' }).click()
  await expect(page.getByRole('option', { name: '主催 › 名前' })).toBeVisible()
  await expectAccessible(page, 'fields to filter by')
  await choose('条件1', 'フィールド', '主催 › 名前')
  await condition('条件1').getByRole('textbox', { name: '値' }).fill('佐藤')
  await expect(page.getByText('2件が見つかりました')).toBeVisible()
  await filters.getByRole('button', { name: '条件を追加' }).click()
  await choose('条件2', 'フィールド', '部品 › 内容')
  await condition('条件2').getByRole('textbox', { name: '値' }).fill('祭り')
  await expect(page.getByText('1件が見つかりました')).toBeVisible()
  await page.reload()
  await expect(page.getByRole('row', { name: /昔の祭り/ })).toBeVisible()
  await expect(page.getByText('1件が見つかりました')).toBeVisible()
  await page.goto(`${list}?view=all&q=${encodeURIComponent('祭')}`)
  await expect(page.getByRole('row')).toHaveCount(2)

  await page.getByRole('button', { name: '書き出す' }).click()
  const loading = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'CSV（表計算ソフト用）' }).click()
  const file = await loading
  expect(file.suggestedFilename()).toBe('ブログ_催し.csv')
  const stream = await file.createReadStream()
  const text = Buffer.concat(await stream.toArray()).toString()
  expect(text).toContain('昔の祭り')
  expect(text).not.toContain('池の掃除')

  await page.goto(`${list}?view=all&sort=title`)
  // A view of one document opens the document directly.
  await askForView(page, '先頭', '1件だけ', '自分だけ')
  await expect(page).toHaveURL(/\/event\/[0-9a-f]{24}$/)
  await expect(tab(page, '先頭')).toHaveAttribute('aria-current', 'page')
  await expectAccessible(page, 'tabs above a document')
  await tab(page, 'すべて').click()
  await expect(page.getByRole('row', { name: /昔の祭り/ })).toBeVisible()
  await tab(page, '先頭').click()
  await page.getByRole('link', { name: '一覧に戻る' }).click()
  await expect(tab(page, 'すべて')).toHaveAttribute('aria-current', 'page')
  // In the list, the tab of this view is never the current one, so the view is renamed through its menu.
  await page.getByRole('button', { name: 'ビュー「先頭」の操作' }).click()
  await page.getByRole('menuitem', { name: 'ビューを編集' }).click()
  await page.getByRole('dialog').getByLabel('名前').fill('表紙')
  await page.getByRole('dialog').getByRole('button', { name: '保存' }).click()
  await expect(tab(page, '表紙')).toBeVisible()
  await expect(tab(page, 'すべて')).toHaveAttribute('aria-current', 'page')

  await tab(page, '写真').click()
  await page.getByRole('button', { name: 'ビュー「写真」の操作' }).click()
  await page.getByRole('menuitem', { name: '左に移動' }).click()
  await expect(tabs(page).getByRole('link')).toHaveText(['すべて', '写真', '今月', '予定', '表紙'])
  await page.getByRole('button', { name: 'ビュー「写真」の操作' }).click()
  await page.getByRole('menuitem', { name: '削除する' }).click()
  await expect(tab(page, '写真')).toHaveCount(0)
  await page.getByRole('button', { name: '元に戻す' }).last().click()
  await expect(tabs(page).getByRole('link')).toHaveText(['すべて', '写真', '今月', '予定', '表紙'])
  await page.getByRole('button', { name: 'ビュー「表紙」の操作' }).click()
  await page.getByRole('menuitem', { name: '削除する' }).click()
  await expect(tabs(page).getByRole('link')).toHaveText(['すべて', '写真', '今月', '予定'])
  await expect(tab(page, '写真')).toHaveAttribute('aria-current', 'page')
  await page.getByRole('button', { name: '元に戻す' }).last().click()
  await expect(tabs(page).getByRole('link')).toHaveText(['すべて', '写真', '今月', '予定', '表紙'])
  await context.close()
})

test('a member who may not change shared views saves a personal view, in English', {
  tag: '@full',
}, async ({ browser }) => {
  const { page, context } = await visit(browser, { locale: 'en-US' })
  const { name, ...credentials } = other
  await send(page.request, main.url, '/api/auth/signup', { ...credentials, name })
  const client = new pg.Client({ connectionString: main.database })
  await client.connect()
  await client.query("UPDATE account SET language = 'en' WHERE email = $1", [other.email])
  await client.query(
    `INSERT INTO space_member (space_id, id, account_id, role)
      SELECT space.id, repeat('e', 24), account.id, 'pjt-Member' FROM space, account
        WHERE space.uid = 'views' AND account.email = $1`,
    [other.email],
  )
  await client.end()
  await send(page.request, main.url, '/api/project/views/app/blog/members/join', {})

  await page.goto(list)
  await expect(tabs(page).getByRole('link')).toHaveText(['All', '写真', '今月'])
  await tab(page, '今月').click()
  await expect(page.getByText('2 documents found')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Actions for the view “今月”' })).toHaveCount(0)
  await page.getByRole('button', { name: '料金' }).click()
  await expect(tabs(page).getByRole('button', { name: 'Save for everyone' })).toHaveCount(0)
  await look(page, 'own')
  await tabs(page).getByRole('button', { name: 'Save for me' }).click()
  await expect(tabs(page).getByRole('link')).toHaveText(['All', '写真', '今月', '今月'])
  await expect(tabs(page).getByRole('img', { name: 'Only for me' })).toBeVisible()
  await expect(page.getByRole('row').nth(1)).toContainText('池の掃除')
  await context.close()

  const { page: first, context: theirs } = await visit(browser)
  await enter(first.request, main.url, 'views', [])
  await first.goto(list)
  await expect(tabs(first).getByRole('link')).toHaveText(['すべて', '写真', '今月', '予定', '表紙'])
  await theirs.close()
})

test('the status of a document and the button next to it fit into a narrow column', async ({ browser }) => {
  const { page, context } = await visit(browser)
  await enter(page.request, main.url, 'views', [])
  const model = '/api/project/views/app/blog/model'
  const fields = [{ uid: 'name', name: '名前', type: 'TEXT' }]
  await send(page.request, main.url, model, { data: { uid: 'note', name: 'メモ', fields } })
  const document = { name: '池' }
  const { document: note } = await send(page.request, main.url, `${model}/note/doc`, {
    document,
    type: 'PUBLISH',
  })
  await send(page.request, main.url, `${model}/note/doc/${note._id}`, { doc: { name: '沼' } }, 'PUT')
  const { currentAccount } = await (await page.request.get('/api/auth/getCurrentAccount')).json()
  const account = `/api/account/${currentAccount._id}`
  await page.goto('/views/blog/note')
  for (const language of ['en', 'ja']) {
    await send(page.request, main.url, account, { data: { language } }, 'PUT')
    for (const width of [undefined, 120]) {
      const columns = JSON.stringify([{ id: '_sys.status', width }])
      await page.evaluate(
        (columns) => localStorage.setItem('imori-columns/views/blog/note', columns),
        columns,
      )
      await page.reload()
      const menu = page.getByRole('button', {
        name: language === 'en' ? /status of “沼”/ : /「沼」のステータス/,
      })
      const cell = page.getByRole('gridcell').filter({ has: menu })
      const { x = 0, width: wide = 0 } = (await cell.boundingBox()) ?? {}
      const button = (await menu.boundingBox()) ?? { x: 0, width: 999 }
      const chip = (await cell.locator('.mantine-Badge-root').boundingBox()) ?? { x: 0, width: 999 }
      // The cell has a padding of 12 px.
      expect(button.x + button.width, `${language}, ${width}`).toBeLessThanOrEqual(x + wide - 12)
      expect(chip.x + chip.width, `${language}, ${width}`).toBeLessThanOrEqual(button.x)
    }
  }
  await context.close()
})
