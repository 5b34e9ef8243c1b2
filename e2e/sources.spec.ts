import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Page } from '@playwright/test'
import { picture, sourceFixture } from '../test/source-fixtures.ts'
import { expectAccessible } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { expectImported } from './importing.ts'
import { send, signIn } from './management-api.ts'
import { photograph } from './photograph.ts'

/**
 * Checks a screen with axe. With `E2E_SCREENS=1`, also checks the colours and saves screenshots in both colour schemes,
 * at 1280 and 390 px.
 */
async function look(page: Page, screen: string): Promise<void> {
  await expectAccessible(page, screen)
  if (!process.env.E2E_SCREENS) return
  for (const width of [1280, 390])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      await expectAccessible(page, `${screen} ${colorScheme} ${width}`, 'colors')
      await photograph(page, `${screen}-${width}-${colorScheme}`)
    }
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.emulateMedia({ colorScheme: 'light' })
}

const choose = (page: Page, name: string, buffer: Buffer) =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/octet-stream', buffer })

test('a CSV file and a Markdown folder are imported, and a plan is created for a WordPress export', async ({
  page,
  app,
}) => {
  await signIn(page.request, app.url)
  await send(page.request, app.url, '/api/project', { project: { uid: 'elsewhere', name: '引っ越し先' } })
  await page.goto('/elsewhere/-/moves')
  await expect(page.getByRole('heading', { name: 'アップロードできるもの' })).toBeVisible()
  await look(page, 'sources')

  await choose(page, 'memo.txt', Buffer.from('ただの文章です。'))
  await expect(page.getByText('取り込める種類のファイルではないか', { exact: false })).toBeVisible()
  await look(page, 'unknown')

  // The server does not request the local address of the pictures in the article. The plan reports that they are
  // missing.
  const [wordpress = Buffer.alloc(0)] = (await sourceFixture('wordpress', 'http://127.0.0.1')).values()
  await page.goto('/elsewhere/-/moves')
  await choose(page, 'yama.xml', wordpress)
  await page.getByRole('link', { name: '計画を開く' }).click()
  await expect(page.getByText('WordPress', { exact: true })).toBeVisible()
  await expect(page.getByText('画像やファイルがありません', { exact: false })).toBeVisible()
  await look(page, 'wordpress')

  const [csv = Buffer.alloc(0)] = (await sourceFixture('csv')).values()
  await page.goto('/elsewhere/-/moves')
  await choose(page, '商品.csv', csv)
  await page.getByRole('link', { name: '計画を開く' }).click()
  await page.getByRole('button', { name: /商品/ }).click()
  await page.getByLabel('App UID').fill('shop')
  await page.getByRole('textbox', { name: 'UID', exact: true }).fill('product')
  await page.getByRole('textbox', { name: '「価格」のUID' }).fill('price')
  await look(page, 'csv')
  await page.getByRole('button', { name: 'インポートを始める' }).click()
  await expectImported(page)
  await look(page, 'csv-imported')
  const { apiToken } = await send(page.request, app.url, '/api/project/elsewhere/apiToken', {
    data: { name: 'site' },
  })
  const answer = await page.request.get(`${app.url}/v1/shop/product?price=120`, {
    headers: { authorization: `Bearer ${apiToken.token}` },
  })
  expect(await answer.json()).toMatchObject({ total: 1, items: [{ price: 120 }] })
  await page.getByRole('link', { name: 'サイトの接続先を変更する' }).click()
  const reads = page.getByRole('region', { name: 'サイトからの読み込み' })
  await expect(reads.getByRole('row', { name: /product/ })).toContainText('API（下書きを含む）')
  await look(page, 'site')

  // The command packs a folder before it uploads it.
  const files = await sourceFixture('markdown')
  files.set('content/images/cover.png', await picture())
  const folder = test.info().outputPath('site')
  for (const [path, bytes] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), bytes)
  }
  const { key } = await send(page.request, app.url, '/api/project/elsewhere/move:key', {})
  const place = [folder, '--server', app.url, '--space', 'elsewhere', '--token', key, '--lang', 'en', '--yes']
  const child = spawn(process.execPath, ['scripts/moving.mjs', 'import', ...place])
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)))
  const [code] = await once(child, 'close')
  expect([code, output]).toEqual([0, expect.stringContaining('Done: 2 documents, 1 media')])
})
