import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import pg from 'pg'
import { type MainProcess, startMain } from '../test/process.ts'
import { expectAccessible } from './axe.ts'

test.use({ contextOptions: { reducedMotion: 'reduce' }, actionTimeout: 15_000 })

/** A server that runs no jobs itself: they stay as this test writes them. */
let main: MainProcess
let dataDir: string
test.beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'imori-jobs-'))
  await chmod(dataDir, 0o755)
  main = await startMain({ IMORI_DATA: dataDir, IMORI_LOG_LEVEL: 'warn' }, {}, ['--role', 'web'])
})
test.afterAll(async () => {
  await main.end()
  await rm(dataDir, { recursive: true })
})

async function addJobs(): Promise<void> {
  const host = join(dataDir, 'database')
  const client = new pg.Client({ host, user: 'imori', database: 'imori', ssl: false })
  await client.connect()
  const error = JSON.stringify({ code: 'StorageFull', message: 'StorageFull' })
  await client.query(
    `INSERT INTO job (id, name, payload, priority, max_attempts, state, failures, done, total, started_at, error) VALUES
      (repeat('a', 24), 'documents.purgeTrash', '{}', 0, 10, 'running', 0, 400, 1000, now() - interval '20 seconds', NULL),
      (repeat('b', 24), 'spaces.purgeDeleted', '{}', 0, 10, 'failed', 10, NULL, NULL, now(), $1),
      (repeat('c', 24), 'jobs.cleanUp', '{}', 0, 10, 'waiting', 0, NULL, NULL, NULL, NULL)`,
    [error],
  )
  await client.end()
}

test('the installation’s admin sees what runs, cancels it, and tries again what failed', async ({ page }) => {
  await page.goto(`${main.url}/sign-up`)
  await page.getByLabel('表示名').fill('山田 花')
  await page.getByLabel('メールアドレス').fill('hana@example.com')
  await page.getByLabel('パスワード', { exact: true }).fill('いもりは池にいる2026')
  await page.getByRole('button', { name: 'アカウントを作成する' }).click()
  await expect(page.getByRole('heading', { name: '最初のスペースを作りましょう' })).toBeVisible()
  await page.getByRole('button', { name: '山田 花' }).click()
  await page.getByRole('menuitem', { name: 'ジョブの状況' }).click()
  await expect(page).toHaveURL(/\/admin\/jobs$/)
  await expect(page.getByText('ジョブはありません')).toBeVisible()
  await expectAccessible(page, 'no jobs')

  await addJobs()
  await page.reload()
  const bar = page.getByRole('progressbar', { name: 'ゴミ箱の整理の進み具合' })
  await expect(bar).toHaveAttribute('aria-valuenow', '40')
  await expect(page.getByText('保存先の空き容量が', { exact: false })).toBeVisible()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 })
      await expectAccessible(page, `jobs, ${colorScheme}, ${width} px`)
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(overflow).toBeLessThanOrEqual(0)
      await page.screenshot({ path: test.info().outputPath(`jobs-${colorScheme}-${width}.png`) })
    }
  }

  await page.getByRole('button', { name: '「ゴミ箱の整理」を中止する' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '中止する' }).click()
  await expect(page.getByText('中止しています')).toBeVisible()
  await page.getByRole('button', { name: /をもう一度実行する$/ }).click()
  await expect(page.getByRole('button', { name: /をもう一度実行する$/ })).toHaveCount(0)
  await page.getByText('待機中 2', { exact: true }).click()
  await expect(page.getByRole('list', { name: 'ジョブ' }).getByRole('listitem')).toHaveCount(2)
})
