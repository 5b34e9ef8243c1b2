import { useQuery } from '@tanstack/react-query'
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { spaceRoleQuery } from '#admin/lib/queries.ts'
import { answerRequests, renderAsPage } from '#admin/lib/testing.tsx'
import { closeAllToasts } from '#admin/lib/toast.ts'
import type { Form } from '#shared/contract/forms.ts'
import { aForm } from '../testing.ts'
import { FormMails } from './mail-page.tsx'

interface Answers {
  rights?: string[]
  save?: (data: Form) => { status?: number; body: unknown }
  test?: { status?: number; body: unknown }
}

/** The route of the space loads the role before it shows a page. */
function Page({ form }: { form: Form }) {
  return useQuery(spaceRoleQuery('pond')).data ? <FormMails p="pond" loaded={form} /> : null
}

/** Shows the mails of a form. Returns functions that return the bodies that were saved and previewed. */
async function showMails(form: Form, { rights = ['form.read', 'form.manage'], save, test }: Answers = {}) {
  const requests = answerRequests(({ method, path, body }) => {
    if (path.endsWith('/currentRole')) return { body: { currentRole: { uid: 'a', name: '', held: rights } } }
    if (path.endsWith('/csrfToken')) return { body: { csrfToken: 'x' } }
    if (path.endsWith('mail:preview')) {
      const { data } = body as { data: { kind: string; reply?: Form['reply'] } }
      return { body: { subject: `件名 ${data.kind}`, text: data.reply?.body.ja ?? '通知の本文' } }
    }
    if (path.endsWith('mail:test')) return test ?? { body: { to: 'me@example.com' } }
    if (method === 'PUT') {
      const { data } = body as { data: Form }
      return save?.(data) ?? { body: { form: { ...form, ...data, version: form.version + 1 } } }
    }
    const newer = { ...form, version: 9, notification: { ...form.notification, to: ['new@example.com'] } }
    return { body: { form: newer, forms: [] } }
  })
  await renderAsPage(() => <Page form={form} />)
  await screen.findByRole('heading', { name: '通知' })
  return () =>
    requests.filter(({ method }) => method === 'PUT').map(({ body }) => (body as { data: Form }).data)
}

const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }))
const flip = (name: RegExp) => fireEvent.click(screen.getByRole('switch', { name }))
const input = (name: string | RegExp) => screen.getByRole<HTMLInputElement>('textbox', { name })
const type = (name: string | RegExp, value: string) => fireEvent.change(input(name), { target: { value } })
const addresses = () =>
  screen.getAllByRole<HTMLInputElement>('textbox', { name: /^通知先/ }).map(({ value }) => value)
const paste = (name: string, text: string) =>
  fireEvent.paste(input(name), { clipboardData: { getData: () => text } })
const preview = () => within(screen.getByRole('region', { name: 'プレビュー' }))

const notification = { to: ['a@example.com'], language: 'ja', includesValues: true } as const
const reply = {
  enabled: true,
  subject: { ja: '受け付けました', en: '' },
  body: { ja: 'ありがとうございます。', en: '' },
  replyTo: null,
}

// Text areas that grow observe the fonts. happy-dom has none.
Object.defineProperty(document, 'fonts', { value: new EventTarget(), configurable: true })
afterEach(() => {
  cleanup()
  act(closeAllToasts)
})

describe('the notification of a form', () => {
  it('is saved with a pasted list of addresses, and everything else stays', async () => {
    const form = aForm({ reply })
    const saved = await showMails(form)
    paste('通知先1', 'a@example.com, 担当 <b@example.com>\nc@example.com')
    expect(addresses()).toEqual(['a@example.com', 'b@example.com', 'c@example.com', ''])
    press('「b@example.com」を削除')
    flip(/^送られた内容をメールに含める/)
    expect(screen.getByText(/受信箱へのリンクだけ/)).toBeTruthy()
    press('保存する')
    await waitFor(() => expect(saved()).toHaveLength(1))
    expect(saved()[0]).toMatchObject({
      notification: { to: ['a@example.com', 'c@example.com'], language: 'ja', includesValues: false },
      reply,
      fields: form.fields,
      version: 1,
    })
  })

  it('shows each issue at its address, and focuses the first one', async () => {
    const saved = await showMails(aForm({ notification: { ...notification, to: ['a@example.com'] } }))
    type('通知先2', 'wrong')
    type('通知先3', 'A@example.com')
    press('保存する')
    await waitFor(() => expect(document.activeElement).toBe(input('通知先2')))
    expect(input('通知先1').getAttribute('aria-invalid')).not.toBe('true')
    expect(screen.getByText('メールアドレスの形式が正しくありません')).toBeTruthy()
    expect(screen.getByText('同じメールアドレスがあります')).toBeTruthy()
    expect(saved()).toEqual([])
  })

  it('refuses too many addresses without losing any of them', async () => {
    const saved = await showMails(aForm())
    paste('通知先1', Array.from({ length: 11 }, (_, index) => `a${index}@example.com`).join('\n'))
    press('保存する')
    expect(await screen.findByText('10件以内にしてください')).toBeTruthy()
    expect(addresses()).toHaveLength(11)
    expect(saved()).toEqual([])
  })

  it('explains that values need the right to read submissions', async () => {
    await showMails(aForm(), {
      save: () => ({
        status: 403,
        body: { code: 'Forbidden', issues: [{ path: 'data.notification', code: 'NotAllowed' }] },
      }),
    })
    type('通知先1', 'a@example.com')
    press('保存する')
    expect(await screen.findByText(/受信箱を閲覧する権限がないため/)).toBeTruthy()
  })
})

