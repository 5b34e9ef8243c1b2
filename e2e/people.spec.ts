import type { Browser, Page } from '@playwright/test'
import { type DnsServer, startDnsServer } from '../test/dns-server.ts'
import { linkIn, type MailServer, startMailServer } from '../test/mail-server.ts'
import { startOidcProvider, type TestProvider } from '../test/oidc-provider.ts'
import { type App, startApp } from './app.ts'
import { expectAccessible } from './axe.ts'
import { expect, test, withBeside } from './fixtures.ts'
import { person, send } from './management-api.ts'

let mail: MailServer
let dns: DnsServer
let provider: TestProvider

/** An Imori that can send mail, with an identity provider and a name server beside it. */
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

/** The admin's page, with a space, an app and a model that has one article. */
async function begin(page: Page, { url }: App): Promise<void> {
  const { request } = page
  await send(request, url, '/api/auth/signup', person)
  await send(request, url, '/api/project', { project: { uid: 'pond', name: '池' } })
  await send(request, url, `${api}/app`, { data: { uid: 'blog', name: 'ブログ' } })
  for (const [uid, name] of [
    ['article', '記事'],
    ['secret', '社外秘'],
  ]) {
    const fields = [
      { uid: 'title', name: '題名', type: 'TEXT', required: true },
      { uid: 'note', name: '編集部メモ', type: 'TEXT' },
    ]
    await send(request, url, `${api}/app/blog/model`, { data: { uid, name, fields } })
  }
}

/** Somebody else, in a browser of their own, who takes an invitation by signing up. */
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
  await page.getByRole('button', { name: '参加する' }).click()
  return page
}

/** Says at the identity provider who one is, and agrees. */
async function answerProvider(page: Page, name: string): Promise<void> {
  await page.locator('input[name=login]').fill(name)
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  await page.locator('button[type=submit]').click()
}

