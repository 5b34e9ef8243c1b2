import { type Page, request } from '@playwright/test'
import { expectAccessible } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { enter, joinSpace } from './management-api.ts'

const user = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: 'kaede@example.com',
  name: { familyName: '秋野', givenName: '楓' },
  emails: [{ value: 'kaede@example.com', type: 'work', primary: true }],
  active: true,
}
const groupSchemas = ['urn:ietf:params:scim:schemas:core:2.0:Group']

/** Sets up SCIM on the page of the space. Returns the URL and the token for a directory. */
async function connectDirectory(page: Page): Promise<{ url: string; token: string }> {
  await page.goto('/directory/-/scim')
  await page.getByRole('button', { name: 'SCIMを設定' }).click()
  const issued = page.getByRole('region', { name: 'トークンを発行しました' })
  const token = await issued.getByLabel('トークン', { exact: true }).inputValue()
  await expectAccessible(page, 'scim')
  await issued.getByRole('button', { name: '閉じる' }).click()
  await expect(issued).toBeHidden()
  return { url: await page.getByLabel('SCIMのURL（テナントURL）').inputValue(), token }
}

test("a user added by SCIM is invited with the role mapped to the user's group", async ({ page, app }) => {
  await enter(page.request, app.url, 'directory', [])
  const { url, token } = await connectDirectory(page)
  const directory = await request.newContext({
    extraHTTPHeaders: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
  })
  const added = await directory.post(`${url}/Users`, { data: user })
  expect(added.status()).toBe(201)
  const members = [{ value: (await added.json()).id }]
  const group = { schemas: groupSchemas, displayName: '編集部', members }
  expect((await directory.post(`${url}/Groups`, { data: group })).status()).toBe(201)

  await page.getByRole('link', { name: 'グループとロール' }).first().click()
  await page.getByRole('button', { name: 'グループを追加', exact: true }).click()
  await page.getByLabel('1行目のグループ名', { exact: true }).fill('編集部')
  await page.getByRole('combobox', { name: '1行目のロール', exact: true }).click()
  await page.getByRole('option', { name: '管理者' }).click()
  await expectAccessible(page, 'group roles')
  await page.getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('保存しました')).toBeVisible()

  await page.goto('/directory/-/invitations')
  const invited = page.getByRole('listitem').filter({ hasText: 'kaede@example.com' })
  await expect(invited).toContainText('管理者')
  await directory.dispose()
})

test('a member requests to join a private app, and can open the app after an admin accepts', async ({
  page,
  app,
  browser,
}) => {
  await enter(page.request, app.url, 'directory', [])
  await page.goto('/directory/blog/-/settings')
  const access = page.getByRole('region', { name: 'アクセス' })
  await access.getByRole('radio', { name: '非公開App' }).check()
  await access.getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('保存しました')).toBeVisible()

  const context = await browser.newContext({ baseURL: app.url, locale: 'ja-JP', reducedMotion: 'reduce' })
  const member = await context.newPage()
  const mio = { email: 'mio@example.com', password: '夏の池は緑色です2026', name: '夏川 澪' }
  await joinSpace(page.request, member.request, app.url, 'directory', mio)
  await member.goto('/directory/blog')
  await member.getByRole('button', { name: '参加をリクエストする' }).click()
  await member.getByLabel('メッセージ（任意）').fill('原稿を書きます')
  await expectAccessible(member, 'request for access')
  await member.getByRole('button', { name: 'リクエストを送る' }).click()
  await expect(member.getByText('リクエストを受け付けました')).toBeVisible()

  await page.getByRole('link', { name: '参加リクエスト' }).click()
  const asked = page.getByRole('list', { name: '参加リクエスト' }).getByRole('listitem')
  await expect(asked).toContainText('夏川 澪')
  await expect(asked).toContainText('原稿を書きます')
  await expectAccessible(page, 'access requests')
  await asked.getByRole('button', { name: '承認する' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '承認する' }).click()
  await expect(page.getByText('夏川 澪さんを追加しました')).toBeVisible()
  await expect(page.getByText('参加リクエストはありません')).toBeVisible()
  await member.goto('/directory/blog')
  await expect(member.getByRole('link', { name: 'ブログ' }).first()).toBeVisible()
  await context.close()
})
