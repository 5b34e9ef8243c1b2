import { readFile, writeFile } from 'node:fs/promises'
import { createClient } from 'newt-client-js'
import { sampleArchive } from '../test/newt-stand-in/archive.ts'
import { expect, test } from './fixtures.ts'
import { expectImported } from './importing.ts'
import { look } from './looking.ts'
import { makeFromTemplate, send, signIn } from './management-api.ts'
import { runMoving } from './moving-commands.ts'

test('an import of an archive is undone in the browser, and a command imports the archive again', {
  tag: '@full',
}, async ({ page, app }) => {
  await signIn(page.request, app.url)
  await send(page.request, app.url, '/api/project', { project: { uid: 'moved', name: '引っ越し先' } })
  await page.goto('/moved/-/moves')
  await expect(page.getByText('まだ移行はありません')).toBeVisible()
  await look(page, 'no-moves')

  const buffer = await sampleArchive()
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'blog.zip', mimeType: 'application/zip', buffer })
  await expect(page.getByRole('heading', { name: '計画を確認してください' })).toBeVisible()
  await look(page, 'planned')
  await page.getByRole('link', { name: '計画を開く' }).click()
  await expect(page.getByRole('heading', { name: '移行の計画' })).toBeVisible()
  await page.getByRole('button', { name: /article/ }).click()
  const type = page.getByRole('combobox', { name: '「slug」の種類' })
  await expect(type).toBeVisible()
  await look(page, 'plan')
  await type.click()
  await page.getByRole('option', { name: 'テキスト（複数行）' }).click()
  await page.getByRole('button', { name: '保存', exact: true }).click()
  await expect(page.getByText('計画を保存しました')).toBeVisible()
  await page.getByRole('button', { name: 'インポートを始める' }).click()

  await expectImported(page)
  await look(page, 'imported')
  const { cdnToken } = await send(page.request, app.url, '/api/project/moved/cdnToken', {
    data: { name: 'site' },
  })
  const site = createClient({
    spaceUid: 'moved',
    token: cdnToken.token,
    apiType: 'cdn',
    fetch: ((url: string, init: RequestInit) => {
      const { pathname, search } = new URL(url)
      return fetch(`${app.url}/moved.cdn.newt.so${pathname}${search}`, init)
    }) as typeof fetch,
  })
  const { total } = await site.getContents({ appUid: 'blog', modelUid: 'article' })
  expect(total).toBeGreaterThan(2)

  await page.getByRole('link', { name: 'サイトの接続先を変更する' }).click()
  await expect(page.getByRole('heading', { name: '環境変数の例' })).toBeVisible()
  await look(page, 'site')
  await page.goBack()
  await page.getByRole('button', { name: 'すべて取り消す' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'すべて取り消す' }).click()
  await expect(page.getByText('インポートを取り消しました', { exact: false })).toBeVisible()
  await expect(site.getContents({ appUid: 'blog', modelUid: 'article' })).rejects.toThrow()

  // Without `--yes`, the command only plans the import. With `--yes`, it continues the planned import.
  const zip = test.info().outputPath('blog.zip')
  await writeFile(zip, buffer)
  const { key } = await send(page.request, app.url, '/api/project/moved/move:key', {})
  const place = [zip, '--server', app.url, '--space', 'moved']
  const refused = await runMoving('import', [...place, '--token', `${key}x`])
  expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('The key is wrong')])
  const planned = await runMoving('import', [...place, '--token', key])
  expect([planned.code, planned.output]).toEqual([2, expect.stringContaining('Check the plan')])
  const done = await runMoving('import', [...place, '--token', key, '--yes'])
  expect([done.code, done.output]).toEqual([0, expect.stringContaining('Done: 10 documents, 12 media')])
  const verified = await runMoving('verify', [...place, '--app', 'blog', '--token', cdnToken.token])
  expect([verified.code, verified.output]).toEqual([
    0,
    expect.stringContaining('There are no unexplained differences'),
  ])
})

test('an app is exported and imported into another space', async ({ page, app }) => {
  await signIn(page.request, app.url)
  for (const uid of ['leaving', 'arriving'])
    await send(page.request, app.url, '/api/project', { project: { uid, name: uid } })
  await makeFromTemplate(page.request, app.url, 'leaving', 'blog')
  await page.goto('/leaving/blog/-/settings')
  await page.getByRole('link', { name: 'Appを書き出す' }).click()
  await expect(page.getByRole('heading', { name: 'このAppを書き出す' })).toBeVisible()
  await page.getByRole('checkbox', { name: '変更履歴も含める' }).check()
  await look(page, 'export')
  await page.getByRole('button', { name: '書き出す' }).click()
  await expect(page.getByRole('heading', { name: '書き出しが終わりました' })).toBeVisible()
  await look(page, 'exported')
  const arriving = page.waitForEvent('download')
  await page.getByRole('link', { name: 'ダウンロード' }).click()
  const download = await arriving
  expect(download.suggestedFilename()).toMatch(/^blog-\d{4}-\d\d-\d\d\.zip$/)

  await page.goto('/arriving/-/moves')
  await page.locator('input[type=file]').setInputFiles({
    name: download.suggestedFilename(),
    mimeType: 'application/zip',
    buffer: await readFile(await download.path()),
  })
  await page.getByRole('link', { name: '計画を開く' }).click()
  await expect(page.getByText('このImoriが書き出したアーカイブです')).toBeVisible()
  await expect(page.getByText('変更履歴', { exact: true })).toBeVisible()
  await look(page, 'carried-plan')
  await page.getByRole('radio', { name: '新しいIDにする' }).check()
  await page.getByRole('button', { name: 'インポートを始める' }).click()
  await expectImported(page)
  await page.getByRole('link', { name: 'Appを開く' }).click()
  await expect(page.getByRole('heading', { name: 'ブログ' })).toBeVisible()
  await expect(page.getByText('記事', { exact: true }).first()).toBeVisible()
})
