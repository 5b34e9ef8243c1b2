import type { Browser, Page } from '@playwright/test'
import { type DnsServer, startDnsServer } from '../test/dns-server.ts'
import { linkIn, type MailServer, startMailServer } from '../test/mail-server.ts'
import { startOidcProvider, type TestProvider } from '../test/oidc-provider.ts'
import { type App, startApp } from './app.ts'
import { expectAccessible } from './axe.ts'
import { expect, test, withBeside } from './fixtures.ts'
import { lookAt } from './look-at.ts'
import { person, send } from './management-api.ts'
import { protectAccount } from './second-factor.ts'

let mail: MailServer
let dns: DnsServer
let provider: TestProvider

/** An Imori that can send mail, with an identity provider and a name server. */
test.use({
  installation: {
    async start() {
      mail = await startMailServer()
      dns = await startDnsServer()
      provider = await startOidcProvider({
        hana: { email: person.email, name: person.name },
        kaede: { email: 'kaede@example.com', name: '秋野 楓' },
      })
      const app = await startApp({
        IMORI_SMTP_URL: mail.url,
        IMORI_SSO_ORIGINS: provider.url,
        IMORI_NAME_SERVERS: dns.address,
      })
      return withBeside(app, mail, dns, provider)
    },
  },
})

const api = '/api/project/pond'
const password = 'あめの日のいもり2026'

/** Signs up the admin, and creates a space, an app and the models `secret` and `article`. */
async function begin(page: Page, { url }: App): Promise<void> {
  const { request } = page
  await send(request, url, '/api/auth/signup', person)
  await send(request, url, '/api/project', { project: { uid: 'pond', name: '池' } })
  await send(request, url, `${api}/app`, { data: { uid: 'blog', name: 'ブログ' } })
  for (const [uid, name] of [
    ['secret', '社外秘'],
    ['article', '記事'],
  ]) {
    const fields = [
      { uid: 'title', name: '題名', type: 'TEXT', required: true },
      { uid: 'note', name: '編集部メモ', type: 'TEXT' },
      ...(uid === 'article' ? [{ uid: 'source', name: '出典', type: 'REFERENCE', modelUid: 'secret' }] : []),
    ]
    await send(request, url, `${api}/app/blog/model`, { data: { uid, name, fields } })
  }
}

