import type { Page } from '@playwright/test'
import { type App, startApp } from '../test/app.ts'
import { type S3Server, startS3Server } from '../test/s3-server/server.ts'
import { expectAccessible } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { enter } from './management-api.ts'

test.use({ contextOptions: { reducedMotion: 'reduce' }, actionTimeout: 30_000 })

/** An Imori that may use the bucket of this test, although that lies on this machine. */
let imori: App
let bucket: S3Server
test.beforeAll(async () => {
  bucket = await startS3Server()
  imori = await startApp({ IMORI_PRIVATE_STORAGES: bucket.location.endpoint })
})
test.afterAll(async () => {
  await imori?.stop()
  await bucket?.close()
})

async function lookAt(page: Page, screen: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await expectAccessible(page, `${screen}, ${colorScheme}, ${width} px`)
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(overflow).toBeLessThanOrEqual(0)
      const path = test.info().outputPath(`${screen}-${colorScheme}-${width}.png`)
      await page.screenshot({ path, fullPage: true })
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 900 })
}

test('a space’s files go to its own bucket and come back', async ({ page, context }) => {
  test.setTimeout(180_000)
  const { request } = context
  await page.goto(imori.url)
  const origin = new URL(imori.url).origin
  await enter(request, origin, [])
  const { csrfToken } = await (await request.get(`${origin}/api/auth/csrfToken`)).json()
  const upload = await request.post(`${origin}/api/project/pond/assets`, {
    headers: { origin, 'x-csrf-token': csrfToken },
    multipart: { file: { name: 'いもり.txt', mimeType: 'text/plain', buffer: Buffer.from('いもり') } },
  })
  const assetId = (await upload.json()).results[0].asset._id
  const content = async () =>
    (await request.get(`${origin}/api/project/pond/assets/${assetId}/getBlob`)).text()

  await page.goto(`${origin}/pond`)
  await page.getByRole('link', { name: '外部ストレージ' }).click()
  await expect(page.getByText('ファイルは、このImoriに保存されています。')).toBeVisible()
  await expect(page.getByText('ファイル：1件')).toBeVisible()

  const { location, credentials } = bucket
  await page.getByRole('combobox', { name: 'サービス' }).click()
  await page.getByRole('option', { name: 'そのほかのS3互換ストレージ' }).click()
  await page.getByLabel('エンドポイント').fill(location.endpoint)
  await page.getByLabel('リージョン').fill('us-east-1')
  await page.getByLabel('バケット名').fill(location.bucket)
  await page.getByLabel('フォルダー').fill('site/media')
  await page.getByLabel('アクセスキーID', { exact: false }).first().fill(credentials.accessKeyId)
  const secret = page.getByRole('textbox', { name: 'シークレットアクセスキー' })
  await secret.fill('wrong')
  await page.getByRole('button', { name: '接続を試す' }).click()
  await expect(page.getByRole('alert')).toContainText(
    'リージョンが違います。 正しくは「ap-northeast-1」です。',
  )
  await page.getByLabel('リージョン').fill(location.region)
  await page.getByRole('button', { name: '確かめて保存する' }).click()
  await expect(page.getByRole('alert')).toContainText('シークレットアクセスキーが正しくありません')
  await lookAt(page, 'refused')
  await secret.fill(credentials.secretAccessKey)
  await page.getByRole('button', { name: '接続を試す' }).click()
  await expect(page.getByText('問題ありません。', { exact: false })).toBeVisible()

  await page.getByRole('button', { name: '確かめて保存する' }).click()
  await expect(page.getByText(`バケット「${location.bucket}」（`, { exact: false }).first()).toBeVisible()
  await expect(page.getByText('すべてのファイルが今の保存先にあります。')).toBeVisible()
  await expect(secret).toHaveValue('')
  await expect(secret).toHaveAttribute('placeholder', '保存済み')
  expect([...bucket.objects.values()].map(({ bytes }) => bytes.toString())).toEqual(['いもり'])
  expect(await content()).toBe('いもり')
  await lookAt(page, 'saved')
  await page.getByRole('button', { name: '接続を試す' }).click()
  await expect(page.getByText('問題ありません。', { exact: false })).toBeVisible()

  await page.getByRole('button', { name: '利用をやめる' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '利用をやめる' }).click()
  await expect(page.getByText('ファイルは、このImoriに保存されています。')).toBeVisible()
  await expect(page.getByText('すべてのファイルが今の保存先にあります。')).toBeVisible()
  bucket.intercept = (_request, response) => {
    response.writeHead(500).end()
    return true
  }
  expect(await content()).toBe('いもり')

  await page.getByRole('button', { name: '山田 花' }).click()
  await page.getByRole('menuitemradio', { name: 'English' }).click()
  await expect(page.getByText('Files are kept by this Imori.')).toBeVisible()
  await page.keyboard.press('Escape')
  await lookAt(page, 'english')
})
