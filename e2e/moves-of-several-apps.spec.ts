import { mkdir } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { rescueThreeApps, zipOfApps } from '../test/newt-stand-in/three-apps.ts'
import { expect, test } from './fixtures.ts'
import { expectImported } from './importing.ts'
import { look } from './looking.ts'
import { send, signIn } from './management-api.ts'
import { runMoving } from './moving-commands.ts'

/** With `E2E_SCREENS=1`, checks the current page in English. */
async function lookInEnglish(page: Page, origin: string, screen: string): Promise<void> {
  if (!process.env.E2E_SCREENS) return
  const { currentAccount } = await (await page.request.get(`${origin}/api/auth/getCurrentAccount`)).json()
  for (const language of ['en', 'ja']) {
    const data = { language }
    await send(page.request, origin, `/api/account/${currentAccount._id}`, { data }, 'PUT')
    await page.reload()
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    if (language === 'en') await look(page, `${screen}-en`)
  }
}

/** Saves the plan and waits for the response, because the message of an earlier save may still be visible. */
async function saved(page: Page): Promise<void> {
  const save = page.getByRole('button', { name: '保存', exact: true })
  const answered = page.waitForResponse((response) => response.request().method() === 'PUT')
  await save.click()
  expect((await answered).status()).toBe(200)
  await expect(save).toBeDisabled()
  await expect(page.getByText('計画を保存しました').last()).toBeVisible()
}

test('two of three apps of a Newt space are imported together, compared by a command and undone', {
  tag: '@full',
}, async ({ page, app }) => {
  await signIn(page.request, app.url)
  const at = '/api/project/several'
  await send(page.request, app.url, '/api/project', { project: { uid: 'several', name: '引っ越し先' } })
  await send(page.request, app.url, `${at}/app`, { data: { uid: 'shop', name: '先にあるショップ' } })
  const folder = test.info().outputPath('rescued')
  await mkdir(folder, { recursive: true })
  await rescueThreeApps(folder, { named: true })
  const buffer = await zipOfApps(folder)

  await page.goto('/several/-/moves')
  const input = page.locator('input[type=file]')
  await input.setInputFiles({ name: 'newt-demo.zip', mimeType: 'application/zip', buffer })
  await expect(page.getByText('アーカイブに3個のAppがありました', { exact: false })).toBeVisible()
  await look(page, 'several-planned')
  await page.getByRole('link', { name: '計画を開く' }).click()
  await expect(page.getByRole('heading', { name: 'Appの計画' })).toBeVisible()

  // The plan shows the conflict at its app, and the import cannot start until the conflict is resolved.
  const shop = page.getByRole('region', { name: 'ショップ' })
  await expect(shop.getByText('同じUIDのAppがこのスペースにあります', { exact: false })).toBeVisible()
  const start = page.getByRole('button', { name: 'インポートを始める' })
  await expect(start).toBeDisabled()
  await expect(page.getByRole('heading', { name: 'Appをまたぐ参照' })).toBeVisible()
  await look(page, 'several-plan')
  await lookInEnglish(page, app.url, 'several-plan')
  await shop.getByRole('textbox', { name: 'App UID' }).fill('newt-shop')
  await expect(start).toBeEnabled()
  for (const name of ['ブログ', 'お知らせ', 'ショップ'])
    await page.getByRole('checkbox', { name: `「${name}」を取り込む` }).uncheck()
  await expect(start).toBeDisabled()
  await expect(page.getByText('取り込むAppを1個以上選んでください')).toBeVisible()
  await look(page, 'several-none')
  for (const name of ['ブログ', 'ショップ'])
    await page.getByRole('checkbox', { name: `「${name}」を取り込む` }).check()
  await saved(page)

  // The plan of one app has a separate page, which links back.
  await page.getByRole('link', { name: '「ブログ」の計画を開く' }).click()
  await expect(
    page.getByText('「ブログ」は、同じアーカイブのほかのAppとまとめて', { exact: false }),
  ).toBeVisible()
  await expect(start).toHaveCount(0)
  await page.getByRole('textbox', { name: 'App名' }).fill('私たちのブログ')
  await look(page, 'several-part')
  await saved(page)
  await page.getByRole('link', { name: 'Appの計画に戻る' }).click()
  await expect(page.getByRole('textbox', { name: 'App名' }).first()).toHaveValue('私たちのブログ')
  await start.click()

  await expectImported(page)
  await expect(page.getByRole('link', { name: '「私たちのブログ」を開く' })).toBeVisible()
  await look(page, 'several-imported')
  await lookInEnglish(page, app.url, 'several-imported')
  const { cdnToken } = await send(page.request, app.url, `${at}/cdnToken`, { data: { name: 'site' } })
  const place = [folder, '--server', app.url, '--space', 'several', '--token', cdnToken.token]
  const verified = await runMoving('verify', [...place, '--app', 'blog', '--app', 'shop=newt-shop'])
  // The changed app name is the only difference for the site.
  expect([verified.code, verified.output]).toEqual([1, expect.stringContaining('App “newt-shop”:')])
  expect(verified.output).toContain('+ "私たちのブログ"')
  expect(verified.output).toContain('Unexplained differences: 1\n')
  expect(verified.output.match(/There are no unexplained differences/g)).toHaveLength(1)
  await page.getByRole('link', { name: 'サイトの接続先を変更する' }).click()
  await expect(page.getByText('NEWT_APP_UID=newt-shop')).toBeVisible()
  await look(page, 'several-site')
  await lookInEnglish(page, app.url, 'several-site')
  await page.goBack()
  await page.getByRole('button', { name: 'すべて取り消す' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('私たちのブログ・ショップ', { exact: false })).toBeVisible()
  await dialog.getByRole('button', { name: 'すべて取り消す' }).click()
  await expect(page.getByText('インポートを取り消しました', { exact: false })).toBeVisible()
  await page.goto('/several/-/moves')
  await expect(page.getByRole('link', { name: '「私たちのブログ」ほか1個のApp' })).toBeVisible()
  await look(page, 'several-list')
  await lookInEnglish(page, app.url, 'several-list')
})
