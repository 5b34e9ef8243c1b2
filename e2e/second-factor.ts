import { expect, type Page } from '@playwright/test'
import { TOTP } from 'otpauth'
import { lookAt } from './look-at.ts'

type Person = { email: string; password: string; name: string }

async function logIn(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel('メールアドレス').fill(email)
  await page.getByLabel('パスワード', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'ログイン', exact: true }).click()
}

async function logOut(page: Page, { name }: Person): Promise<void> {
  await page.getByRole('button', { name }).click()
  await page.getByRole('menuitem', { name: 'ログアウト' }).click()
  await expect(page).toHaveURL(/\/login/)
}

/** Turns on an authenticator app on the account page. Returns it with the recovery codes. */
async function turnOnApp(page: Page, { password }: Person): Promise<{ totp: TOTP; codes: string[] }> {
  await page.getByRole('button', { name: '有効にする' }).click()
  await page.getByLabel('パスワード', { exact: true }).fill(password)
  await page.getByRole('button', { name: '次へ' }).click()
  const secret = (await page.getByLabel('読み取れない場合は').inputValue()).replaceAll(' ', '')
  await lookAt(page, 'qr-code')
  const totp = new TOTP({ secret })
  await page.getByLabel('アプリに表示された6桁のコード').fill(totp.generate())
  await page.getByRole('button', { name: '有効にする' }).click()
  const items = page.getByRole('list', { name: 'リカバリーコード' }).getByRole('listitem')
  await expect(items).toHaveCount(10)
  const codes = await items.allInnerTexts()
  await lookAt(page, 'recovery-codes')
  await page.getByLabel('安全な場所に保管しました').check()
  await page.getByRole('button', { name: '完了' }).click()
  await expect(page.getByText('残り10個')).toBeVisible()
  return { totp, codes }
}

/**
 * Adds a passkey on the account page, with Chromium's virtual authenticator. Returns a function that sets whether the
 * passkey verifies the user or refuses.
 */
async function addPasskey(
  page: Page,
  { password }: Person,
): Promise<(verifies: boolean) => Promise<unknown>> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const
  const verified = { hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true }
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, ...verified },
  })
  await page.getByRole('button', { name: 'パスキーを追加する' }).click()
  await page.getByLabel('パスキーの名前').fill('仕事用のノートPC')
  await page.getByLabel('パスワード', { exact: true }).fill(password)
  await page.getByRole('button', { name: '作成する' }).click()
  await expect(page.getByText('仕事用のノートPC')).toBeVisible()
  await lookAt(page, 'passkeys')
  return (isUserVerified) => devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
}

/**
 * Protects the account of a signed-in user with an authenticator app and a passkey. Signs in with the passkey alone,
 * with the password and a code of the app, and with the password and a recovery code. `arrived` waits for the page
 * after the sign-in.
 */
export async function protectAccount(
  page: Page,
  origin: string,
  person: Person,
  arrived: () => Promise<void>,
): Promise<void> {
  await page.goto(`${origin}/account/two-factor`)
  const { totp, codes } = await turnOnApp(page, person)
  const letVerify = await addPasskey(page, person)
  await logOut(page, person)
  await letVerify(false)
  await page.getByRole('button', { name: 'パスキーでログイン' }).click()
  await expect(page.getByRole('alert').getByText('パスキーを確認できませんでした')).toBeVisible()
  await letVerify(true)
  await page.getByRole('button', { name: 'パスキーでログイン' }).click()
  await arrived()

  await logOut(page, person)
  await logIn(page, person)
  await expect(page).toHaveURL(/\/two-factor-authentication$/)
  await lookAt(page, 'second-step')
  // Each code is accepted only once, and the current one may be used already. The next code is therefore needed.
  await page.getByLabel('認証コード').fill(totp.generate({ timestamp: Date.now() + 30_000 }))
  await page.getByRole('button', { name: 'ログイン', exact: true }).click()
  await arrived()

  await logOut(page, person)
  await logIn(page, person)
  await page.getByRole('button', { name: 'リカバリーコードを使う' }).click()
  await page.getByLabel('リカバリーコード').fill(codes[3] ?? '')
  await page.getByRole('button', { name: 'ログイン', exact: true }).click()
  await arrived()
}
