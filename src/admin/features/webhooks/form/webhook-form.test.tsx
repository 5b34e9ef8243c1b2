import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { parseSearch, stringifySearch } from '#admin/lib/search-params.ts'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import type { Webhook } from '#shared/contract/webhooks.ts'
import { aWebhook } from '../testing.ts'
import { EditWebhookPage } from './edit-webhook-page.tsx'
import { NewWebhookPage } from './new-webhook-page.tsx'

const webhook = aWebhook({
  _id: '0123456789abcdef01234567',
  name: '本番サイト',
  url: 'https://example.com/hook',
  headers: [
    { name: 'Accept', value: 'text/plain', isSecret: false },
    { name: 'Authorization', value: 'Bearer abc', isSecret: false },
  ],
  version: 3,
})

interface Answers {
  held?: string[]
  apps?: object[]
  /** The webhook on the server. */
  current?: () => Webhook
  /** The response to a request that saves. */
  save?: (body: unknown) => { status?: number; body: unknown }
}

/** Shows a page of webhooks in the routes of the admin. Returns the history. */
async function show(
  href: string,
  { held = ['webhook.manage', 'document.read'], apps = [], ...server }: Answers,
) {
  const requests = answerRequests(({ method, path, body }) => {
    if (path.endsWith('/currentRole')) return { body: { currentRole: { uid: 'admin', name: '', held } } }
    if (path.endsWith('/app')) return { body: { apps } }
    if (method === 'GET' && path.includes('/webhook'))
      return { body: { webhook: server.current?.() ?? webhook } }
    if (method === 'GET') return { body: { csrfToken: 'x' } }
    return server.save?.(body) ?? { status: 503, body: { code: 'ServiceUnavailable' } }
  })
  const root = createRootRoute()
  const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in' })
  const space = createRoute({ getParentRoute: () => signedIn, path: '$p' })
  const settings = createRoute({ getParentRoute: () => space, id: 'settings' })
  const pageAt = (path: string, component: () => React.ReactNode) =>
    createRoute({ getParentRoute: () => settings, path, component })
  const routeTree = root.addChildren([
    signedIn.addChildren([
      space.addChildren([
        settings.addChildren([
          pageAt('/-/webhooks', () => 'list'),
          pageAt('/-/webhooks/new', NewWebhookPage),
          pageAt('/-/webhooks/$webhook', () => 'page of the webhook'),
          pageAt('/-/webhooks/$webhook/edit', EditWebhookPage),
        ]),
      ]),
    ]),
  ])
  const history = createMemoryHistory({ initialEntries: [href] })
  const router = createRouter({ routeTree, history, parseSearch, stringifySearch })
  // `RouterProvider` is typed for the admin's own router.
  await renderInAdmin(<RouterProvider router={router as never} />)
  return { requests, history }
}

const input = (name: RegExp | string) => screen.findByRole<HTMLInputElement>('textbox', { name })
const type = (element: HTMLElement, value: string) => fireEvent.change(element, { target: { value } })
const nameInput = async () =>
  within(await screen.findByRole('region', { name: '送信先' })).getByRole<HTMLInputElement>('textbox', {
    name: /^名前/,
  })
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))

// Text areas that grow observe the fonts. happy-dom has none.
Object.defineProperty(document, 'fonts', { value: new EventTarget(), configurable: true })
afterEach(cleanup)

