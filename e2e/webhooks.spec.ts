import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from '@playwright/test'
import { type App, startApp } from './app.ts'
import { expectAccessible } from './axe.ts'
import { expect, test, withBeside } from './fixtures.ts'
import { lookAt } from './look-at.ts'
import { enter, send } from './management-api.ts'

interface Received {
  path: string
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** Requests that the receiver got. It responds with 410 to `/gone`, and with 404 to any other path except `/hook`. */
const received: Received[] = []
let receiver = ''

async function startReceiver() {
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (text) => {
      body += text
    })
    request.on('end', () => {
      const path = request.url ?? ''
      received.push({ path, headers: request.headers, body })
      response
        .writeHead(path === '/hook' ? 200 : path === '/gone' ? 410 : 404, {
          'content-type': 'application/json',
        })
        .end('{"ok":true}')
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  receiver = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { close: () => new Promise((done) => server.close(done)) }
}

test.use({
  installation: {
    async start() {
      const beside = await startReceiver()
      return withBeside(await startApp({ IMORI_WEBHOOK_ORIGINS: receiver }), beside)
    },
  },
})

const list = '/pond/-/webhooks'
const article = { uid: 'article', name: '記事', fields: [{ uid: 'heading', name: '見出し', type: 'TEXT' }] }

/**
 * Creates a webhook from a preset. Checks the errors that the form reports. The webhook's URL leads to a missing path.
 */
async function makeFromPreset(page: Page): Promise<void> {
  await page.goto(list)
  await expect(page.getByRole('heading', { name: 'Webhookはまだありません' })).toBeVisible()
  await lookAt(page, 'webhooks-empty')
  await page.getByRole('button', { name: 'Slack' }).click()
  await expect(page.getByRole('region', { name: 'Slackでの準備' }).getByRole('listitem')).toHaveCount(3)
  await expect(page.getByRole('checkbox', { name: 'コンテンツを公開' })).toBeChecked()

  // Placeholders are suggested while typing, and buttons insert them at the caret.
  const body = page.getByRole('textbox', { name: '本文のJSON' })
  await expect(body).toHaveValue(/\{\{summary\.ja\}\}/)
  await body.fill('{"text": "公開：{{document.h')
  await expect(page.getByRole('option', { name: '変更後の「見出し」' })).toBeVisible()
  await expectAccessible(page, 'suggestions')
  await body.press('Enter')
  await expect(body).toHaveValue('{"text": "公開：{{document.heading}}')
  await body.pressSequentially('", "by": }')
  await page.getByRole('button', { name: '{{actor.name}}' }).click()
  await expect(body).toHaveValue('{"text": "公開：{{document.heading}}", "by": }{{actor.name}}')
  await expect(body).toBeFocused()

  // The preview and the form refuse an invalid body, and show the position of the error.
  await page.getByRole('button', { name: '本文をプレビュー' }).click()
  await expect(page.getByText('JSONとして正しくありません（1行目の')).toBeVisible()
  await body.fill('{"text": "{{dokument.title}}"}')
  await page.getByRole('textbox', { name: /^URL/ }).fill('http://hooks.example.com/')
  await page.getByRole('button', { name: '作成する' }).click()
  await expect(
    page.getByText('1行目の11文字目：「dokument.title」という差し込み項目はありません'),
  ).toBeVisible()
  await expect(body).toBeFocused()
  await body.fill('{"text": "公開：{{title}}"}')
  await page.getByRole('button', { name: '作成する' }).click()
  await expect(page.getByText('このURLには送れません')).toBeVisible()
  await page.getByRole('textbox', { name: /^URL/ }).fill(`${receiver}/old`)

  await page.getByRole('button', { name: 'ヘッダーを追加' }).click()
  const header = page.getByRole('group', { name: 'ヘッダー1' })
  await header.getByLabel('値').fill('Bearer 秘密')
  await header.getByRole('switch', { name: 'シークレット' }).check()
  await header.getByLabel('名前').fill('Authorization')
  await page.getByRole('button', { name: '作成する' }).click()
  const authorization = page.getByRole('group', { name: 'Authorization' })
  await expect(authorization.getByText('値には半角の英数字・記号・空白だけを使えます')).toBeVisible()
  await expect(authorization.getByLabel('値')).toBeFocused()
  await authorization.getByLabel('値').fill('Bearer secret')
  await page.getByRole('button', { name: '本文をプレビュー' }).click()
  await expect(page.getByText('送られる本文（見本）')).toBeVisible()
  await lookAt(page, 'webhooks-form')
  await page.getByRole('button', { name: '作成する' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('「Slack」を作成しました')
}

/** Checks that a test request is signed with the key on the page, and that the page shows why the request failed. */
async function sendFailingTest(page: Page): Promise<void> {
  await page.getByRole('button', { name: '署名キーを表示' }).click()
  const key = await page.getByRole('textbox', { name: '署名キー' }).inputValue()
  expect(key).toMatch(/^whsec_/)
  await page.getByRole('tab', { name: 'PHP' }).click()
  await expect(page.getByText('hash_equals')).toBeVisible()
  await lookAt(page, 'webhooks-key')
  await page.getByRole('button', { name: '次へ：テスト送信' }).click()
  await page.getByRole('button', { name: 'テスト送信', exact: true }).click()
  await expect(page.getByText('届きませんでした')).toBeVisible()
  await expect(
    page.getByRole('status').getByText('このアドレスに送信先が見つかりません（HTTP 404）'),
  ).toBeVisible()
  const [sent] = received
  const signature = createHmac('sha256', Buffer.from(key.slice('whsec_'.length), 'base64'))
    .update(`${sent?.headers['webhook-id']}.${sent?.headers['webhook-timestamp']}.${sent?.body}`)
    .digest('base64')
  expect(sent?.headers['webhook-signature']).toBe(`v1,${signature}`)
  expect(sent?.headers.authorization).toBe('Bearer secret')
  expect(JSON.parse(sent?.body ?? '')).toEqual({ text: '公開：test' })
}

/** Publishes an article whose webhook fails. Checks that the list, the log and the details show the failure. */
async function seesItFail(page: Page, { url }: App): Promise<void> {
  await send(page.request, url, '/api/project/pond/app/blog/model/article/doc', {
    document: { heading: '春のいもり' },
    type: 'PUBLISH',
  })
  await expect.poll(() => received.length).toBeGreaterThan(1)
  await page.getByRole('link', { name: 'Webhookの一覧' }).click()
  await expect(page.getByText('送信に失敗しています')).toBeVisible()
  await lookAt(page, 'webhooks')
  await page.getByRole('link', { name: 'Slack' }).click()
  const log = page.getByRole('list', { name: '送信の記録' })
  await expect(log.getByRole('listitem')).toHaveCount(2)
  await lookAt(page, 'webhook')
  await page.getByRole('combobox', { name: '状態' }).click()
  await page.getByRole('option', { name: '待機中・再試行待ち' }).click()
  await expect(log.getByRole('listitem')).toHaveCount(1)
  await expect(page).toHaveURL(/state=waiting/)
  await log.getByRole('button').click()
  const drawer = page.getByRole('dialog', { name: '送信の詳細' })
  await expect(drawer.getByText('再試行待ち')).toBeVisible()
  await expect(drawer.getByText('このアドレスに送信先が見つかりません').first()).toBeVisible()
  await expect(drawer.getByText('authorization:', { exact: false })).toContainText(/authorization: ••••••/i)
  await lookAt(page, 'webhook-drawer')
  await page.keyboard.press('Escape')
  await expect(log.getByRole('button')).toBeFocused()
}

/** Corrects the webhook's URL. The waiting request then arrives, and a redelivered request has the same body. */
async function correctAddress(page: Page): Promise<void> {
  await page.getByRole('link', { name: '編集' }).click()
  const kept = page.getByRole('group', { name: 'Authorization' })
  await expect(kept.getByLabel('値')).toHaveValue('••••••••')
  // If the URL changes, the secret must be entered again. Otherwise it would be sent to another receiver.
  await page.getByRole('textbox', { name: /^URL/ }).fill(`${receiver}/hook`)
  await expect(page.getByText('URLが変わるため、シークレットの値を入力し直してください。')).toBeVisible()
  await page.getByRole('button', { name: '保存' }).click()
  await expect(kept.getByText('入力してください')).toBeVisible()
  await kept.getByLabel('値').fill('Bearer secret')
  await page.getByRole('button', { name: '保存' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Slack')
  const arrived = () => received.filter(({ path }) => path === '/hook')
  await expect.poll(arrived).toHaveLength(1)
  const log = page.getByRole('list', { name: '送信の記録' })
  await expect(log.getByText('送信済み')).toBeVisible()
  await log.getByRole('button').first().click()
  const drawer = page.getByRole('dialog', { name: '送信の詳細' })
  await expect(drawer.getByText('送信済み')).toBeVisible()
  await drawer.getByRole('button', { name: '再送する' }).click()
  await expect.poll(arrived).toHaveLength(2)
  await expect(drawer.getByText('送信済み')).toBeVisible()
  await page.keyboard.press('Escape')
  const [first, again] = arrived()
  expect(again?.body).toBe(first?.body)
  expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  expect(JSON.parse(first?.body ?? '')).toEqual({ text: '公開：春のいもり' })
  await page.getByRole('button', { name: '再送', exact: true }).click()
  await page.getByRole('menuitem', { name: '失敗したものをすべて再送' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '再送する' }).click()
  await expect(page.getByText('再送するものはありませんでした')).toBeVisible()
}

/** Renews the key, disables the webhook and undoes this, and copies the webhook with another secret. */
async function renewDisableAndCopy(page: Page): Promise<void> {
  await page.getByRole('button', { name: '署名キーを再発行' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '再発行する' }).click()
  const issued = page.getByRole('region', { name: '署名キー', exact: true })
  await issued.getByRole('button', { name: '閉じる' }).click()
  await page.getByRole('button', { name: '前のキーを無効にする' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '無効にする' }).click()
  await expect(page.getByRole('button', { name: '前のキーを無効にする' })).toHaveCount(0)

  await page.getByRole('link', { name: 'Webhookの一覧' }).click()
  const isOn = page.getByRole('switch', { name: '「Slack」を有効にする' })
  await isOn.press('Space')
  await page.getByRole('button', { name: '元に戻す' }).click()
  await expect(page.getByText('停止中')).toHaveCount(0)
  await expect(isOn).toBeChecked()

  await page.getByRole('button', { name: '「Slack」の操作' }).click()
  await page.getByRole('menuitem', { name: '複製' }).click()
  await expect(page.getByRole('region', { name: '送信先' }).getByLabel(/^名前/)).toHaveValue('Slackのコピー')
  await page.getByRole('button', { name: '作成する' }).click()
  const copied = page.getByRole('group', { name: 'Authorization' })
  await expect(copied.getByText('入力してください')).toBeVisible()
  await copied.getByLabel('値').fill('Bearer other')
  await page.getByRole('button', { name: '作成する' }).click()
  await page.getByRole('button', { name: '署名キーを控えました。次へ：テスト送信' }).click()
  await page.getByRole('button', { name: 'テスト送信', exact: true }).click()
  await expect(page.getByText('届きました')).toBeVisible()
  expect(received.at(-1)).toMatchObject({ path: '/hook', headers: { authorization: 'Bearer other' } })
}

/** Checks the pages in English, and deletes a webhook. */
async function deletesInEnglish(page: Page, { url }: App): Promise<void> {
  const { currentAccount } = await (await page.request.get(`${url}/api/auth/getCurrentAccount`)).json()
  await send(page.request, url, `/api/account/${currentAccount._id}`, { data: { language: 'en' } }, 'PUT')
  await page.reload()
  await expect(page.getByRole('region', { name: 'Log' }).getByText('Delivered')).toBeVisible()
  await expectAccessible(page, 'webhook in English')
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByRole('checkbox', { name: 'Content published' }).uncheck()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Choose at least one event')).toBeVisible()
  await expectAccessible(page, 'form of a webhook in English')
  await page.getByRole('checkbox', { name: 'Published content deleted' }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('list', { name: 'Webhooks' }).getByRole('listitem')).toHaveCount(1)
}

/** Checks that a member without the right sees no link to the webhooks, and gets a message on their page. */
async function isSeenByAdminsOnly(page: Page, browser: Browser, { url }: App): Promise<void> {
  const { invitation } = await send(page.request, url, '/api/project/pond/invitation', { invitation: {} })
  const context = await browser.newContext({ locale: 'ja-JP', reducedMotion: 'reduce' })
  const member = await context.newPage()
  const account = { email: 'natsu@example.com', password: '夏の池は緑色です2026', name: '夏川 凪' }
  await send(member.request, url, '/api/auth/signup', account)
  await member.goto(invitation.url)
  await member.getByRole('button', { name: '参加する' }).click()
  // The page of the invitation also shows the name of the space.
  await expect(member).toHaveURL(/\/pond$/)
  await member.goto(`${url}${list}`)
  await expect(member.getByText('Webhookを管理する権限がありません')).toBeVisible()
  await expect(member.getByRole('link', { name: 'メンバー' })).toBeVisible()
  await expect(member.getByRole('link', { name: 'Webhook' })).toHaveCount(0)
  await expectAccessible(member, 'webhooks without the right')
  expect((await member.request.get(`${url}/api/project/pond/webhook`)).status()).toBe(403)
  await context.close()
}

/** Lets a receiver refuse further requests. Checks that the home page of the space links to the webhook. */
async function seesProblemAtHome(page: Page, { url }: App): Promise<void> {
  const data = { name: 'Old site', url: `${receiver}/gone`, events: ['document.published'] }
  await send(page.request, url, '/api/project/pond/webhook', { data })
  await send(page.request, url, '/api/project/pond/app/blog/model/article/doc', {
    document: { heading: '夏のいもり' },
    type: 'PUBLISH',
  })
  await expect.poll(() => received.some(({ path }) => path === '/gone')).toBe(true)
  await expect(async () => {
    await page.goto(`${url}/pond`)
    await expect(
      page.getByText(
        'The webhook “Old site” was disabled, because its receiver accepts no further requests.',
      ),
    ).toBeVisible({ timeout: 2_000 })
  }).toPass()
  await expectAccessible(page, 'home page with a disabled webhook')
  await page.getByRole('link', { name: 'Open the webhook' }).click()
  await expect(page.getByText('Disabled: receiver is gone')).toBeVisible()
}

test('a webhook is created from a preset, corrected after a failure and copied, and the copy is deleted', async ({
  page,
  browser,
  app,
}) => {
  received.length = 0
  await enter(page.request, app.url, 'pond', [article])
  await makeFromPreset(page)
  await sendFailingTest(page)
  await seesItFail(page, app)
  await correctAddress(page)
  await renewDisableAndCopy(page)
  await deletesInEnglish(page, app)
  await isSeenByAdminsOnly(page, browser, app)
  await seesProblemAtHome(page, app)
})