/** The admin sets SSO up and invites somebody to it, who comes from the mail by the identity provider. */
async function joinBySso(page: Page, browser: Browser, app: App): Promise<void> {
  await page.goto(`${app.url}/pond/-/sso`)
  await page.getByRole('radio', { name: 'OpenID Connect' }).check()
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
  provider.redirectTo(await page.getByLabel('リダイレクトURI', { exact: true }).inputValue())
  await page.getByRole('button', { name: '設定を確認' }).click()
  await expect(page.getByText('設定に問題はありません。')).toBeVisible()
  await expectAccessible(page, 'sso')

  // A window of its own tries it out, links the admin's account, and tells this page, although the provider cut them off.
  const opened = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'ログインを試す' }).click()
  const popup = await opened
  await popup.getByRole('button', { name: '続ける', exact: true }).click()
  await answerProvider(popup, 'hana')
  await expectAccessible(popup, 'sso-verify')
  const closed = popup.waitForEvent('close')
  await popup.getByRole('button', { name: '連携して続ける' }).click()
  await closed
  await expect(page.getByText('SSOでログインできました')).toBeVisible()

  await page.goto(`${app.url}/pond/-/invitations`)
  await page.getByRole('button', { name: 'メンバーを招待' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('メールアドレス').fill('kaede@example.com')
  await dialog.getByRole('checkbox', { name: /SSO/ }).check()
  await dialog.getByRole('button', { name: '招待を送る' }).click()
  const invitation = () => mail.mails.find(({ to }) => JSON.stringify(to).includes('kaede@example.com'))
  await expect.poll(invitation).toBeTruthy()

  const context = await browser.newContext({ locale: 'ja-JP', reducedMotion: 'reduce' })
  const invited = await context.newPage()
  await invited.goto(linkIn(invitation() ?? {}))
  await invited.getByRole('link', { name: 'SSOで参加する' }).click()
  await expectAccessible(invited, 'sso-login')
  await invited.getByRole('button', { name: '続ける', exact: true }).click()
  await answerProvider(invited, 'kaede')
  await expect(invited).toHaveURL(`${app.url}/pond`)
  await expect(invited.getByRole('link', { name: 'ブログ' }).first()).toBeVisible()
  await context.close()
}

test('people are invited by mail and by link, see what their role says, and lose no text when they go', async ({
  page,
  browser,
  app,
}) => {
  await begin(page, app)

  // A role of the app: writes articles but for one field, and knows nothing of the other model.
  await page.goto(`${app.url}/pond/blog/-/roles`)
  await page.getByRole('button', { name: 'ロールを作成' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('ロール名').fill('ライター')
  await dialog.getByRole('checkbox', { name: '自分の下書きの作成・編集' }).check()
  await dialog.getByRole('combobox', { name: '「社外秘」の権限' }).click()
  await page.getByRole('option', { name: '閲覧できない' }).click()
  await dialog.getByRole('combobox', { name: '閲覧のみのフィールド' }).first().click()
  await page.getByRole('option', { name: '編集部メモ' }).click()
  await page.keyboard.press('Escape')
  await expectAccessible(page, 'role')
  await dialog.getByRole('button', { name: '保存' }).click()
  await expect(page.getByRole('columnheader', { name: /ライター/ })).toBeVisible()
  await expectAccessible(page, 'roles')

  // By mail, with the app and that role.
  await page.goto(`${app.url}/pond/-/invitations`)
  await page.getByRole('button', { name: 'メンバーを招待' }).click()
  await dialog.getByLabel('メールアドレス').fill('writer@example.com')
  await dialog.getByRole('combobox', { name: '参加するApp' }).click()
  await page.getByRole('option', { name: 'ブログ' }).click()
  await dialog.getByRole('combobox', { name: 'Appのロール' }).click()
  await page.getByRole('option', { name: 'ライター' }).click()
  await dialog.getByRole('button', { name: '招待を送る' }).click()
  await expect(page.getByRole('list', { name: '招待' }).getByText('writer@example.com')).toBeVisible()
  // Their own address is confirmed by mails, too.
  const invitation = () => mail.mails.find(({ to }) => JSON.stringify(to).includes('writer@example.com'))
  await expect.poll(invitation).toBeTruthy()
  const link = linkIn(invitation() ?? {})
  const writer = await join(browser, link, 'writer@example.com')
  await expect(writer.getByRole('link', { name: '記事' }).first()).toBeVisible()
  await expect(writer.getByText('社外秘')).toHaveCount(0)

  // By link, for somebody who is a member of the space alone; the first link is used up.
  await page.getByRole('button', { name: 'メンバーを招待' }).click()
  await dialog.getByRole('radio', { name: 'リンクで招待' }).check()
  await dialog.getByRole('button', { name: 'リンクを作成する' }).click()
  const shared = await dialog.getByLabel('招待リンク', { exact: true }).inputValue()
  await dialog.getByRole('button', { name: '閉じる' }).last().click()
  const guest = await join(browser, shared, 'guest@example.com')
  await expect(guest.getByRole('heading', { level: 1 })).toBeVisible()
  await guest.goto(link)
  await expect(guest.getByText('この招待は使えません')).toBeVisible()

  await joinBySso(page, browser, app)

  // What the admin sees of the writer, and with the writer's eyes.
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

  // Removed while writing: told so, and the text is still there.
  await writer.goto(`${app.url}/pond/blog/article/new`)
  await expect(writer.getByLabel('編集部メモ')).toHaveAttribute('readonly', '')
  await writer.getByLabel(/^題名/).fill('春のいもり')
  await writer.keyboard.press('Control+s')
  await expect(writer).toHaveURL(/article\/[0-9a-f]{24}$/)
  await page.goto(`${app.url}/pond/-/members`)
  await page.getByRole('button', { name: 'writer@example.comさんの操作' }).click()
  await page.getByRole('menuitem', { name: 'スペースから外す' }).click()
  await dialog.getByRole('button', { name: 'スペースから外す' }).click()
  await expect(page.getByText('writer@example.com', { exact: true })).toHaveCount(0)
  await writer.getByLabel(/^題名/).fill('春のいもりの一日')
  await writer.keyboard.press('Control+s')
  await expect(
    writer.getByRole('alert').getByText('このスペースまたはAppを利用できなくなりました'),
  ).toBeVisible()
  await expect(writer.getByLabel(/^題名/)).toHaveValue('春のいもりの一日')
  await expectAccessible(writer, 'removed')
  for (const other of [writer, guest]) await other.context().close()
})
