import pg from 'pg'
import { type App, startApp } from './app.ts'
import { expectAccessible } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { send } from './management-api.ts'
import { photograph } from './photograph.ts'

/** A server that runs no jobs, so that jobs remain in the state that the tests set. */
let main: App
test.use({
  installation: {
    async start() {
      main = await startApp({ IMORI_ROLE: 'web' })
      return main
    },
  },
})

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: main.database })
  await client.connect()
  return client
}

/** Deletes all jobs, including the job for the mail of the sign-up. */
async function forgetJobs(): Promise<void> {
  const client = await connect()
  await client.query('DELETE FROM job')
  await client.end()
}

async function addJobs(): Promise<void> {
  const client = await connect()
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

test('an installation admin sees a running job, requests its cancellation, and retries a failed job', async ({
  page,
}) => {
  await page.goto(`${main.url}/sign-up`)
  await page.getByLabel('表示名').fill('山田 花')
  await page.getByLabel('メールアドレス').fill('hana@example.com')
  await page.getByLabel('パスワード', { exact: true }).fill('いもりは池にいる2026')
  await page.getByRole('button', { name: 'アカウントを作成する' }).click()
  await expect(page.getByRole('heading', { name: '最初のスペースを作りましょう' })).toBeVisible()
  await forgetJobs()
  await page.getByRole('button', { name: '山田 花' }).click()
  await page.getByRole('menuitem', { name: 'Imoriの設定' }).click()
  await page.getByRole('link', { name: 'ジョブ' }).click()
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
      await expectAccessible(
        page,
        `jobs, ${colorScheme}, ${width} px`,
        colorScheme === 'light' ? 'all' : 'colors',
      )
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(overflow).toBeLessThanOrEqual(0)
      await photograph(page, `jobs-${colorScheme}-${width}`)
    }
  }

  await page.getByRole('button', { name: '「ゴミ箱の整理」を中止する' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '中止する' }).click()
  await expect(page.getByText('中止しています')).toBeVisible()
  await page.getByRole('button', { name: /をもう一度実行する$/ }).click()
  await expect(page.getByRole('button', { name: /をもう一度実行する$/ })).toHaveCount(0)
  await page.getByText('待機中 2', { exact: true }).click()
  await expect(page.getByRole('list', { name: 'ジョブ' }).getByRole('listitem')).toHaveCount(2)

  // On a narrow screen, the list of settings is a separate page.
  await page.getByRole('link', { name: 'Imoriの設定' }).click()
  await page.getByRole('link', { name: '監査ログ' }).click()
  await expect(page.getByRole('list', { name: '監査ログ' }).getByText('アカウントを登録')).toBeVisible()
  await expectAccessible(page, 'audit log of the installation')
})

test('the pages of a model show the progress of applying a model change to its documents', {
  tag: '@full',
}, async ({ page }) => {
  const { request } = page
  const title = { uid: 'title', name: '題', type: 'TEXT' }
  const login = { email: 'hana@example.com', password: 'いもりは池にいる2026' }
  await send(request, main.url, `${main.url}/api/auth/login`, login)
  const space = `${main.url}/api/project`
  await send(request, main.url, space, { project: { uid: 'pond', name: '池' } })
  await send(request, main.url, `${space}/pond/app`, { data: { uid: 'blog', name: 'ブログ' } })
  const data = { uid: 'article', name: '記事', fields: [title] }
  await send(request, main.url, `${space}/pond/app/blog/model`, { data })
  const client = await connect()
  await client.query(`UPDATE model SET conversions =
    jsonb_build_array(jsonb_build_object('version', 1, 'changes', jsonb_build_array(
      jsonb_build_object('from', fields->0, 'to', fields->0))))`)
  await client.query(
    `INSERT INTO job (id, space_id, name, payload, priority, max_attempts, state, done, total, started_at)
     SELECT repeat('d', 24), space_id, 'models.convert', jsonb_build_object('appId', app_id, 'modelId', id), 0, 10,
       'running', 8299, 20000, now() FROM model`,
  )
  await page.goto(`${main.url}/pond/blog/article/-/model`)
  await expect(page.getByText('モデルの変更をコンテンツに反映しています（41%）')).toBeVisible()
  await expectAccessible(page, 'a model that is converted')
  await page.goto(`${main.url}/pond/blog/article`)
  await expect(page.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '41')
  await expectAccessible(page, 'documents that are converted')
  await page.getByRole('link', { name: '設定', exact: true }).click()
  await page.getByRole('link', { name: 'ジョブ' }).click()
  const label = 'モデルの変更をコンテンツに反映'
  await expect(page.getByRole('progressbar', { name: `${label}の進み具合` })).toHaveAttribute(
    'aria-valuenow',
    '41',
  )
  await expectAccessible(page, 'jobs of a space')
  await page.getByRole('button', { name: `「${label}」を中止する` }).click()
  await page.getByRole('dialog').getByRole('button', { name: '中止する' }).click()
  await expect(page.getByText('中止しています')).toBeVisible()
  await page.goBack()
  await client.query(`UPDATE model SET conversions = '[]'`)
  await client.end()
  await expect(page.getByRole('progressbar')).toHaveCount(0)
})
