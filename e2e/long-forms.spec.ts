import { expectAccessible } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { beginJapanese, typeJapanese } from './japanese-input.ts'
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

test('a long form keeps text when the user switches between its tabs, and shows the number of characters', {
  tag: '@full',
}, async ({ page, app }) => {
  await enter(page.request, app.url, 'long-forms', [{ uid: 'event', name: '催し', fields }])
  await page.goto('/long-forms/blog/event/new')
  const outline = page.getByRole('navigation', { name: 'フィールド一覧' })
  const body = page.getByRole('textbox', { name: '本文' })
  await expect(body).toBeVisible()
  await body.focus()
  await typeJapanese(page, 'いけ', '池')

  // The text is kept after switching to another tab and back, and typing continues in it.
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

test('full-screen editing keeps the text and its undo history, and each Escape closes one layer', {
  tag: '@full',
}, async ({ page, app }) => {
  await enter(page.request, app.url, 'long-forms', [{ uid: 'event', name: '催し', fields }])
  await page.goto('/long-forms/blog/event/new')
  const body = page.getByRole('textbox', { name: '本文' })
  await expect(body).toBeVisible()
  await body.focus()
  for (let line = 1; line <= 30; line++) {
    await page.keyboard.type(`段落${line}`)
    await page.keyboard.press('Enter')
  }
  const full = page.getByRole('dialog', { name: '本文（全画面）' })
  /** Waits until the line with the caret is visible between the toolbar and the character count below the text. */
  const seesCaret = () =>
    expect(async () => {
      const place = await page.evaluate(() => {
        const line = getSelection()?.focusNode?.parentElement?.getBoundingClientRect()
        return { top: line?.top ?? -1, bottom: line?.bottom ?? -1 }
      })
      const bar = await full.getByRole('toolbar', { name: '書式' }).boundingBox()
      const count = await full.getByText(/^[\d,]+文字/).boundingBox()
      if (!bar || !count) throw new Error('Both are in sight')
      expect(place.top).toBeGreaterThanOrEqual(bar.y + bar.height)
      expect(place.bottom).toBeLessThanOrEqual(count.y)
    }).toPass()
  for (const [width, height] of [
    [1280, 800],
    [390, 700],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.keyboard.type('前')
    await page.keyboard.press('ControlOrMeta+Shift+f')
    await expect(full).toBeVisible()
    await expect(body).toBeFocused()
    expect(await full.boundingBox()).toEqual({ x: 0, y: 0, width, height })
    await typeJapanese(page, 'いけ', '池')
    await seesCaret()
    await expectAccessible(page, `full screen, ${width}`)
    // Each Escape ends only one of these: the composition, the menu, the dialog for links, and the full screen.
    await beginJapanese(page, 'みず')
    await page.keyboard.press('Escape')
    await expect(full).toBeVisible()
    await typeJapanese(page, 'みず', '水')
    await page.keyboard.type(' /')
    await expect(page.getByRole('listbox', { name: '挿入' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('listbox', { name: '挿入' })).toHaveCount(0)
    for (const _ of ' /') await page.keyboard.press('Backspace')
    await page.keyboard.press('ControlOrMeta+k')
    await expect(page.getByRole('dialog', { name: 'リンク' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog', { name: 'リンク' })).toHaveCount(0)
    await expect(full).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(full).toHaveCount(0)
    await expect(body).toBeFocused()
    await expect(body).toHaveText(/前池水$/)
    // The undo history is kept. The number of steps depends on the typing speed.
    let steps = 0
    await expect(async () => {
      await page.keyboard.press('ControlOrMeta+z')
      steps += 1
      await expect(body).not.toHaveText(/前池水$/, { timeout: 500 })
    }).toPass()
    for (; steps > 0; steps--) await page.keyboard.press('ControlOrMeta+Shift+z')
    await expect(body).toHaveText(/前池水$/)
    await page.keyboard.press('ControlOrMeta+End')
  }
  await page.setViewportSize({ width: 1280, height: 800 })

  // Markdown keeps its view mode, and Tab stays inside the dialog.
  const memo = page.getByRole('textbox', { name: 'メモ' })
  await memo.click()
  await page.keyboard.type('**池**')
  await page.getByRole('button', { name: '全画面で編集' }).nth(2).click()
  const memoFull = page.getByRole('dialog', { name: 'メモ（全画面）' })
  await expect(memo).toBeFocused()
  await memoFull.getByText('並べて表示').click()
  await expect(memoFull.locator('strong')).toHaveText('池')
  for (let stop = 0; stop < 25; stop++) {
    await page.keyboard.press('Tab')
    expect(await memoFull.evaluate((frame) => frame.contains(document.activeElement))).toBe(true)
  }
  await memoFull.getByRole('button', { name: '全画面を終了' }).click()
  await expect(memoFull).toHaveCount(0)
  await expect(page.locator('strong').filter({ hasText: '池' })).toBeVisible()

  // Full-screen editing also works for a plain long text.
  const lead = page.getByRole('textbox', { name: '紹介文' })
  await lead.focus()
  await page.keyboard.press('ControlOrMeta+Shift+f')
  const leadFull = page.getByRole('dialog', { name: '紹介文（全画面）' })
  await typeJapanese(page, 'いけ', '池')
  await expect(leadFull.getByText('1文字')).toBeInViewport()
  const box = await lead.boundingBox()
  expect(box?.height).toBeGreaterThan(700)
  await page.keyboard.press('Escape')
  await expect(leadFull).toHaveCount(0)
  await expect(lead).toBeFocused()
  await expect(lead).toHaveValue('池')
})

test('a field with unsaved changes is marked on the page of its model', { tag: '@full' }, async ({
  page,
  app,
}) => {
  await enter(page.request, app.url, 'long-forms', [{ uid: 'event', name: '催し', fields }])
  await page.goto('/long-forms/blog/event/-/model')
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
