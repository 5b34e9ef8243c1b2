import type { Page } from '@playwright/test'
import pg from 'pg'
import { expectAccessible } from './axe.ts'
import { expect, own, test } from './fixtures.ts'
import { enter, send } from './management-api.ts'
import { photograph } from './photograph.ts'

/*
 * With `E2E_SCREENS=1`, checks the pages for signing in, for settings and for refused access with axe and saves
 * screenshots. Both languages, colour schemes and widths are covered.
 */
test.use({ installation: own })
test.skip(!process.env.E2E_SCREENS, 'only takes pictures')

async function look(page: Page, name: string, path: string, locale: string): Promise<void> {
  await page.goto(path)
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.locator('.mantine-Skeleton-root')).toHaveCount(0)
      await photograph(page, `${name}-${locale}-${width}-${colorScheme}`)
      await expectAccessible(page, `${name} ${locale} ${width} ${colorScheme}`)
    }
  }
}

test('pages for signing in, account settings, space security and refused access pass axe', {
  tag: '@full',
}, async ({ browser, app, page }) => {
  test.setTimeout(900_000)
  await enter(page.request, app.url, 'pond', [])
  const database = new pg.Client(app.database)
  await database.connect()
  const api = '/api/project/pond'
  const oidc = { issuer: 'https://login.example.co.jp', clientId: 'imori' }
  const domains = ['example.co.jp', 'some-very-long-name-of-a-subsidiary.example.com']
  await send(page.request, app.url, `${api}/sso`, { data: { kind: 'oidc', domains, oidc } }, 'PUT')
  await send(page.request, app.url, `${api}/sso/domain:confirm`, { domain: domains[0] })
  const { currentAccount } = await (await page.request.get('/api/auth/getCurrentAccount')).json()
  const { members } = await (await page.request.get(`${api}/members`)).json()
  await database.query(
    `INSERT INTO sso_identity (connection_id, issuer, subject, space_id, account_id, made_account)
       SELECT id, $1, '00u1a2b3c4d5e6f7g8h9', space_id, $2, false FROM sso_connection`,
    [oidc.issuer, currentAccount._id],
  )
  for (const [locale, language] of [
    ['ja-JP', 'ja'],
    ['en-US', 'en'],
  ] as const) {
    const outside = await browser.newPage({ locale, baseURL: app.url, reducedMotion: 'reduce' })
    for (const [name, path] of [
      ['login', '/login'],
      ['forgot', '/forgot-password'],
      ['sso-login', '/sso/login'],
      ['sso-login-space', '/sso/login?space=pond&error=SsoAddressNotAllowed'],
      ['sso-verify', '/sso/verify#none'],
      ['confirm', '/confirm#none'],
      ['reset', '/reset-password#none'],
      ['two-factor', '/two-factor-authentication'],
    ] as const)
      await look(outside, name, path, language)
    await outside.close()

    const account = `/api/account/${currentAccount._id}`
    await send(page.request, app.url, account, { data: { language, colorScheme: 'auto' } }, 'PUT')
    for (const [name, path] of [
      ['account', '/account'],
      ['account-security', '/account/security'],
      ['account-two-factor', '/account/two-factor'],
      ['sso', '/pond/-/sso'],
      ['security', '/pond/-/security'],
      ['member', `/pond/-/members/${members[0]._id}`],
      ['not-found', '/pond/-/nothing-here'],
    ] as const)
      await look(page, name, path, language)
    const closed = { data: { ipRanges: ['203.0.113.0/24'] }, lockOutMyself: true }
    await send(page.request, app.url, `${api}/security`, closed, 'PUT')
    await look(page, 'refused-address', '/pond', language)
    await database.query('UPDATE space_security SET ip_ranges = NULL, second_factor = true')
    await look(page, 'refused-second-factor', '/pond', language)
    await database.query('UPDATE space_security SET second_factor = false, sso_required = true')
    await look(page, 'refused-sso', '/pond', language)
    await database.query('UPDATE space_security SET sso_required = false')
  }
  await database.end()
})
