import { cleanup, fireEvent, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { answerRequests, renderAsPage } from '#admin/lib/testing.tsx'
import { shownToasts } from '#admin/lib/toast.ts'
import type { Webhook, WebhookDelivery } from '#shared/contract/webhooks.ts'
import { aDelivery, aWebhook } from '../testing.ts'
import { WebhookDeliveryLog } from './delivery-log.tsx'

const fromNow = (ms: number) => new Date(Date.now() + ms).toISOString()

/** Renders the log. Returns the requests that the page has sent. */
async function showLog(webhook: Webhook, deliveries: WebhookDelivery[]) {
  const seen = answerRequests(({ path }) => {
    if (path.includes('csrfToken')) return { body: { csrfToken: 'c' } }
    if (path.endsWith(':redeliver')) return { body: { webhook, count: 6 } }
    return { body: { deliveries, isMore: false } }
  })
  await renderAsPage(() => <WebhookDeliveryLog p="acme" webhook={webhook} />)
  return seen
}

async function textOfRow(webhook: Webhook, delivery: WebhookDelivery): Promise<string> {
  await showLog(webhook, [delivery])
  return (await screen.findByRole('listitem')).textContent ?? ''
}

const waiting = { state: 'waiting', endedAt: null } as const
const retrying = { ...waiting, reason: 'status', status: 503, attempts: 2 } as const

afterEach(cleanup)

describe('a row of the log', () => {
  it('names the content, the app and the model', async () => {
    const text = await textOfRow(aWebhook(), aDelivery())
    expect(text).toContain('秋の新作')
    expect(text).toContain('ブログ / 記事')
  })

  it('shows the ID of content without a title', async () => {
    expect(await textOfRow(aWebhook(), aDelivery({ title: null }))).toContain('doc1')
  })

  it('lists the event types of a batch, and the time until it is sent', async () => {
    const text = await textOfRow(
      aWebhook({ batchSeconds: 60 }),
      aDelivery({
        ...waiting,
        attempts: 0,
        status: null,
        took: null,
        events: 2,
        eventTypes: ['document.published', 'document.deletedPublished'],
        documentId: null,
        title: null,
        nextAt: fromNow(40_000),
      }),
    )
    expect(text).toContain('コンテンツを公開、公開中のコンテンツを削除（2件）')
    expect(text).toMatch(/(40|3\d)秒後に送信/)
  })

  it('shows the time until a retry, also if it is due now', async () => {
    expect(await textOfRow(aWebhook(), aDelivery({ ...retrying, nextAt: fromNow(90_000) }))).toContain(
      '2分後に再試行',
    )
    cleanup()
    expect(await textOfRow(aWebhook(), aDelivery({ ...retrying, nextAt: fromNow(-1) }))).toContain(
      'まもなく再試行',
    )
  })

  it('shows the end of a pause, or of the time that the receiver asked to wait, instead of an earlier retry', async () => {
    const delivery = aDelivery({ ...retrying, nextAt: fromNow(-60_000) })
    const paused = aWebhook({ paused: { since: fromNow(-60_000), until: fromNow(600_000) } })
    expect(await textOfRow(paused, delivery)).toContain('一時停止が終わるまで待機（')
    cleanup()
    const probing = aWebhook({ paused: { since: fromNow(-60_000), until: fromNow(-1000) } })
    expect(await textOfRow(probing, delivery)).toContain('送信先が1件受け取るまで待機')
    cleanup()
    expect(await textOfRow(aWebhook({ retryAfter: fromNow(600_000) }), delivery)).toContain(
      '送信先の求めで待機',
    )
    cleanup()
    expect(await textOfRow(aWebhook({ enabled: false }), delivery)).toContain('Webhookを有効にするまで待機')
  })
})

describe('the menu to resend requests', () => {
  it('resends the failed requests of a period by default, and all of them if chosen', async () => {
    const seen = await showLog(aWebhook(), [])
    const resend = async (all: boolean) => {
      fireEvent.click(await screen.findByRole('button', { name: '再送' }))
      fireEvent.click(await screen.findByRole('menuitem', { name: '期間を決めて再送' }))
      const choice = await screen.findByRole('radio', { name: 'すべて（届いていたものも含む）' })
      if (all) fireEvent.click(choice)
      fireEvent.click(screen.getByRole('button', { name: '再送する' }))
      await expect.poll(() => screen.queryByRole('radio')).toBeNull()
      return seen.findLast(({ method }) => method === 'POST')?.body
    }
    expect(await resend(false)).toMatchObject({ data: { from: expect.any(String), state: 'failed' } })
    expect(await resend(true)).toEqual({ data: { from: expect.any(String), to: expect.any(String) } })
    expect(shownToasts().at(-1)?.message).toBe('6件を再送します')
  })

  it('does not open for a disabled webhook, and shows the reason', async () => {
    await showLog(aWebhook({ enabled: false }), [])
    const button = await screen.findByRole('button', { name: '再送' })
    expect(button.getAttribute('aria-disabled')).toBe('true')
    fireEvent.click(button)
    expect(screen.queryByRole('menuitem')).toBeNull()
    fireEvent.mouseEnter(button)
    await screen.findByText('Webhookが停止中です。再送するには、先に有効にしてください。')
  })
})
