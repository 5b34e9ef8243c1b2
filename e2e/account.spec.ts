import type { Page } from '@playwright/test'
import { TOTP } from 'otpauth'
import { linkIn, type MailServer, startMailServer } from '../test/mail-server.ts'
import { type App, startApp } from './app.ts'
import { expectAccessible } from './axe.ts'
import { expect, test, withBeside } from './fixtures.ts'
import { photograph } from './photograph.ts'

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

/** The link in the newest mail of that subject, once it has arrived. */
async function linkOf(subject: string): Promise<string> {
  const find = () => server.mails.findLast((mail) => mail.subject === subject)
  await expect.poll(find).toBeTruthy()
  return linkIn(find() ?? {})
}

/** Looks at the screen in both widths and schemes. */
async function look(page: Page, screen: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [390, 1280]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      await photograph(page, `${screen}-${colorScheme}-${width}`)
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(overflow, `${screen} ${width}`).toBeLessThanOrEqual(0)
      if (width === 1280) await expectAccessible(page, screen, colorScheme === 'dark' ? 'colors' : 'all')
    }
  await page.emulateMedia({ colorScheme: 'light' })
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

test('somebody signs up, confirms the address by mail, and protects the account with an app', async ({
  page,
}) => {
  await page.goto(`${imori.url}/sign-up`)
  await page.getByLabel('表示名').fill('山田 花')
  await page.getByLabel('メールアドレス').fill(email)
  await page.getByLabel('パスワード', { exact: true }).fill(first)
  await page.getByRole('button', { name: 'アカウントを作成する' }).click()
  await expect(page.getByRole('heading', { name: '最初のスペースを作りましょう' })).toBeVisible()

  await page.goto(await linkOf('メールアドレスの確認'))
  await look(page, 'confirm')
  await expect(page).toHaveURL(/\/confirm$/)
  await page.getByRole('button', { name: '確認する' }).click()
  await expect(page.getByRole('status').filter({ hasText: `${email} を確認しました` })).toBeVisible()
  await page.getByRole('link', { name: 'アカウント設定へ' }).click()
  await expect(page.getByText('確認済み')).toBeVisible()
  await look(page, 'security')

  await page.getByLabel('現在のパスワード').fill('違うパスワード2026')
  await page.getByLabel('新しいパスワード').fill(second)
  await page.getByRole('button', { name: 'パスワードを変更する' }).click()
  await expect(page.getByText('パスワードが正しくありません')).toBeVisible()
  await page.getByLabel('現在のパスワード').fill(first)
  await page.getByRole('button', { name: 'パスワードを変更する' }).click()
  await expect(page.getByText('パスワードを変更しました')).toBeVisible()

  await page.getByRole('link', { name: '2段階認証' }).click()
  await page.getByRole('button', { name: '有効にする' }).click()
  await page.getByLabel('パスワード', { exact: true }).fill(second)
  await page.getByRole('button', { name: '次へ' }).click()
  const secret = (await page.getByLabel('読み取れない場合は').inputValue()).replaceAll(' ', '')
  await look(page, 'qr-code')
  const totp = new TOTP({ secret })
  await page.getByLabel('アプリに表示された6桁のコード').fill(totp.generate())
  await page.getByRole('button', { name: '有効にする' }).click()
  const items = page.getByRole('list', { name: 'リカバリーコード' }).getByRole('listitem')
  await expect(items).toHaveCount(10)
  const codes = await items.allInnerTexts()
  await look(page, 'recovery-codes')
  await page.getByLabel('安全な場所に保管しました').check()
  await page.getByRole('button', { name: '完了' }).click()
  await expect(page.getByText('残り10個')).toBeVisible()

  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const
  const verified = { hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true }
  await devtools.send('WebAuthn.addVirtualAuthenticator', { options: { ...options, ...verified } })
  await page.getByRole('button', { name: 'パスキーを追加する' }).click()
  await page.getByLabel('パスキーの名前').fill('仕事用のノートPC')
  await page.getByLabel('パスワード', { exact: true }).fill(second)
  await page.getByRole('button', { name: '作成する' }).click()
  await expect(page.getByText('仕事用のノートPC')).toBeVisible()
  await look(page, 'passkeys')
  await logOut(page)
  await page.getByRole('button', { name: 'パスキーでログイン' }).click()
  await expect(page.getByRole('heading', { name: '最初のスペースを作りましょう' })).toBeVisible()

  await logOut(page)
  await logIn(page, second)
  await expect(page).toHaveURL(/\/two-factor-authentication$/)
  await look(page, 'second-step')
  // The code after the one that has been shown: none is taken twice.
  await page.getByLabel('認証コード').fill(totp.generate({ timestamp: Date.now() + 30_000 }))
  await page.getByRole('button', { name: 'ログイン', exact: true }).click()
  await expect(page.getByRole('heading', { name: '最初のスペースを作りましょう' })).toBeVisible()

  await logOut(page)
  await page.getByRole('link', { name: 'パスワードを忘れた場合' }).click()
  // The page before has a box of this name, too.
  await expect(page.getByRole('heading', { name: 'パスワードの再設定' })).toBeVisible()
  await page.getByLabel('メールアドレス').fill(email)
  await page.getByRole('button', { name: 'メールを送信する' }).click()
  await expect(page.getByRole('status').filter({ hasText: '再設定用のメールをお送りしました' })).toBeVisible()
  await page.goto(await linkOf('パスワードの再設定'))
  await page.getByLabel('新しいパスワード').fill(first)
  await look(page, 'reset')
  await page.getByRole('button', { name: 'パスワードを設定する' }).click()
  await expect(page).toHaveURL(/\/login$/)
  await logIn(page, first)
  await page.getByRole('button', { name: 'リカバリーコードを使う' }).click()
  await page.getByLabel('リカバリーコード').fill(codes[3] ?? '')
  await page.getByRole('button', { name: 'ログイン', exact: true }).click()
  await expect(page.getByRole('heading', { name: '最初のスペースを作りましょう' })).toBeVisible()

  await page.getByRole('button', { name: '山田 花' }).click()
  await page.getByRole('menuitem', { name: 'Imoriの設定' }).click()
  await expect(page.getByText('サーバーの環境変数', { exact: false })).toBeVisible()
  await look(page, 'installation')
  await page.getByRole('link', { name: 'メール', exact: true }).click()
  await expect(page.getByText('メールは送信されています')).toBeVisible()
})
