import type { Page } from '@playwright/test'
import { linkIn, type MailServer, startMailServer } from '../test/mail-server.ts'
import { type App, startApp } from './app.ts'
import { expect, test, withBeside } from './fixtures.ts'
import { lookAt } from './look-at.ts'

let server: MailServer
let imori: App
test.use({
  installation: {
    async start() {
      server = await startMailServer()
      imori = withBeside(await startApp({ IMORI_SMTP_URL: server.url }), server)
      return imori
    },
  },
})

const email = 'hana@example.com'
const [first, second] = ['いもりは池にいる2026', '池の底のいもりは赤い']

/** Waits for a mail with this subject. Returns the link in the newest one. */
async function linkOf(subject: string): Promise<string> {
  const find = () => server.mails.findLast((mail) => mail.subject === subject)
  await expect.poll(find).toBeTruthy()
  return linkIn(find() ?? {})
}

async function logIn(page: Page, password: string): Promise<void> {
  await page.getByLabel('メールアドレス').fill(email)
  await page.getByLabel('パスワード', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'ログイン', exact: true }).click()
}

async function logOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: '山田 花' }).click()
  await page.getByRole('menuitem', { name: 'ログアウト' }).click()
  await expect(page).toHaveURL(/\/login/)
}

test('a visitor signs up, confirms the address by mail, and resets the password', async ({ page }) => {
  await page.goto(`${imori.url}/sign-up`)
  await page.getByLabel('表示名').fill('山田 花')
  await page.getByLabel('メールアドレス').fill(email)
  await page.getByLabel('パスワード', { exact: true }).fill(first)
  await page.getByRole('button', { name: 'アカウントを作成する' }).click()
  await expect(page.getByRole('heading', { name: '最初のスペースを作りましょう' })).toBeVisible()

  await page.goto(await linkOf('メールアドレスの確認'))
  await lookAt(page, 'confirm')
  await expect(page).toHaveURL(/\/confirm$/)
  await page.getByRole('button', { name: '確認する' }).click()
  await expect(page.getByRole('status').filter({ hasText: `${email} を確認しました` })).toBeVisible()
  await page.getByRole('link', { name: 'アカウント設定へ' }).click()
  await expect(page.getByText('確認済み')).toBeVisible()
  await lookAt(page, 'security')

  await page.getByLabel('現在のパスワード').fill('違うパスワード2026')
  await page.getByLabel('新しいパスワード').fill(second)
  await page.getByRole('button', { name: 'パスワードを変更する' }).click()
  await expect(page.getByText('パスワードが正しくありません')).toBeVisible()
  await page.getByLabel('現在のパスワード').fill(first)
  await page.getByRole('button', { name: 'パスワードを変更する' }).click()
  await expect(page.getByText('パスワードを変更しました')).toBeVisible()

  await logOut(page)
  await page.getByRole('link', { name: 'パスワードを忘れた場合' }).click()
  // The previous page also has a field with this name.
  await expect(page.getByRole('heading', { name: 'パスワードの再設定' })).toBeVisible()
  await page.getByLabel('メールアドレス').fill(email)
  await page.getByRole('button', { name: 'メールを送信する' }).click()
  await expect(page.getByRole('status').filter({ hasText: '再設定用のメールを送信します' })).toBeVisible()
  await page.goto(await linkOf('パスワードの再設定'))
  await page.getByLabel('新しいパスワード').fill(first)
  await lookAt(page, 'reset')
  await page.getByRole('button', { name: 'パスワードを設定する' }).click()
  await expect(page).toHaveURL(/\/login$/)
  await logIn(page, first)
  await expect(page.getByRole('heading', { name: '最初のスペースを作りましょう' })).toBeVisible()

  await page.getByRole('button', { name: '山田 花' }).click()
  await page.getByRole('menuitem', { name: 'Imoriの設定' }).click()
  await page.getByRole('link', { name: '登録とスペースの作成' }).click()
  await expect(page.getByText('サーバーの環境変数', { exact: false })).toBeVisible()
  await lookAt(page, 'installation')
  await page.getByRole('link', { name: 'メール', exact: true }).click()
  await expect(page.getByText('メールサーバーが設定されています')).toBeVisible()
})