describe('the form of an existing webhook', () => {
  const href = `/pond/-/webhooks/${webhook._id}/edit`

  it('sends the version with which it began, and loads the current settings after a conflict', async () => {
    let current = webhook
    const { requests } = await show(href, {
      current: () => current,
      save: () => ({ status: 409, body: { code: 'VersionConflict' } }),
    })
    expect(await screen.findByRole('heading', { name: '「本番サイト」の編集' })).toBeTruthy()
    type(await nameInput(), '新しい名前')
    current = { ...webhook, name: 'ほかの人の名前', version: 4 }
    press('保存する')
    expect((await screen.findByRole('alert')).textContent).toContain('ほかのメンバーによって変更されました')
    expect(requests.find(({ method }) => method === 'PATCH')?.body).toMatchObject({
      data: { name: '新しい名前', version: 3 },
    })
    press('最新の設定を読み込む')
    await waitFor(async () => expect((await nameInput()).value).toBe('ほかの人の名前'))
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('shows an issue of the server at the input of a header, and focuses this input', async () => {
    const issues = [{ path: 'data.headers.1.name', code: 'ReservedWord' }]
    await show(href, { save: () => ({ status: 400, body: { code: 'ValidationFailed', issues } }) })
    type(await nameInput(), '新しい名前')
    press('保存する')
    const message = await screen.findByText('このヘッダーの名前は予約されているため、使えません')
    const header = within(screen.getByRole('group', { name: 'Authorization' }))
    const wrong = header.getByRole('textbox', { name: '名前' })
    expect(document.activeElement).toBe(wrong)
    expect(wrong.getAttribute('aria-describedby')).toContain(message.id)
    const marked = screen.getAllByRole('textbox').filter((one) => one.getAttribute('aria-invalid') === 'true')
    expect(marked).toEqual([wrong])
  })
})

describe('the form of a new webhook', () => {
  it('refuses the parts of a template in the URL, and an authorization without its token', async () => {
    const { requests } = await show('/pond/-/webhooks/new?preset=github', {})
    expect(await screen.findByText(/repository_dispatch:\s+types: \[imori\]/)).toBeTruthy()
    press('作成する')
    expect(await screen.findByText('URLの「OWNER」を、実際の値に書き換えてください')).toBeTruthy()
    const url = await input(/^URL/)
    expect(document.activeElement).toBe(url)
    type(url, 'https://api.github.com/repos/imori/…/dispatches')
    expect(screen.getByText(/「…」を含むURLは見本です/)).toBeTruthy()
    type(url, 'https://api.github.com/repos/imori/site/dispatches')
    press('作成する')
    const header = within(screen.getByRole('group', { name: 'Authorization' }))
    expect(header.getByText('「Bearer」の後ろに、半角の空白とトークンを入れてください')).toBeTruthy()
    expect(document.activeElement).toBe(header.getByRole('textbox', { name: '値' }))
    expect(requests.some(({ method }) => method === 'POST')).toBe(false)
  })

  it('explains why no app can be chosen', async () => {
    await show('/pond/-/webhooks/new?preset=own', {
      held: ['webhook.manage'],
      apps: [{ uid: 'blog', name: 'ブログ', joined: false }],
    })
    expect(await screen.findByText(/該当するAppがないため、Webhookを保存できません/)).toBeTruthy()
    expect(screen.queryByRole('checkbox', { name: 'ブログ' })).toBeNull()
  })

  it('fills an empty custom body with a template, and shows a message for a batching window over 300', async () => {
    await show('/pond/-/webhooks/new?preset=own', {})
    type(await nameInput(), 'サイト')
    type(await input(/^URL/), 'https://example.com/')
    fireEvent.click(screen.getByRole('radio', { name: '自分で書く' }))
    expect((await input('本文のJSON')).value).toContain('"event": "{{event}}"')
    const batch = screen.getByRole<HTMLInputElement>('textbox', { name: /^まとめる時間/ })
    type(batch, '999')
    fireEvent.blur(batch)
    expect(batch.value).toContain('999')
    press('作成する')
    await waitFor(() => expect(batch.getAttribute('aria-invalid')).toBe('true'))
  })

  it.each([
    ['vercel', '次へ：テスト送信', false],
    ['own', '署名キーを控えました。次へ：テスト送信', true],
  ])(
    'shows the signing secret after creating a webhook with the preset %s',
    async (preset, next, isShown) => {
      const { history } = await show(`/pond/-/webhooks/new?preset=${preset}`, {
        save: () => ({ body: { webhook: { ...webhook, signingSecret: 'whsec_abc' } } }),
      })
      type(await nameInput(), '本番サイト')
      type(await input(/^URL/), 'https://example.com/')
      press('作成する')
      expect(await screen.findByRole('heading', { name: '「本番サイト」を作成しました' })).toBeTruthy()
      expect(screen.queryByDisplayValue('whsec_abc') !== null).toBe(isShown)
      await waitFor(() => expect(history.location.search).toBe(`?created=${webhook._id}`))
      if (!isShown) press('署名キーを表示')
      expect(screen.getByDisplayValue('whsec_abc')).toBeTruthy()
      if (isShown) {
        history.push('/pond/-/webhooks')
        const dialog = await screen.findByRole('dialog', { name: '署名キーを控えましたか？' })
        fireEvent.click(within(dialog).getByRole('button', { name: 'このページに残る' }))
      }
      press(next)
      expect(await screen.findByText('page of the webhook')).toBeTruthy()
    },
  )

  it('shows the page of the created webhook after a reload', async () => {
    await show(`/pond/-/webhooks/new?created=${webhook._id}`, {})
    expect(await screen.findByText('page of the webhook')).toBeTruthy()
  })
})
