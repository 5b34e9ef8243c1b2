import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { answerRequests, renderAsPage } from '#admin/lib/testing.tsx'
import { closeAllToasts, shownToasts } from '#admin/lib/toast.ts'
import type { Webhook } from '#shared/contract/webhooks.ts'
import { WebhookProblems } from '../apps/webhook-problems.tsx'
import { aDelivery, aWebhook } from './testing.ts'
import { About } from './webhook-page.tsx'

const fromNow = (ms: number) => new Date(Date.now() + ms).toISOString()

/** Renders the state of a webhook, with a server that responds to each request about it. */
async function showAbout(
  webhook: Webhook,
  patch: { status?: number; body: unknown } = { body: { webhook } },
) {
  const seen = answerRequests(({ path, method }) => {
    if (path.includes('csrfToken')) return { body: { csrfToken: 'c' } }
    if (path.endsWith('/app')) return { body: { apps: [{ uid: 'blog', name: 'ブログ' }] } }
    if (path.endsWith('/model'))
      return { body: { models: ['a', 'b', 'c'].map((uid) => ({ uid, name: `モデル${uid}` })) } }
    if (path.endsWith(':redeliver')) return { body: { webhook, count: 6 } }
    if (path.endsWith('/send')) return { body: { webhook, delivery: aDelivery({ event: 'test' }) } }
    if (method === 'PATCH') return patch
    return { body: { webhook } }
  })
  await renderAsPage(() => <About p="acme" webhook={webhook} />)
  return seen
}

afterEach(() => {
  cleanup()
  act(closeAllToasts)
})

describe('the page of a webhook', () => {
  it('names up to three models of each app', async () => {
    await showAbout(aWebhook({ targets: [{ app: 'blog', models: ['a', 'b', 'c', 'd', 'e'] }] }))
    await screen.findByText('ブログ（モデルa、モデルb、モデルc、ほか2件）')
  })

  it('shows since when a receiver fails, and that “Try now” sends one request first', async () => {
    await showAbout(
      aWebhook({
        failingSince: fromNow(-900_000),
        paused: { since: fromNow(-60_000), until: fromNow(60_000) },
        failures: 10,
        waiting: 6,
      }),
    )
    await screen.findByText(/から送信に失敗しています/)
    fireEvent.click(screen.getByRole('button', { name: '今すぐ試す' }))
    await expect
      .poll(() => shownToasts().at(-1)?.message)
      .toBe('まず1件を送ります。受け取られれば、残りも送ります')
  })

  it('reloads the webhook after a test, and accepts the next test only two seconds later', async () => {
    const seen = await showAbout(aWebhook({ paused: { since: fromNow(-60_000), until: fromNow(60_000) } }))
    const button = await screen.findByRole('button', { name: 'テスト送信' })
    fireEvent.click(button)
    await screen.findByText(/一時停止を終えて、待機中のものを送ります/)
    fireEvent.click(button)
    expect(seen.filter(({ path }) => path.endsWith('/send'))).toHaveLength(1)
    await expect.poll(() => (button as HTMLButtonElement).disabled).toBe(false)
  })

  it('says what happens to waiting requests of a disabled webhook', async () => {
    const webhook = aWebhook({ enabled: false, waiting: 3 })
    await showAbout(webhook, { body: { webhook: { ...webhook, enabled: true } } })
    await screen.findByText(/待機中のものが3件あります/)
    fireEvent.click(screen.getByRole('button', { name: '有効にする' }))
    await expect
      .poll(() => shownToasts().at(-1)?.message)
      .toBe('「サイトのビルド」を有効にしました。待機中の3件を送ります')
  })

  it('names the missing permission if enabling is refused', async () => {
    const issues = [{ path: 'data.targets.0.app', code: 'NotAllowed' }]
    await showAbout(aWebhook({ enabled: false }), { status: 403, body: { code: 'Forbidden', issues } })
    fireEvent.click(await screen.findByRole('button', { name: '有効にする' }))
    await expect
      .poll(() => shownToasts().at(-1)?.message)
      .toContain('対象のAppのすべてのコンテンツを閲覧する権限が必要です')
  })
})

describe('WebhookProblems', () => {
  it('shows webhooks that are paused, disabled by the receiver, or failing for more than 30 minutes', async () => {
    const webhooks = [
      aWebhook({ _id: '1', name: '一', paused: { since: fromNow(-60_000), until: fromNow(60_000) } }),
      aWebhook({ _id: '2', name: '二', enabled: false, disabledAt: fromNow(-60_000) }),
      aWebhook({ _id: '3', name: '三', failingSince: fromNow(-31 * 60_000) }),
      aWebhook({ _id: '4', name: '四', failingSince: fromNow(-29 * 60_000) }),
      aWebhook({ _id: '5', name: '五', enabled: false, failingSince: fromNow(-31 * 60_000) }),
    ]
    answerRequests(() => ({ body: { webhooks } }))
    await renderAsPage(() => <WebhookProblems p="acme" />)
    const alerts = await screen.findAllByRole('alert')
    expect(alerts.map(({ textContent }) => textContent?.match(/「(.)」/)?.[1])).toEqual(['一', '二', '三'])
    expect(alerts[2]?.textContent).toContain('から送信に失敗しています')
  })
})
