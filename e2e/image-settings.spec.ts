import { expectAccessible } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { enter } from './management-api.ts'

test('an admin of a space saves a list of permitted image widths, and renews the signing key', async ({
  page,
  app,
}) => {
  await enter(page.request, app.url, 'image-settings', [])
  const saved = async () =>
    (await (await page.request.get('/api/project/image-settings/imageSettings')).json()).imageSettings
  const before = await saved()
  await page.goto('/image-settings/-/settings')
  await page.getByRole('link', { name: '画像の配信' }).click()
  await expect(page.getByRole('heading', { name: '画像の配信', level: 1 })).toBeVisible()
  await page.getByRole('textbox', { name: '画質' }).fill('65')
  await page.getByRole('radio', { name: '決めた幅にだけ変換できる' }).check()
  const widths = page.getByLabel('幅（ピクセル）')
  await widths.fill('640px')
  await page.getByRole('button', { name: '保存' }).click()
  await expect(widths).toBeFocused()
  await expect(page.getByText('1〜5000の数を、カンマで区切って入力してください')).toBeVisible()
  await expectAccessible(page, 'picture delivery')
  await widths.fill('１２８０、640')
  await page.getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('画像の配信の設定を保存しました')).toBeVisible()
  expect(await saved()).toEqual({ ...before, quality: 65, transforms: 'widths', widths: [640, 1280] })

  await page.getByRole('button', { name: '鍵を作り直す' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '鍵を作り直す' }).click()
  await expect(page.getByText('鍵を作り直しました')).toBeVisible()
  const after = await saved()
  expect(after.signingKey).not.toBe(before.signingKey)
  expect(after.widths).toEqual([640, 1280])
  await expect(page.getByLabel('鍵', { exact: true })).toHaveValue(after.signingKey)
})
