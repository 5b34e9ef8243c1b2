import { readFile } from 'node:fs/promises'
import { expect, test } from './fixtures.ts'
import { expectImported } from './importing.ts'
import { look } from './looking.ts'
import { makeFromTemplate, send, signIn } from './management-api.ts'

test('an exported app is imported into an empty app, and then into its changed original', {
  tag: '@full',
}, async ({ page, app }) => {
  await signIn(page.request, app.url)
  await send(page.request, app.url, '/api/project', { project: { uid: 'garden', name: '庭' } })
  await makeFromTemplate(page.request, app.url, 'garden', 'blog')
  const { apps } = await (await page.request.get('/api/project/garden/app')).json()
  const blog = apps[0].uid
  await send(page.request, app.url, '/api/project/garden/app', { data: { uid: 'empty', name: '空のApp' } })
  await page.goto(`/garden/${blog}/-/export`)
  await page.getByRole('button', { name: '書き出す' }).click()
  const arriving = page.waitForEvent('download')
  await page.getByRole('link', { name: 'ダウンロード' }).click()
  const download = await arriving
  const file = {
    name: 'blog.zip',
    mimeType: 'application/zip',
    buffer: await readFile(await download.path()),
  }

  await page.goto('/garden/empty/-/settings')
  await page.getByRole('link', { name: 'このAppにインポートする' }).click()
  await expect(page.getByRole('link', { name: 'App設定に戻る' })).toBeVisible()
  await page.locator('input[type=file]').setInputFiles(file)
  await expect(page.getByRole('heading', { name: 'インポートするもの' })).toBeVisible()
  await look(page, 'import-empty')
  await page.getByRole('button', { name: 'インポートを始める' }).click()
  await expectImported(page)
  await look(page, 'import-done')

  // One document of the original is changed after the export.
  const models = (await (await page.request.get(`/api/project/garden/app/${blog}/model`)).json()).models
  const model = models.find(({ uid }: { uid: string }) => uid === 'article') ?? models[0]
  const docs = `/api/project/garden/app/${blog}/model/${model.uid}/doc`
  const { documents } = await (await page.request.get(`${docs}?limit=10`)).json()
  const title = model.fields.find(({ _id }: { _id: string }) => _id === model.titleField).uid
  const changed = { doc: { [title]: 'こちらで変えた' }, type: 'PUBLISH' }
  await send(page.request, app.url, `${docs}/${documents[0]._id}`, changed, 'PUT')
  await page.goto(`/garden/${blog}/-/import`)
  await page.locator('input[type=file]').setInputFiles(file)
  await expect(page.getByText('両方にあり内容が違う').first()).toBeVisible()
  await look(page, 'import-merge')
  await page
    .getByRole('combobox', { name: /をどうするか/ })
    .first()
    .selectOption({ label: 'ファイルの内容にする' })
  await page.getByRole('button', { name: 'インポートを始める' }).click()
  await expectImported(page)
  await page.getByRole('link', { name: 'インポートの一覧に戻る' }).click()
  await expect(page.getByRole('list', { name: 'インポートの一覧' }).getByRole('listitem')).toHaveCount(1)
  await look(page, 'import-list')
  if (!process.env.E2E_SCREENS) return
  const { currentAccount } = await (await page.request.get('/api/auth/getCurrentAccount')).json()
  await send(page.request, app.url, `/api/account/${currentAccount._id}`, { data: { language: 'en' } }, 'PUT')
  await page.reload()
  await look(page, 'import-list-en')
  await page.getByRole('link', { name: 'blog.zip' }).click()
  await expect(page.getByRole('heading', { name: 'The import is complete' })).toBeVisible()
  await look(page, 'import-done-en')
})
