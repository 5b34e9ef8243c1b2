import { expectAccessible } from './axe.ts'
import { expect, own, test } from './fixtures.ts'
import { lookAt } from './look-at.ts'
import { enter, joinSpace, send } from './management-api.ts'

test.use({ installation: own })

test('the settings of a space are in one list that can be searched and used by keyboard', async ({
  page,
  app,
}) => {
  await enter(page.request, app.url, 'pond', [])
  await page.goto('/pond')
  const rail = page.getByRole('navigation', { name: 'メインメニュー' })
  // The rail has one link for all settings.
  await expect(rail.getByRole('link')).toHaveText(['ホーム', 'メディア', 'フォーム', 'ブログ', '設定'])
  const settings = rail.getByRole('link', { name: '設定', exact: true })
  await settings.click()
  await expect(page).toHaveURL(/\/pond\/-$/)
  await expect(page).toHaveTitle('設定 – Imori')
  await expect(settings).toHaveAttribute('aria-current', 'page')
  await lookAt(page, 'settings')

  await page.setViewportSize({ width: 1280, height: 900 })
  await page.keyboard.press('/')
  await expect(page.getByRole('searchbox', { name: '設定を検索' })).toBeFocused()
  await page.keyboard.type('shoumei')
  const list = page.getByRole('navigation', { name: '設定', exact: true })
  await expect(list.getByRole('link')).toHaveText(['シングルサインオン（SSO）', '画像の配信'])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await expect(list.getByRole('link', { name: '画像の配信' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('画像の配信')
  await expect(list.getByRole('link', { name: '画像の配信' })).toHaveAttribute('aria-current', 'page')
  // The chosen link disappeared with the overview. The section has the focus, so Tab continues there, not in the list
  // next to it.
  await expect(page.locator('#section')).toBeFocused()
  await lookAt(page, 'section')

  await page.setViewportSize({ width: 1280, height: 900 })
  await list.getByRole('link', { name: '監査ログ' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('監査ログ')
  await expect(settings).toHaveAttribute('aria-current', 'page')
  await lookAt(page, 'audit-log')
})

test('on a phone the list of settings is a page, and a section links back to it', {
  tag: '@full',
}, async ({ page, app }) => {
  await enter(page.request, app.url, 'pond', [])
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto('/pond/-/members')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('メンバー')
  await expect(page.getByRole('searchbox', { name: '設定を検索' })).toBeHidden()
  await page.getByRole('link', { name: '設定', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('設定')
  await page.getByRole('link', { name: 'ロール', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('ロール')
  await page.goBack()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('設定')
})

test('the lists of app settings and of installation settings open the chosen page', { tag: '@full' }, async ({
  page,
  app,
}) => {
  await enter(page.request, app.url, 'pond', [])
  await page.goto('/pond/blog/-')
  const list = page.getByRole('navigation', { name: 'App設定' })
  await expect(list.getByRole('link')).toHaveText([
    '基本情報',
    'テンプレートの更新',
    'メンバー',
    '招待',
    '参加リクエスト',
    'ロール',
    'インポート',
    '書き出し',
  ])
  await lookAt(page, 'app-settings')
  await page.setViewportSize({ width: 1280, height: 900 })
  await list.getByRole('link', { name: '書き出し' }).click()
  await expect(page).toHaveURL(/\/pond\/blog\/-\/export$/)
  await lookAt(page, 'app-section')

  await page.goto('/admin')
  await lookAt(page, 'installation')
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.getByRole('link', { name: '登録とスペースの作成' }).click()
  await expect(page).toHaveURL(/\/admin\/settings$/)
  await expectAccessible(page, 'installation settings')
})

test('a link to a page of an open app offers to join the app, and then shows the page', async ({
  page,
  app,
  browser,
}) => {
  await enter(page.request, app.url, 'pond', [])
  const fields = [{ uid: 'title', name: '題名', type: 'TEXT' }]
  const data = { uid: 'note', name: 'メモ', fields }
  await send(page.request, app.url, '/api/project/pond/app/blog/model', { data })
  const context = await browser.newContext({ baseURL: app.url, locale: 'ja-JP', reducedMotion: 'reduce' })
  const member = await context.newPage()
  const natsu = { email: 'natsu@example.com', password: '夏の池は緑色です2026', name: '夏川 凪' }
  await joinSpace(page.request, member.request, app.url, 'pond', natsu)
  await member.goto('/pond/blog/note')
  await member.getByRole('button', { name: 'Appに参加する' }).click()
  await expect(member.getByRole('heading', { level: 1, name: 'メモ' })).toBeVisible()
  await expect(member).toHaveURL(/\/pond\/blog\/note$/)
  await context.close()
})

test('an installation admin decides who may create spaces, and sees spaces and accounts of other users', async ({
  page,
  app,
  browser,
}) => {
  await enter(page.request, app.url, 'pond', [])
  await page.goto('/admin/settings')
  const creators = page.getByRole('region', { name: 'スペースの作成' })
  await creators.getByRole('radio', { name: 'Imoriの管理者だけ' }).check()
  await expect(page.getByText('保存しました')).toBeVisible()
  await expect(creators.getByRole('radio', { name: 'Imoriの管理者だけ' })).toBeChecked()

  const invitation = { app: 'blog', appRoleId: 'app-Subscriber' }
  const issued = await send(page.request, app.url, '/api/project/pond/invitation', { invitation })
  const code = new URL(issued.invitation.url).searchParams.get('code')
  const context = await browser.newContext({ baseURL: app.url, locale: 'ja-JP', reducedMotion: 'reduce' })
  const viewer = await context.newPage()
  const ken = { email: 'ken@example.com', password: '池のほとりの水車小屋', name: '森 健' }
  await send(viewer.request, app.url, '/api/auth/signup', ken)
  await viewer.goto('/spaces')
  await expect(viewer.getByRole('heading', { name: '参加しているスペースはありません' })).toBeVisible()
  await lookAt(viewer, 'no-spaces')
  await viewer.setViewportSize({ width: 1280, height: 900 })
  await send(viewer.request, app.url, '/api/invitation/accept', { code })
  await viewer.reload()
  await expect(viewer.getByRole('link', { name: '池' })).toBeVisible()
  await expect(viewer.getByRole('link', { name: '新しいスペース' })).toHaveCount(0)
  await viewer.goto('/spaces/new')
  await expect(viewer.getByRole('heading', { name: 'スペースを作成する権限がありません' })).toBeVisible()

  const saved = page.waitForResponse((response) => response.request().method() === 'PUT')
  await creators.getByRole('radio', { name: 'アカウントのある人全員' }).check()
  expect((await saved).ok()).toBe(true)
  await viewer.goto('/spaces')
  await viewer.getByRole('link', { name: '新しいスペース' }).first().click()
  await viewer.getByRole('textbox', { name: 'スペース名' }).fill('健の湖')
  await viewer.getByRole('textbox', { name: 'スペースUID' }).fill('ken-lake')
  await viewer.getByRole('button', { name: 'スペースを作成する' }).click()
  await expect(viewer).toHaveURL(/\/ken-lake$/)

  // The admin is not a member of this space.
  await page.goto('/admin/spaces')
  const row = page.getByRole('row', { name: /健の湖/ })
  await expect(row).toContainText('ken-lake')
  await expect(row).toContainText('ken@example.com')
  await page.getByRole('searchbox', { name: 'スペース名・UIDで検索' }).fill('lake')
  await expect(page.getByText('1件', { exact: true })).toBeVisible()
  await lookAt(page, 'all-spaces')
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.getByRole('link', { name: 'アカウント', exact: true }).click()
  await expect(page.getByRole('row', { name: /森 健/ })).toContainText('2')
  await expect(page.getByRole('row', { name: /山田 花/ })).toContainText('Imoriの管理者')
  await lookAt(page, 'accounts')
})

test('a missing page of a space is reported as missing, without a request to an app', {
  tag: '@full',
}, async ({ page, app }) => {
  await enter(page.request, app.url, 'pond', [])
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.goto('/pond/-/usage')
  await expect(page.getByRole('heading', { name: 'このページはありません' })).toBeVisible()
  await expect(page.getByText('参加していないApp')).toBeHidden()
  expect(asked.filter((path) => path.includes('/app/'))).toEqual([])
  await lookAt(page, 'not-there')
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.getByRole('link', { name: '設定の一覧へ' }).click()
  await expect(page).toHaveURL(/\/pond\/-$/)
  await page.goto('/pond/blog/-/usage')
  await page.getByRole('link', { name: '設定の一覧へ' }).click()
  await expect(page).toHaveURL(/\/pond\/blog\/-$/)
  await page.goto('/admin/usage')
  await page.getByRole('link', { name: '設定の一覧へ' }).click()
  await expect(page).toHaveURL(/\/admin$/)
})
