import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import pg from 'pg'
import { expect, test } from './fixtures.ts'
import { expectImported } from './importing.ts'
import { lookAt } from './look-at.ts'
import { makeFromTemplate, send, signIn } from './management-api.ts'
import { photograph } from './photograph.ts'

/** With `E2E_SCREENS=1`, checks the screen in Japanese and saves a screenshot in English. */
async function lookInBoth(page: Page, screen: string, heading: RegExp): Promise<void> {
  if (!process.env.E2E_SCREENS) return
  const { currentAccount } = await (await page.request.get('/api/auth/getCurrentAccount')).json()
  const origin = new URL(page.url()).origin
  const speak = (language: string) =>
    send(page.request, origin, `/api/account/${currentAccount._id}`, { data: { language } }, 'PUT')
  for (const language of ['en', 'ja']) {
    await speak(language)
    await page.reload()
    await expect(page.getByRole('heading', { name: heading }).first()).toBeVisible()
    if (language === 'ja') await lookAt(page, screen)
    else await photograph(page, `${screen}-en`)
  }
  await page.setViewportSize({ width: 1280, height: 800 })
}

test('all apps of a space are exported in one file, and one of them is imported into another space', {
  tag: '@full',
}, async ({ page, app }) => {
  await signIn(page.request, app.url)
  for (const uid of ['exports', 'imports'])
    await send(page.request, app.url, '/api/project', { project: { uid, name: uid } })
  await page.goto('/exports/-/export')
  await expect(page.getByText('書き出すAppがありません')).toBeVisible()
  await lookInBoth(page, 'space-export-empty', /書き出すAppがありません|There are no apps/)
  for (const template of ['blog', 'news']) await makeFromTemplate(page.request, app.url, 'exports', template)

  await page.goto('/exports/-/settings')
  await page.getByRole('link', { name: 'すべてのAppを書き出す' }).click()
  await expect(page.getByRole('heading', { name: 'すべてのAppを書き出す' })).toBeVisible()
  await page.getByRole('checkbox', { name: '変更履歴も含める' }).check()
  await lookInBoth(page, 'space-export', /すべてのAppを書き出す|Export all apps/)
  await page.getByRole('button', { name: '書き出す' }).click()
  await expect(page.getByRole('heading', { name: '書き出しが終わりました' })).toBeVisible()
  await lookInBoth(page, 'space-exported', /書き出しが終わりました|The export is complete/)
  const arriving = page.waitForEvent('download')
  await page.getByRole('link', { name: 'ダウンロード' }).click()
  const download = await arriving
  expect(download.suggestedFilename()).toMatch(/^exports-\d{4}-\d\d-\d\d\.zip$/)

  await page.goto('/imports/-/moves')
  await page.locator('input[type=file]').setInputFiles({
    name: download.suggestedFilename(),
    mimeType: 'application/zip',
    buffer: await readFile(await download.path()),
  })
  await page.getByRole('link', { name: '計画を開く' }).click()
  await expect(page.getByRole('checkbox', { name: /を取り込む/ })).toHaveCount(2)
  await lookInBoth(page, 'space-plan', /Appの計画|Plan for the apps/)
  await page
    .getByRole('checkbox', { name: /を取り込む/ })
    .nth(1)
    .uncheck()
  await page.getByRole('button', { name: 'インポートを始める' }).click()
  await expectImported(page)
  await lookInBoth(page, 'space-imported', /インポートが終わりました|complete|finished/i)
  const { apps } = await (await page.request.get('/api/project/imports/app')).json()
  expect(apps).toHaveLength(1)

  if (!process.env.E2E_SCREENS) return
  // These screens are shown during the export, and after a failure.
  const database = new pg.Client(app.database)
  await database.connect()
  const written = `FROM app_export JOIN space ON space.id = space_id AND space.uid = 'exports'`
  await database.query(
    `UPDATE job SET state = 'running', done = 340, total = 1200, started_at = now() - interval '20 seconds',
      finished_at = NULL WHERE id = (SELECT job_id ${written})`,
  )
  await database.query(
    `UPDATE app_export SET file_size = NULL, finished_at = NULL, expires_at = NULL WHERE id = (SELECT app_export.id ${written})`,
  )
  await page.goto('/exports/-/export')
  await lookInBoth(page, 'space-exporting', /書き出しています|Exporting/)
  await database.query(
    `UPDATE job SET state = 'failed', finished_at = now(), error = '{"code":"StorageFull","message":""}'
      WHERE id = (SELECT job_id ${written})`,
  )
  await page.reload()
  await lookInBoth(page, 'space-export-failed', /書き出せませんでした|The export failed/)
  await database.end()
})
