import { expectAccessible } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { enter } from './management-api.ts'

const settings = '/api/project/guarded/security'

test('an admin of a space limits IP addresses, creates an expiring token, and reads the audit log', async ({
  page,
  app,
}) => {
  await enter(page.request, app.url, 'guarded', [])
  await page.goto('/guarded/-/security')
  await expect(page.getByText('今のあなたのIPアドレス：127.0.0.1')).toBeVisible()
  await page.getByRole('switch', { name: '決めたIPアドレスからだけ開けるようにする' }).check()
  const ranges = page.getByRole('textbox', { name: '許可するIPアドレス' })
  await ranges.fill('203.0.113.0/24\n300.1.1.1')
  await page.getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('「300.1.1.1」は、IPアドレスまたは範囲として読み取れません')).toBeVisible()
  await expectAccessible(page, 'security')
  await ranges.fill('203.0.113.0/24')
  await page.getByRole('button', { name: '保存' }).click()
  const dialog = page.getByRole('dialog', { name: 'この設定では、あなたがスペースを開けなくなります' })
  await expect(dialog).toContainText('127.0.0.1')
  await dialog.getByRole('button', { name: 'キャンセル' }).click()
  await ranges.fill('203.0.113.0/24、１２７．０．０．１')
  await page.getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('保存しました')).toBeVisible()
  await expect(ranges).toHaveValue('203.0.113.0/24\n127.0.0.1/32')

  await page.getByRole('link', { name: 'APIキー' }).click()
  await page.getByRole('button', { name: 'CDN APIキーの作成' }).click()
  const token = page.getByRole('dialog')
  await token.getByRole('textbox', { name: 'キーの名前' }).fill('本番サイト')
  await token.getByRole('radio', { name: '日付を決める' }).check()
  await token.getByRole('button', { name: 'キーを作成する' }).click()
  await expect(token.getByText('今日以降の日付を選んでください')).toBeVisible()
  await token.getByLabel('最後の日').fill('2099-12-31')
  await token.getByRole('button', { name: 'キーを作成する' }).click()
  await expect(page.getByText('有効期限：2099/12/31')).toBeVisible()

  await page.getByRole('link', { name: '監査ログ' }).click()
  const log = page.getByRole('list', { name: '監査ログ' })
  await expect(log.getByRole('listitem').first()).toContainText('APIキーを作成本番サイト')
  await expectAccessible(page, 'audit log')
  await page.getByRole('searchbox', { name: '名前・ID・IPアドレスで検索' }).fill('security')
  await expect(log.getByRole('listitem')).toHaveCount(1)
  await log.getByRole('button').click()
  const entry = page.getByRole('dialog', { name: 'セキュリティ設定を変更' })
  await expect(entry.getByRole('row', { name: /アクセスを限定するIPアドレス/ })).toContainText(
    'なし203.0.113.0/24, 127.0.0.1/32',
  )
  await expectAccessible(page, 'audit log entry')
  await page.keyboard.press('Escape')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: '書き出す' }).click()
  await page.getByRole('menuitem', { name: /CSV/ }).click()
  expect((await download).suggestedFilename()).toBe('audit-log.csv')
  await page.getByRole('button', { name: '検証' }).click()
  await expect(page.getByText('封印された記録は書き換えられていません。')).toBeVisible()
  await page.keyboard.press('Escape')

  // Sites that read from other IP addresses would lose access. A dialog therefore asks first, and the ranges stay
  // pending until the admin confirms them.
  await page.goto('/guarded/-/security')
  await page.getByRole('switch', { name: '決めたIPアドレスからだけ使えるようにする' }).check()
  const ofTokens = page.getByRole('region', { name: 'APIキーの利用場所' })
  const rangesOfTokens = ofTokens.getByRole('textbox', { name: '許可するIPアドレス' })
  await rangesOfTokens.fill('10.9.8.0/24\nabc')
  await page.getByRole('button', { name: '保存' }).click()
  await expect(ofTokens.getByText('「abc」')).toBeVisible()
  await rangesOfTokens.fill('10.9.8.0/24')
  await page.getByRole('button', { name: '保存' }).click()
  const limit = page.getByRole('dialog', { name: 'APIキーを使える場所を限定しますか？' })
  await expectAccessible(page, 'limit API keys')
  await limit.getByRole('button', { name: 'キャンセル' }).click()
  expect((await (await page.request.get(settings)).json()).security.tokenIpRanges).toBeNull()
  await page.getByRole('button', { name: '保存' }).click()
  await limit.getByRole('button', { name: '限定する' }).click()
  await expect(page.getByText('この範囲はまだ確定していません')).toBeVisible()
  await expectAccessible(page, 'pending token ranges')
  await page.getByRole('button', { name: 'この範囲で確定する' }).click()
  await expect(page.getByText('範囲を確定しました')).toBeVisible()
  await expect(page.getByText('この範囲はまだ確定していません')).toHaveCount(0)
  const { security } = await (await page.request.get(settings)).json()
  expect(security).toMatchObject({ tokenIpRanges: ['10.9.8.0/24'], tokenIpRangesPendingUntil: null })
})