describe('the automatic reply of a form', () => {
  it('begins with a text, and inserts placeholders at the cursor', async () => {
    const saved = await showMails(aForm())
    flip(/^自動返信を送る/)
    expect(input('件名').value).toBe('「お問い合わせ」を受け付けました')
    type('本文', '様、ありがとうございます。')
    input('本文').focus()
    input('本文').setSelectionRange(0, 0)
    press('入力された値を差し込む')
    fireEvent.click(await screen.findByRole('menuitem', { name: /お名前/ }))
    await waitFor(() => expect(input('本文').value).toBe('{{name}}様、ありがとうございます。'))
    fireEvent.click(
      within(screen.getByRole('region', { name: '自動返信' })).getByRole('radio', { name: 'English' }),
    )
    type('本文', 'Thank you, {{company}}.')
    expect(screen.getByText(/\{\{company\}\} という名前の項目はありません/)).toBeTruthy()
    press('保存する')
    await waitFor(() => expect(saved()).toHaveLength(1))
    expect(saved()[0]?.reply).toMatchObject({
      enabled: true,
      body: { ja: '{{name}}様、ありがとうございます。', en: 'Thank you, {{company}}.' },
    })
  })

  it('needs a text, and shows issues of the server at their inputs', async () => {
    const saved = await showMails(aForm({ reply }), {
      save: () => ({
        status: 400,
        body: { code: 'ValidationFailed', issues: [{ path: 'data.reply.replyTo', code: 'InvalidFormat' }] },
      }),
    })
    type('本文', ' ')
    press('保存する')
    await waitFor(() => expect(document.activeElement).toBe(input('本文')))
    expect(saved()).toEqual([])
    type('本文', '届きました。')
    press('保存する')
    await waitFor(() => expect(input('返信先のメールアドレス').getAttribute('aria-invalid')).toBe('true'))
  })

  it('warns if the form has no e-mail field', async () => {
    await showMails(aForm({ reply, fields: aForm().fields.filter(({ type }) => type !== 'email') }))
    expect(screen.getByText(/メールアドレスの項目がありません/)).toBeTruthy()
  })
})

describe('the preview of mails', () => {
  it('shows the unsaved text, and sends a test', async () => {
    const saved = await showMails(aForm({ reply }))
    expect(await preview().findByText('件名 notification')).toBeTruthy()
    fireEvent.click(preview().getByRole('radio', { name: '返信（日本語）' }))
    type('本文', '書きかけの文')
    expect(await preview().findByText('書きかけの文')).toBeTruthy()
    press('自分にテスト送信')
    expect(await preview().findByText(/^me@example\.com 宛ての送信を受け付けました。/)).toBeTruthy()
    press('保存する')
    await waitFor(() => expect(saved()).toHaveLength(1))
    expect(await preview().findByText('書きかけの文')).toBeTruthy()
  })

  it('explains that tests need a confirmed address', async () => {
    await showMails(aForm(), { test: { status: 403, body: { code: 'EmailIsNotVerified' } } })
    press('自分にテスト送信')
    expect(await preview().findByText(/先に、アカウントの「セキュリティ」/)).toBeTruthy()
  })
})

describe('the page of mails', () => {
  it('loads the current settings after a conflict', async () => {
    await showMails(aForm({ notification: { ...notification, to: ['a@example.com'] } }), {
      save: () => ({ status: 409, body: { code: 'VersionConflict' } }),
    })
    flip(/^送られた内容をメールに含める/)
    press('保存する')
    expect((await screen.findByRole('alert')).textContent).toContain('ほかのメンバーによって変更されました')
    press('最新の設定を読み込む')
    await waitFor(() => expect(addresses()[0]).toBe('new@example.com'))
  })

  it('is read-only without the right to manage forms', async () => {
    await showMails(aForm({ notification: { ...notification, to: ['a@example.com'] }, reply }), {
      rights: ['form.read'],
    })
    expect(addresses()).toEqual(['a@example.com'])
    expect(input('通知先1').readOnly).toBe(true)
    expect(input('本文').readOnly).toBe(true)
    for (const name of ['保存する', '入力された値を差し込む', '自分にテスト送信', /を削除$/])
      expect(screen.queryByRole('button', { name })).toBeNull()
    expect(screen.queryByRole('region', { name: 'プレビュー' })).toBeNull()
  })
})
