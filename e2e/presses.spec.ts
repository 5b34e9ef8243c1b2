import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { enter } from './management-api.ts'

const text = (uid: string, name: string, more: object = {}) => ({ uid, name, type: 'TEXT', ...more })

test.beforeEach(({ page, app }) =>
  enter(page.request, app.url, [
    {
      uid: 'note',
      name: 'メモ',
      fields: [text('title', '題名', { required: true }), text('memo', 'メモ書き')],
    },
  ]),
)

/** Presses the upper edge, which a message above the element would move away first. */
async function press(page: Page, target: Locator, by: 'mouse' | 'finger') {
  await target.scrollIntoViewIfNeeded()
  const box = await target.boundingBox()
  if (!box) throw new Error('The target is visible')
  const [x, y] = [box.x + 10, box.y + 2]
  if (by === 'finger') await page.touchscreen.tap(x, y)
  else await page.mouse.click(x, y)
}

async function addField(page: Page, type: RegExp) {
  await page.goto('/pond/blog/note/-/model')
  await page.getByRole('button', { name: 'フィールドを追加' }).click()
  await page.getByRole('button', { name: type }).click()
  const drawer = page.getByRole('dialog', { name: 'フィールドの設定' })
  await expect(drawer.getByLabel('フィールド名')).toBeFocused()
  return drawer
}

for (const by of ['mouse', 'finger'] as const)
  test.describe(by, () => {
    test.use({ hasTouch: by === 'finger', viewport: { width: 390, height: 800 } })

    test('a press below a field that it makes invalid is a click', async ({ page }) => {
      const drawer = await addField(page, /^マルチタイプ/)
      await press(page, drawer.getByRole('button', { name: '種類を追加' }), by)
      await expect(page.getByRole('dialog', { name: '追加するブロック' })).toBeVisible()
      await expect(drawer.getByText('入力してください')).toBeVisible()
    })

    test('a press below a message of two lines is a click', async ({ page }) => {
      const drawer = await addField(page, /^テキスト/)
      const message = drawer.getByText(/^正規表現として正しくないか/)
      await drawer.getByLabel('正規表現').fill('(?=池)')
      await press(page, drawer.getByText('半分', { exact: true }), by)
      await expect(drawer.getByRole('radio', { name: '半分' })).toBeChecked()
      await expect(message).toBeVisible()
      expect((await message.boundingBox())?.height).toBeGreaterThan(20)
    })
  })
