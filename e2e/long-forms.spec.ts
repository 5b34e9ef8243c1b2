import { expectAccessible } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { typeJapanese } from './japanese-input.ts'
import { enter } from './management-api.ts'

const text = { type: 'TEXT' }
const details = 'abcdefgh'
  .split('')
  .map((letter) => ({ uid: letter, name: `詳細${letter}`, ...text, tab: '詳細' }))
const fields = [
  { uid: 'title', name: '題名', ...text, required: true },
  { uid: 'lead', name: '紹介文', ...text, inputType: 'textarea' },
  { uid: 'body', name: '本文', type: 'RICH_TEXT' },
  { uid: 'memo', name: 'メモ', type: 'MARKDOWN' },
  ...details,
]

test('a long form has an outline; a text on another tab is gone on with, and its length told', async ({
  page,
  app,
}) => {
  await enter(page.request, app.url, [{ uid: 'event', name: '催し', fields }])
  await page.goto('/pond/blog/event/new')
  const outline = page.getByRole('navigation', { name: 'フィールド一覧' })
  const body = page.getByRole('textbox', { name: '本文' })
  await expect(body).toBeVisible()
  await body.focus()
  await typeJapanese(page, 'いけ', '池')

  // To another tab and back: what was written is there, and can be gone on with.
  await outline.getByRole('button', { name: '詳細f' }).click()
  await expect(page.getByRole('textbox', { name: '詳細f' })).toBeFocused()
  await outline.getByRole('button', { name: '本文' }).click()
  await expect(body).toBeFocused()
  await page.keyboard.press('End')
  await typeJapanese(page, 'のみず', 'の水')
  await expect(body).toHaveText('池の水')

  await expect(page.getByText('3文字')).toBeVisible()

  await page.getByRole('button', { name: '公開する' }).first().click()
  await expect(outline.getByRole('button', { name: /^題名 ?（入力内容に誤りがあります）/ })).toBeVisible()
  await expectAccessible(page, 'long form')
})

test('fields that are changed and not saved are marked', async ({ page, app }) => {
  await enter(page.request, app.url, [{ uid: 'event', name: '催し', fields }])
  await page.goto('/pond/blog/event/-/model')
  const row = (uid: string) =>
    page.locator('[data-field-key]').filter({ has: page.locator('code', { hasText: uid }) })
  await row('lead').click()
  await page.getByRole('dialog').getByRole('switch', { name: '必須' }).check({ force: true })
  await page.keyboard.press('Escape')
  await expect(row('lead')).toContainText('未保存の変更')
  await expect(row('memo')).not.toContainText('未保存の変更')
  await page.keyboard.press('ControlOrMeta+s')
  await expect(row('lead')).not.toContainText('未保存の変更')
})
