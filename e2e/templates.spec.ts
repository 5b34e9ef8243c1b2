import type { Page } from '@playwright/test'
import { expectAccessible } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { enter, send } from './management-api.ts'
import { photograph } from './photograph.ts'

async function look(page: Page, screen: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [390, 1280]) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 900 })
      await photograph(page, `${screen}-${colorScheme}-${width}`)
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(overflow, `${screen} ${width}`).toBeLessThanOrEqual(0)
      const what = colorScheme === 'light' ? 'all' : 'colors'
      await expectAccessible(page, `${screen}, ${colorScheme}, ${width}`, what)
    }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}

const picturesAreThere = (page: Page) =>
  page.evaluate(() => {
    const shown = [...document.querySelectorAll<HTMLImageElement>('main img')]
    return shown.length > 0 && shown.every((image) => image.complete && image.naturalWidth > 0)
  })

/** Scrolls through the cards on the page, so that their lazy pictures load. */
async function scrollThrough(page: Page): Promise<void> {
  for (const card of await page.locator('main li').all()) await card.scrollIntoViewIfNeeded()
  await page.evaluate(() => scrollTo(0, 0))
}

// The second test uses the app that the first one creates.
test.describe.configure({ mode: 'serial' })
test.beforeEach(({ page, app }) => enter(page.request, app.url, 'templates', []))

test('an app is created from a template, with contents and pictures', async ({ page }) => {
  await test.step('chooses a template', async () => {
    await page.goto('/templates')
    await page.getByRole('link', { name: '新しいApp' }).first().click()
    await expect(page.getByRole('heading', { level: 1, name: '新しいApp' })).toBeVisible()
    await expect(page.getByRole('heading', { level: 2 })).toHaveCount(12)
    await expect(page.getByRole('link', { name: 'ほかのサービスから移行する' })).toHaveAttribute(
      'href',
      '/templates/-/moves',
    )
    await scrollThrough(page)
    await expect.poll(() => picturesAreThere(page)).toBe(true)
    await look(page, 'templates')
    await page.getByRole('button', { name: 'ショップ' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByLabel('App UID')).toHaveValue('shop')
    await expect(dialog.getByText('商品（8件）')).toBeVisible()
    await look(page, 'use-template')
    await dialog.getByLabel('App名').fill('道具の店')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/templates\/shop(\?filling=\w+)?$/)
  })

  await test.step('shows the contents with their pictures', async () => {
    await expect(page.getByText('コンテンツの準備ができました')).toBeVisible()
    await expect(page).toHaveURL(/\/templates\/shop$/)
    await expect(page.getByText('コンテンツ 8件')).toBeVisible()
    await expect.poll(() => picturesAreThere(page)).toBe(true)
    await look(page, 'app-of-template')
    await page.getByRole('link', { name: '商品' }).first().click()
    await expect(page.getByRole('link', { name: 'ギャラリー' })).toBeVisible()
    await expect.poll(() => picturesAreThere(page)).toBe(true)
    await expect(page.getByText('麻の台ふきん').first()).toBeVisible()
    await look(page, 'gallery-of-template')
  })
})

