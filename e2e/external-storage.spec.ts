import type { Page } from '@playwright/test'
import { quadrants } from '../test/pictures.ts'
import { type S3Server, startS3Server } from '../test/s3-server/server.ts'
import { startApp } from './app.ts'
import { expectAccessible } from './axe.ts'
import { expect, test, withBeside } from './fixtures.ts'
import { enter } from './management-api.ts'
import { photograph } from './photograph.ts'

let bucket: S3Server

/** An Imori that may use the bucket of this test, although the bucket has a local address. */
test.use({
  installation: {
    async start() {
      bucket = await startS3Server()
      return withBeside(await startApp({ IMORI_PRIVATE_STORAGES: bucket.location.endpoint }), bucket)
    },
  },
})

async function lookAt(page: Page, screen: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await expectAccessible(
        page,
        `${screen}, ${colorScheme}, ${width} px`,
        colorScheme === 'light' ? 'all' : 'colors',
      )
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(overflow).toBeLessThanOrEqual(0)
      await photograph(page, `${screen}-${colorScheme}-${width}`)
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 900 })
}

test('the files of a space are moved to an external storage and back', async ({ page, context, app }) => {
  const { request } = context
  await page.goto('/')
  const origin = new URL(app.url).origin
  await enter(request, origin, 'pond', [])
  const { csrfToken } = await (await request.get(`${origin}/api/auth/csrfToken`)).json()
  const upload = await request.post(`${origin}/api/project/pond/assets`, {
    headers: { origin, 'x-csrf-token': csrfToken },
    multipart: { file: { name: 'いもり.txt', mimeType: 'text/plain', buffer: Buffer.from('いもり') } },
  })
  const assetId = (await upload.json()).results[0].asset._id
  const content = async () =>
    (await request.get(`${origin}/api/project/pond/assets/${assetId}/getBlob`)).text()

  await page.goto(`${origin}/pond`)
  await page.getByRole('link', { name: '設定', exact: true }).click()
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
    'リージョンかエンドポイントが違います。 正しいリージョンは「ap-northeast-1」です。',
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

  // The browser uploads files of the library directly to the bucket if its CORS rule allows this, otherwise through the
  // server.
  await page.getByRole('link', { name: 'メディア' }).click()
  const uploads = page.getByRole('region', { name: 'アップロードの状況' })
  const bring = async (name: string, width: number) => {
    bucket.log.length = 0
    const buffer = await quadrants(width, 60)
    await page
      .locator('input[type=file][multiple]')
      .first()
      .setInputFiles({ name, mimeType: 'image/png', buffer })
    // The focus keeps the panel open after the upload.
    await uploads.getByRole('button').first().focus()
    await expect(uploads.getByText('1件のアップロードが完了しました')).toBeVisible()
    await expect(uploads.getByRole('alert')).toHaveCount(0)
    await page.getByRole('button', { name: 'アップロードの状況を閉じる' }).click()
    return buffer
  }
  const straight = () => bucket.log.filter((line) => /^(PUT|OPTIONS) .*X-Amz-Signature/.test(line))
  await bring('断られた.png', 80)
  expect(straight()).toEqual([expect.stringMatching(/^OPTIONS /)])
  bucket.allowedOrigin = origin
  const pond = await bring('池.png', 100)
  expect(straight().map((line) => line.split(' ')[0])).toEqual(['OPTIONS', 'PUT'])
  const kept = () => [...bucket.objects.values()].map(({ bytes }) => bytes)
  expect(kept()).toHaveLength(3)

  await page.getByRole('grid').getByRole('gridcell').filter({ hasText: '池.png' }).click()
  const details = page.getByRole('dialog')
  const shown = details.locator('img').first()
  const widthShown = () => shown.evaluate((image) => (image as HTMLImageElement).naturalWidth)
  await expect.poll(widthShown).toBe(100)
  const address = await details.getByLabel('URL', { exact: true }).inputValue()
  const served = async () => (await request.get(address)).body()
  expect((await served()).equals(pond)).toBe(true)
  const replacement = await quadrants(120, 60)
  await page
    .locator('input[type=file]:not([multiple])')
    .setInputFiles({ name: 'x.png', mimeType: 'image/png', buffer: replacement })
  await expect(page.getByText('ファイルを差し替えました')).toBeVisible()
  await expect.poll(widthShown).toBe(120)
  expect((await served()).equals(replacement)).toBe(true)
  expect(kept().some((bytes) => bytes.equals(replacement))).toBe(true)
  await details.getByRole('button', { name: '削除' }).click()
  await page.getByRole('dialog').last().getByRole('button', { name: '削除する' }).click()
  await expect(details).toHaveCount(0)
  await expect(page.getByText('全2件')).toBeVisible()
  expect((await request.get(address)).status()).toBe(404)

  await page.getByRole('link', { name: '設定', exact: true }).click()
  await page.getByRole('link', { name: '外部ストレージ' }).click()
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
  await expect(page.getByText('Files are stored on this Imori.')).toBeVisible()
  await page.keyboard.press('Escape')
  await lookAt(page, 'english')
})
