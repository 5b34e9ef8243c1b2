import type { Page } from '@playwright/test'
import { startApp } from './app.ts'
import { expect, test } from './fixtures.ts'
import { lookAt } from './look-at.ts'
import { enter, person } from './management-api.ts'

/** An Imori as started by `npm start`: without a mail server, and with sign-up by invitation only. */
test.use({ installation: { start: () => startApp({ IMORI_SIGNUP: 'invited' }) } })

const other = { email: 'sora@example.com', password: 'いもりは空を見る2026' }

/** Creates an invitation link as the admin. Without mail, this is the only way to invite. */
async function makeLink(page: Page, origin: string): Promise<string> {
  await page.goto(`${origin}/pond/-/invitations`)
  await page.getByRole('button', { name: 'メンバーを招待' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('メールサーバーが設定されていないため')).toBeVisible()
  await expect(dialog.getByRole('link', { name: '「メール」を開く' })).toBeVisible()
  await expect(dialog.getByRole('radio')).toHaveCount(0)
  await lookAt(page, 'invite-by-link')
  await dialog.getByRole('button', { name: 'リンクを作成する' }).click()
  const link = await dialog.getByLabel('招待リンク', { exact: true }).inputValue()
  await dialog.getByRole('button', { name: '閉じる' }).last().click()
  return link
}

/** Confirms the email address of the installation's admin, on a page that requires a confirmed address. */
async function confirmOwnAddress(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/account/two-factor`)
  await page.getByRole('button', { name: 'パスワードで確認する' }).click()
  await page.getByLabel('パスワード', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: '確認する' }).click()
  await expect(page.getByText(`${person.email} を確認しました`)).toBeVisible()
  await expect(page.getByRole('button', { name: '有効にする' })).toBeVisible()
}

test('without a mail server, pages offer links instead of mails, and the admin sees the unsent mails', async ({
  page,
  browser,
  app: { url },
}) => {
  await enter(page.request, url, 'pond', [])
  const link = await makeLink(page, url)
  await confirmOwnAddress(page, url)

  // A visitor without an invitation cannot sign up. A visitor with an invitation link can.
  const context = await browser.newContext({ locale: 'ja-JP', reducedMotion: 'reduce' })
  const guest = await context.newPage()
  await guest.goto(`${url}/login`)
  await expect(guest.getByText('招待された方だけが作成できます', { exact: false })).toBeVisible()
  await expect(guest.getByRole('link', { name: 'アカウント登録' })).toHaveCount(0)
  await lookAt(guest, 'login-by-invitation')
  await guest.goto(link)
  await guest.getByRole('link', { name: 'ログインして参加' }).click()
  await guest.getByRole('link', { name: 'アカウント登録' }).click()
  // The login page has inputs with the same names.
  const signUp = guest.getByRole('button', { name: 'アカウントを作成' })
  await expect(signUp).toBeVisible()
  await guest.getByLabel('メールアドレス').fill(other.email)
  await guest.getByRole('textbox', { name: 'パスワード' }).fill(other.password)
  await signUp.click()
  await expect(guest).toHaveURL(/\/pond$/)

  // Other accounts must contact the admin, who finds the link among the stored mails.
  await guest.goto(`${url}/account/security`)
  await expect(guest.getByText('このサーバーはメールを送信できません', { exact: false })).toBeVisible()
  await guest.getByRole('button', { name: '確認用のリンクを用意する' }).click()
  await expect(guest.getByText('確認用のリンクを用意しました', { exact: false })).toBeVisible()
  await lookAt(guest, 'unconfirmed-address')

  // The entered email address belongs to no member. The invitation is not mailed, so its link is shown.
  await page.goto(`${url}/pond/blog/-/members`)
  await page.getByRole('button', { name: 'メンバーを追加' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('メールアドレス').fill('umi@example.com')
  await dialog.getByRole('button', { name: 'メンバーを追加' }).click()
  await expect(page.getByText('招待メールは送信していません')).toBeVisible()
  await expect(dialog.getByLabel('招待リンク', { exact: true })).toHaveValue(/\/pond\/invitation\?code=/)
  await dialog.getByRole('button', { name: '閉じる' }).last().click()

  // The page for resetting a password shows the same words for an email address with an account and without one.
  await guest.getByRole('button', { name: other.email }).click()
  await guest.getByRole('menuitem', { name: 'ログアウト' }).click()
  for (const email of [other.email, 'nobody@example.com']) {
    await guest.goto(`${url}/forgot-password`)
    await expect(guest.getByText('このサーバーはメールを送信できません', { exact: false })).toBeVisible()
    await guest.getByLabel('メールアドレス').fill(email)
    await guest.getByRole('button', { name: 'リンクを用意する' }).click()
    const words = `${email} のアカウントがある場合は、再設定用のリンクを用意しました`
    await expect(guest.getByRole('status').filter({ hasText: words })).toBeVisible()
  }
  await lookAt(guest, 'forgot-without-mail')
  await page.goto(`${url}/admin/mails`)
  const mails = page.getByRole('list', { name: 'メール' })
  await expect(mails.getByText('パスワードの再設定')).toBeVisible()
  await expect(mails.getByText('メールアドレスの確認').first()).toBeVisible()
})