test('an app is duplicated and saved as a template, and another app is updated from the template', {
  tag: '@full',
}, async ({ page, app }) => {
  await test.step('duplicates the app', async () => {
    await page.goto('/templates/shop/-/settings')
    await page.getByRole('button', { name: 'Appを複製する' }).click()
    const dialog = page.getByRole('dialog', { name: 'Appの複製' })
    await expect(dialog.getByLabel('新しいAppの名前')).toHaveValue('道具の店のコピー')
    await look(page, 'duplicate')
    await dialog.getByRole('button', { name: 'Appを複製する' }).click()
    await expect(page).toHaveURL(/\/templates\/shop-2(\?filling=\w+)?$/)
    await expect(page.getByText('コンテンツの準備ができました')).toBeVisible()
    await expect(page.getByRole('heading', { level: 1, name: '道具の店のコピー' })).toBeVisible()
    await expect(page.getByText('コンテンツ 8件')).toBeVisible()
  })

  await test.step('saves the app as a template', async () => {
    await page.goto('/templates/shop-2/-/settings')
    await page.getByRole('button', { name: 'テンプレートとして保存する' }).click()
    const dialog = page.getByRole('dialog', { name: 'テンプレートとして保存する' })
    await dialog.getByLabel('テンプレートの名前').fill('道具の店のひな形')
    await expect(dialog.getByText('下書きを含む')).toBeVisible()
    await dialog.getByRole('button', { name: 'テンプレートとして保存する' }).click()
    const versions = page.getByRole('list', { name: 'このテンプレートのバージョン' })
    await expect(versions.getByText('コンテンツ 14件')).toBeVisible()
    await look(page, 'saved-versions')
  })

  await test.step('creates another app from the template', async () => {
    await page.goto('/templates/-/apps/new')
    await expect(page.getByRole('button', { name: '道具の店のひな形', exact: true })).toBeVisible()
    await scrollThrough(page)
    await expect.poll(() => picturesAreThere(page)).toBe(true)
    await look(page, 'own-templates')
    await page.getByRole('button', { name: '道具の店のひな形', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByLabel('App UID')).toHaveValue('shop-3')
    await dialog.getByRole('button', { name: 'Appを作成する' }).click()
    await expect(page.getByText('コンテンツの準備ができました')).toBeVisible()
    await page.getByRole('link', { name: '商品' }).first().click()
    await expect.poll(() => picturesAreThere(page)).toBe(true)
    await expect(page.getByText('麻の台ふきん').first()).toBeVisible()
  })

  await test.step('updates the app to a newer version, and reverts the update', async () => {
    const api = '/api/project/templates/app/shop-2'
    const { models } = await (await page.request.get(`${api}/model`)).json()
    const product = models.find(({ uid }: { uid: string }) => uid === 'product')
    const [first, ...others] = product.fields
    const fields = [{ ...first, name: '品名' }, ...others, { uid: 'memo', name: '店主のメモ', type: 'TEXT' }]
    await send(page.request, app.url, `${api}/model/product`, { data: { fields } }, 'PUT')
    await page.goto('/templates/shop-2/-/settings')
    // The dialog suggests the previous name.
    await expect(page.getByRole('list', { name: 'このテンプレートのバージョン' })).toBeVisible()
    await page.getByRole('button', { name: 'テンプレートとして保存する' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'テンプレートとして保存する' }).click()
    const versions = page.getByRole('list', { name: 'このテンプレートのバージョン' })
    await expect(versions.getByText('コンテンツ 14件')).toHaveCount(2)

    await page.goto('/templates/shop-3/-/settings')
    await expect(page.getByText('新しいバージョン 2があります。')).toBeVisible()
    await page.getByRole('link', { name: '更新の内容を見る' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'テンプレートの更新' })).toBeVisible()
    await expect(page.getByRole('checkbox', { name: '店主のメモ' })).toBeChecked()
    await expect(page.getByText('設定を変えます')).toBeVisible()
    await look(page, 'template-update')
    await page.getByRole('button', { name: '選んだ内容で更新する' }).click()
    await expect(page.getByText('最新のバージョンに沿っています。')).toBeVisible()
    await look(page, 'template-updated')
    const names = async () =>
      (
        await (await page.request.get('/api/project/templates/app/shop-3/model/product')).json()
      ).model.fields.map(({ name }: { name: string }) => name)
    expect(await names()).toEqual(expect.arrayContaining(['品名', '店主のメモ']))
    await page.getByRole('button', { name: '更新を元に戻す' }).click()
    await page.getByRole('dialog').getByRole('button', { name: '更新を元に戻す' }).click()
    await expect(page.getByText('新しいバージョン 2があります。')).toBeVisible()
    expect(await names()).not.toContain('店主のメモ')
  })

  await test.step('deletes the template', async () => {
    await page.goto('/templates/-/apps/new')
    await page.getByRole('button', { name: '「道具の店のひな形」の操作' }).click()
    await page.getByRole('menuitem', { name: 'テンプレートを削除' }).click()
    await page.getByRole('dialog').getByRole('button', { name: '削除する' }).click()
    await expect(page.getByText('「道具の店のひな形」を削除しました')).toBeVisible()
    await expect(page.getByRole('heading', { level: 2 })).toHaveCount(12)
  })
})
