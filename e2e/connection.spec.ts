import { expect, test } from './fixtures.ts'
import { enter } from './management-api.ts'

const fields = [{ uid: 'title', name: '題名', type: 'TEXT' }]
const waits = '画面のプログラムを読み込めませんでした。通信できるようになると、自動で読み込みます'

test.beforeEach(({ page, app }) =>
  enter(page.request, app.url, 'connection', [{ uid: 'note', name: 'メモ', fields }]),
)

test('a page that failed to load offline loads with its styles when the connection is restored', async ({
  page,
  context,
}) => {
  await page.goto('/connection/-/members')
  await expect(page.getByRole('heading', { level: 1, name: 'メンバー' })).toBeVisible()
  await context.setOffline(true)
  await page.getByRole('link', { name: '監査ログ' }).click()
  await expect(page.getByRole('alert').getByText(waits)).toBeVisible()
  await context.setOffline(false)
  await expect(page.getByRole('heading', { level: 1, name: '監査ログ' })).toBeVisible()
  await expect(page.getByText('スペースを作成')).toBeVisible()
  const sheets = await page.evaluate(() =>
    [...document.styleSheets].map(({ href, cssRules }) => `${href} ${cssRules.length}`),
  )
  expect(sheets).toContainEqual(expect.stringMatching(/audit-log-page-.*\.css [1-9]/))
})

test('a dialog that failed to load offline opens when the connection is restored', async ({
  page,
  context,
}) => {
  await page.goto('/connection/blog/note')
  await expect(page.getByRole('button', { name: 'ビューを追加' })).toBeVisible()
  await context.setOffline(true)
  await page.getByRole('button', { name: 'ビューを追加' }).click()
  await expect(page.getByText(waits)).toBeVisible()
  await context.setOffline(false)
  await expect(page.getByRole('dialog', { name: 'ビューを追加' })).toBeVisible()
})

test('a language that failed to load offline is shown when the connection is restored', async ({
  browser,
  app,
}) => {
  const context = await browser.newContext({ locale: 'ja-JP' })
  const page = await context.newPage()
  await page.goto(`${app.url}/login`)
  await expect(page.getByRole('button', { name: 'ログイン', exact: true })).toBeVisible()
  await context.setOffline(true)
  await page.getByRole('button', { name: 'English' }).click()
  await expect(page.getByRole('button', { name: 'English' })).toHaveAttribute('aria-pressed', 'true')
  await expect(page.getByRole('button', { name: 'ログイン', exact: true })).toBeVisible()
  await context.setOffline(false)
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible()
  await context.close()
})