/** Opens an invitation link in a separate browser context and signs up a user there. Returns the user's page. */
async function join(browser: Browser, link: string, email: string): Promise<Page> {
  const context = await browser.newContext({ locale: 'ja-JP', reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(link)
  await expect(page.getByRole('heading', { name: '「池」に招待されています' })).toBeVisible()
  await expectAccessible(page, 'invitation')
  await page.getByRole('link', { name: 'アカウントを作成して参加' }).click()
  await page.getByLabel('メールアドレス').fill(email)
  await page.getByRole('textbox', { name: 'パスワード' }).fill(password)
  await page.getByRole('button', { name: 'アカウントを作成' }).click()
  // Signing up accepts the invitation.
  await expect(page).toHaveURL(/^https?:\/\/[^/]+\/pond(\/blog.*)?$/)
  return page
}

interface Invitation {
  role?: string
  /** A role in the app ブログ. */
  appRole?: string
  bySso?: boolean
}

/** Sends an invitation by mail as the admin. Returns the link in the received mail. */
async function invite(
  page: Page,
  { url }: App,
  email: string,
  { role, appRole, bySso }: Invitation,
): Promise<string> {
  const dialog = page.getByRole('dialog')
  const choose = async (label: string, option: string) => {
    await dialog.getByRole('combobox', { name: label }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  await page.goto(`${url}/pond/-/invitations`)
  await page.getByRole('button', { name: 'メンバーを招待' }).click()
  await dialog.getByLabel('メールアドレス').fill(email)
  if (role) await choose('スペースのロール', role)
  if (appRole) {
    await choose('参加するApp', 'ブログ')
    await choose('Appのロール', appRole)
  }
  if (bySso) await dialog.getByRole('checkbox', { name: /SSO/ }).check()
  await dialog.getByRole('button', { name: '招待を送る' }).click()
  await expect(page.getByRole('list', { name: '招待' }).getByText(email)).toBeVisible()
  // Confirmations of email addresses are also sent by mail.
  const received = () =>
    mail.mails.find(({ to, subject }) => JSON.stringify(to).includes(email) && subject?.includes('招待'))
  await expect.poll(received).toBeTruthy()
  return linkIn(received() ?? {})
}

/** Signs in at the identity provider and consents. */
async function answerProvider(page: Page, name: string): Promise<void> {
  await page.locator('input[name=login]').fill(name)
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  await page.locator('button[type=submit]').click()
}

/**
 * Sets up SSO as the admin and invites a user, who follows the mail and signs in at the identity provider. Returns the
 * user's page.
 */
async function joinBySso(page: Page, browser: Browser, app: App): Promise<Page> {
  await page.goto(`${app.url}/pond/-/sso`)
  await page.getByRole('radio', { name: 'OpenID Connect' }).check()
  // The redirect URI is shown before the settings are saved, so that the identity provider can be set up first.
  provider.redirectTo(await page.getByLabel('リダイレクトURI', { exact: true }).inputValue())
  await page.getByLabel('発行者（Issuer）のURL').fill(provider.url)
  await page.getByLabel('クライアントID').fill(provider.clientId)
  await page.getByLabel('クライアントシークレット').fill(provider.clientSecret)
  await page.getByLabel('メールアドレスのドメイン').fill('example.com')
  await page.getByRole('button', { name: '保存' }).click()
  await page.getByRole('button', { name: 'example.comを今すぐ確認' }).click()
  await expect(page.getByText('TXTレコードが見つかりません')).toBeVisible()
  await expectAccessible(page, 'sso-domain')
  const record = async (label: string) => page.getByLabel(label, { exact: true }).inputValue()
  dns.records.set(await record('名前（ホスト名）'), [[await record('値')]])
  await page.getByRole('button', { name: 'example.comを今すぐ確認' }).click()
  await expect(page.getByText('確認済み', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: '設定を確認' }).click()
  await expect(page.getByText('設定に問題は見つかりませんでした。')).toBeVisible()
  await expectAccessible(page, 'sso')

  // A popup runs the SSO test and shows the result of a real sign-in. The admin's session is unchanged.
  const opened = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'ログインを試す' }).click()
  const popup = await opened
  await answerProvider(popup, 'hana')
  await expect(popup.getByText(/のアカウントがすでにあります/)).toBeVisible()
  await expectAccessible(popup, 'sso-test')
  const closed = popup.waitForEvent('close')
  await popup.getByRole('button', { name: '閉じる' }).click()
  await closed
  await expect(page.getByText('拒否されたログインはありません。')).toBeVisible()

  const link = await invite(page, app, 'kaede@example.com', { appRole: 'ライター', bySso: true })
  const context = await browser.newContext({ locale: 'ja-JP', reducedMotion: 'reduce' })
  const invited = await context.newPage()
  await invited.goto(link)
  await invited.getByRole('link', { name: 'SSOで参加する' }).click()
  await expectAccessible(invited, 'sso-login')
  await invited.getByRole('button', { name: '続ける', exact: true }).click()
  await answerProvider(invited, 'kaede')
  await expect(invited.getByRole('link', { name: 'ブログ' }).first()).toBeVisible()
  return invited
}

const natsu = { email: 'natsu@example.com', password: '夏の池は緑色です2026', name: '夏川 凪' }

/**
 * Invites a user with an account as an admin of the space. The user sets up a second factor. Returns the user's page.
 */
async function joinAsAdmin(page: Page, browser: Browser, app: App): Promise<Page> {
  const link = await invite(page, app, natsu.email, { role: '管理者' })
  const context = await browser.newContext({ locale: 'ja-JP', reducedMotion: 'reduce' })
  const invited = await context.newPage()
  await send(invited.request, app.url, '/api/auth/signup', natsu)
  await invited.goto(link)
  await expect(invited.getByText(`${natsu.email} としてログインしています。`)).toBeVisible()
  await invited.getByRole('button', { name: '参加する' }).click()
  await expect(invited.getByRole('link', { name: 'ブログ' }).first()).toBeVisible()
  await protectAccount(invited, app.url, natsu, () =>
    expect(invited.getByRole('link', { name: '池', exact: true })).toBeVisible(),
  )
  return invited
}

/**
 * Checks that a read-only field is marked. Also checks that a reference to a document that the writer may not read is
 * not shown as missing, and is kept.
 */
async function seesNoMoreThanAllowed(admin: Page, writer: Page, { url }: App): Promise<void> {
  const docs = `${url}${api}/app/blog/model`
  await writer.goto(`${url}/pond/blog/article/new`)
  await writer.getByLabel(/^題名/).fill('出典のある記事')
  await writer.keyboard.press('Control+s')
  await expect(writer).toHaveURL(/article\/[0-9a-f]{24}$/)
  const id = writer.url().split('/').at(-1)
  const { document } = await send(admin.request, url, `${api}/app/blog/model/secret/doc`, {
    document: { title: '内密の話' },
  })
  await send(
    admin.request,
    url,
    `${api}/app/blog/model/article/doc/${id}`,
    { doc: { source: document._id } },
    'PUT',
  )

  await writer.reload()
  const source = writer.getByRole('group', { name: '出典' })
  await expect(source).toContainText('表示する権限のない参照先です')
  await expect(source.getByRole('button')).toHaveCount(0)
  await expect(writer.getByText('見つかりません')).toHaveCount(0)
  await expect(writer.getByText('閲覧のみ', { exact: true })).toHaveCount(1)
  await lookAt(writer, 'read-only-field')
  await writer.getByLabel(/^題名/).fill('出典のある記事、改訂')
  const saved = writer.waitForResponse((response) => response.request().method() === 'PUT')
  await writer.keyboard.press('Control+s')
  expect((await saved).ok()).toBe(true)
  const kept = await (await admin.request.get(`${docs}/article/doc/${id}`)).json()
  expect(kept.document).toMatchObject({ source: document._id })
}

test('users join by mail, link and SSO, and a writer does not see a model that their role hides', async ({
  page,
  browser,
  app,
}) => {
  await begin(page, app)

  // This app role may write articles, except for one field, and cannot read the model `secret`.
  await page.goto(`${app.url}/pond/blog/-/roles`)
  await page.getByRole('button', { name: 'ロールを作成' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('ロール名').fill('ライター')
  await dialog.getByRole('checkbox', { name: '自分の下書きの作成・編集' }).check()
  await dialog.getByRole('combobox', { name: '「社外秘」の権限' }).click()
  await page.getByRole('option', { name: '閲覧できない' }).click()
  await dialog.getByRole('combobox', { name: '閲覧のみのフィールド' }).last().click()
  await page.getByRole('option', { name: '編集部メモ' }).click()
  await page.keyboard.press('Escape')
  await expectAccessible(page, 'role')
  await dialog.getByRole('button', { name: '保存' }).click()
  await expect(page.getByRole('columnheader', { name: /ライター/ })).toBeVisible()
  await expectAccessible(page, 'roles')

  // The writer is invited by mail to the app, with the role ライター.
  const link = await invite(page, app, 'writer@example.com', { appRole: 'ライター' })
  const writer = await join(browser, link, 'writer@example.com')
  await expect(writer.getByRole('link', { name: '記事' }).first()).toBeVisible()
  await expect(writer.getByText('社外秘')).toHaveCount(0)
  await seesNoMoreThanAllowed(page, writer, app)

  // The guest is invited by link to the space only. The writer's link is used up.
  await page.getByRole('button', { name: 'メンバーを招待' }).click()
  await dialog.getByRole('radio', { name: 'リンクで招待' }).check()
  await dialog.getByRole('button', { name: 'リンクを作成する' }).click()
  const shared = await dialog.getByLabel('招待リンク', { exact: true }).inputValue()
  await dialog.getByRole('button', { name: '閉じる' }).last().click()
  const guest = await join(browser, shared, 'guest@example.com')
  await expect(guest.getByRole('heading', { level: 1 })).toBeVisible()
  await guest.goto(link)
  await expect(guest.getByText('この招待は使えません')).toBeVisible()

  const kaede = await joinBySso(page, browser, app)

  // The admin checks the writer's rights and opens the admin UI with these rights.
  await page.goto(`${app.url}/pond/-/members`)
  await page.getByRole('button', { name: 'writer@example.comさんの操作' }).click()
  await page.getByRole('menuitem', { name: '権限を確認する' }).click()
  await expect(page.getByText('閲覧のみのフィールド：編集部メモ')).toBeVisible()
  await expectAccessible(page, 'rights of a member')
  await page.getByRole('button', { name: 'この人の権限で表示する' }).click()
  const banner = page.getByRole('complementary', { name: /権限で表示しています/ })
  await expect(banner).toBeVisible()
  await page.getByRole('link', { name: 'ブログ' }).first().click()
  await expect(page.getByRole('link', { name: '記事' }).first()).toBeVisible()
  await expect(page.getByText('社外秘')).toHaveCount(0)
  await banner.getByRole('button', { name: '終了する' }).click()
  await expect(page.getByRole('link', { name: '社外秘' }).first()).toBeVisible()

  // An admin with a second factor makes second factors mandatory in the space.
  const admin = await joinAsAdmin(page, browser, app)
  await admin.goto(`${app.url}/pond/-/security`)
  await admin.getByRole('switch', { name: '2段階認証を必須にする' }).check()
  await admin.getByRole('button', { name: '保存' }).click()
  await expect(admin.getByText('保存しました')).toBeVisible()
  for (const without of [writer, guest]) {
    await without.goto(`${app.url}/pond/blog`)
    await expect(without.getByText('このスペースでは2段階認証が必須です。', { exact: false })).toBeVisible()
  }
  await expectAccessible(writer, 'two factors required')

  // SSO users are exempt, because the identity provider is responsible for their second factor. A user who is removed
  // while writing sees a message and keeps the text.
  await kaede.goto(`${app.url}/pond/blog/article/new`)
  await expect(kaede.getByLabel('編集部メモ')).toHaveAttribute('readonly', '')
  await kaede.getByLabel(/^題名/).fill('春のいもり')
  await kaede.keyboard.press('Control+s')
  await expect(kaede).toHaveURL(/article\/[0-9a-f]{24}$/)
  await admin.goto(`${app.url}/pond/-/members`)
  await admin.getByRole('button', { name: 'SSO', exact: true }).first().focus()
  await expect(admin.getByRole('tooltip')).toBeVisible()
  await lookAt(admin, 'members')
  await admin.getByRole('button', { name: '秋野 楓さんの操作' }).click()
  await admin.getByRole('menuitem', { name: 'スペースから外す' }).click()
  await admin.getByRole('dialog').getByRole('button', { name: 'スペースから外す' }).click()
  await expect(admin.getByText('kaede@example.com', { exact: true })).toHaveCount(0)
  await kaede.getByLabel(/^題名/).fill('春のいもりの一日')
  await kaede.keyboard.press('Control+s')
  const told = kaede.getByRole('alert').getByText('このスペースまたはAppを利用できなくなりました')
  await expect(told).toBeVisible()
  await expect(kaede.getByLabel(/^題名/)).toHaveValue('春のいもりの一日')
  await expectAccessible(kaede, 'removed')
  for (const other of [writer, guest, kaede, admin]) await other.context().close()
})
