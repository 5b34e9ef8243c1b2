import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { enter, send } from './management-api.ts'

const text = (uid: string, name: string, more: object = {}) => ({ uid, name, type: 'TEXT', ...more })

test.beforeEach(({ page, app }) =>
  enter(page.request, app.url, 'presses', [
    {
      uid: 'note',
      name: 'メモ',
      fields: [text('title', '題名', { required: true }), text('memo', 'メモ書き')],
    },
  ]),
)

/** Presses the upper edge of the target. A message above the target would move the edge away first. */
async function press(page: Page, target: Locator, by: 'mouse' | 'finger') {
  await target.scrollIntoViewIfNeeded()
  const box = await target.boundingBox()
  if (!box) throw new Error('The target is visible')
  const [x, y] = [box.x + 10, box.y + 2]
  if (by === 'finger') await page.touchscreen.tap(x, y)
  else await page.mouse.click(x, y)
}

async function addField(page: Page, type: RegExp) {
  await page.goto('/presses/blog/note/-/model')
  await page.getByRole('button', { name: 'フィールドを追加' }).click()
  await page.getByRole('button', { name: type }).click()
  const drawer = page.getByRole('dialog', { name: 'フィールドの設定' })
  await expect(drawer.getByLabel('フィールド名')).toBeFocused()
  return drawer
}

/** Expects that the message appears and that `below` does not move. */
async function expectNothingMoves(below: Locator, message: Locator, act: () => Promise<unknown>) {
  await expect(below).toBeVisible()
  const before = await below.boundingBox()
  await act()
  await expect(message.first()).toBeVisible()
  expect(await below.boundingBox()).toEqual(before)
}

/** Returns the distance of a message from its input, and the font size of the message. */
async function lookOfMessage(input: Locator, message: Locator) {
  const [above, box] = [await input.boundingBox(), await message.boundingBox()]
  const size = await message.evaluate((element) => getComputedStyle(element).fontSize)
  return { gap: Math.round((box?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0)), size }
}

for (const by of ['mouse', 'finger'] as const)
  test.describe(by, () => {
    test.use({ hasTouch: by === 'finger', viewport: { width: 390, height: 800 } })

    test('a press below a field that becomes invalid counts as a click', async ({ page }) => {
      const drawer = await addField(page, /^マルチタイプ/)
      await press(page, drawer.getByRole('button', { name: '種類を追加' }), by)
      await expect(page.getByRole('dialog', { name: 'ブロックの種類を選択' })).toBeVisible()
      await expect(drawer.getByText('入力してください')).toBeVisible()
    })

    test('a press below a message of two lines counts as a click', async ({ page }) => {
      const drawer = await addField(page, /^テキスト/)
      const message = drawer.getByText(/^正規表現として正しくないか/)
      await drawer.getByLabel('正規表現').fill('(?=池)')
      await press(page, drawer.getByText('半分', { exact: true }), by)
      await expect(drawer.getByRole('radio', { name: '半分' })).toBeChecked()
      await expect(message).toBeVisible()
      expect((await message.boundingBox())?.height).toBeGreaterThan(20)
    })
  })

test('one-line error messages of four forms do not move the element below them when they appear', async ({
  page,
  browser,
  baseURL,
}) => {
  const guest = await browser.newPage()
  await guest.goto(`${baseURL}/login`)
  const logIn = guest.getByRole('button', { name: 'ログイン', exact: true })
  const required = guest.getByText('入力してください')
  await expectNothingMoves(logIn, required, () => logIn.click())
  const plain = await lookOfMessage(guest.getByLabel('メールアドレス'), required.first())
  await guest.close()

  await page.goto('/presses/-/api-keys')
  await page.getByRole('button', { name: '作成' }).first().click()
  const dialog = page.getByRole('dialog')
  const create = dialog.getByRole('button', { name: 'キーを作成する' })
  await expectNothingMoves(create, dialog.getByText('入力してください'), () => create.click())

  const drawer = await addField(page, /^マルチタイプ/)
  await expectNothingMoves(
    drawer.getByRole('button', { name: '種類を追加' }),
    drawer.getByText('入力してください'),
    () => page.keyboard.press('Tab'),
  )

  await page.goto('/presses/blog/note/new')
  await page.getByLabel('題名').focus()
  await expectNothingMoves(page.getByLabel('メモ書き'), page.getByText('入力してください'), () =>
    page.keyboard.press('Tab'),
  )
  const message = page.getByText('入力してください').last()
  expect(await lookOfMessage(page.getByLabel('題名'), message)).toEqual(plain)
})

test('the one-line hint of a slug field does not move the field below, and an error message replaces it', async ({
  page,
  app: { url },
}) => {
  const model = '/api/project/presses/app/blog/model/note'
  const { fields } = (await (await page.request.get(`${url}${model}`)).json()).model
  const slug = text('slug', 'スラッグ', { slugOf: fields[0]._id, pattern: '[a-z]+' })
  const data = { fields: [fields[0], slug, ...fields.slice(1)] }
  await send(page.request, url, model, { data }, 'PUT')
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto('/presses/blog/note/new')
  await expect(page.getByLabel('スラッグ')).toBeVisible()
  // The first input changes the header of the page, so it comes before the measurement.
  await page.getByLabel('題名').fill('♪')
  await expect(page.getByText('未保存')).toBeVisible()
  const hint = page.getByText(/^漢字の読みが分からない/)
  await expectNothingMoves(page.getByLabel('メモ書き'), hint, () => page.getByLabel('題名').fill('秋の池'))
  expect((await hint.boundingBox())?.height).toBeLessThan(20)
  await page.getByLabel('スラッグ').fill('秋 池')
  await page.getByRole('button', { name: '自動で作る' }).click()
  await expect(page.getByText('決められた形式と違います')).toBeVisible()
  await expect(hint).toBeHidden()
})
