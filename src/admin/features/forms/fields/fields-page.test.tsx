import { useQuery } from '@tanstack/react-query'
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { spaceRoleQuery } from '#admin/lib/queries.ts'
import { answerRequests, renderAsPage } from '#admin/lib/testing.tsx'
import { closeAllToasts, shownToasts } from '#admin/lib/toast.ts'
import type { Form } from '#shared/contract/forms.ts'
import { aForm } from '../testing.ts'
import { FieldsEditor } from './fields-page.tsx'

interface Answers {
  rights?: string[]
  save?: (body: { data: Partial<Form> }) => { status?: number; body: unknown }
}

/** The route of the space loads the role before it shows a page. */
function Page({ form }: { form: Form }) {
  return useQuery(spaceRoleQuery('pond')).data ? <FieldsEditor p="pond" form={form} /> : null
}

/** Shows the editor of a form's fields. Returns the bodies that were saved. */
async function showEditor(form: Form, { rights = ['form.read', 'form.manage'], save }: Answers = {}) {
  const requests = answerRequests(({ method, path, body }) => {
    if (path.endsWith('/currentRole')) return { body: { currentRole: { uid: 'a', name: '', held: rights } } }
    if (path.endsWith('/csrfToken')) return { body: { csrfToken: 'x' } }
    const sent = body as { data: Partial<Form> }
    if (method === 'PUT') return save?.(sent) ?? { body: { form: { ...form, ...sent.data, version: 2 } } }
    return { body: { form: { ...form, name: 'ほか', version: 7 }, forms: [] } }
  })
  await renderAsPage(() => <Page form={form} />)
  await screen.findByRole('heading', { name: 'プレビュー' })
  return () => requests.filter(({ method }) => method === 'PUT').map(({ body }) => body as { data: Form })
}

const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }))
const type = (name: RegExp | string, value: string) =>
  fireEvent.change(screen.getByRole('textbox', { name }), { target: { value } })

async function add(name: RegExp) {
  press('項目を追加')
  fireEvent.click(await screen.findByRole('menuitem', { name }))
  await screen.findByRole('dialog')
}

// Text areas that grow observe the fonts. happy-dom has none.
Object.defineProperty(document, 'fonts', { value: new EventTarget(), configurable: true })
afterEach(() => {
  cleanup()
  act(closeAllToasts)
})

describe('the editor of fields', () => {
  it('adds a field whose name follows its label, shows it in the preview, and saves it', async () => {
    const saved = await showEditor(aForm({ fields: [] }))
    await add(/^1行テキスト/)
    type('ラベル', '会社')
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: /^名前/ }).value).toBe('company')
    // The label in the other language is one press away.
    fireEvent.click(within(screen.getByRole('dialog')).getByRole('radio', { name: 'English' }))
    type('ラベル', 'Company')
    press('完了')
    const preview = within(screen.getByRole('region', { name: 'プレビュー', hidden: true }))
    expect(preview.getByLabelText('Company')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: '保存する', hidden: true }))
    await waitFor(() => expect(saved()).toHaveLength(1))
    expect(saved()[0]?.data).toMatchObject({
      version: 1,
      fields: [{ type: 'text', name: 'company', label: { ja: '会社', en: 'Company' }, required: false }],
    })
  })

  it('opens the field with an issue of the server, and shows the message at its input', async () => {
    await showEditor(aForm(), {
      save: () => ({
        status: 400,
        body: { code: 'ValidationFailed', issues: [{ path: 'data.fields.1.name', code: 'ReservedWord' }] },
      }),
    })
    fireEvent.click(screen.getByRole('button', { name: '「お名前」の操作' }))
    fireEvent.click(await screen.findByRole('menuitem', { name: '下へ移動' }))
    press('保存する')
    await screen.findByRole('dialog', { name: '1行テキスト' })
    const name = screen.getByRole('textbox', { name: /^名前/ })
    await waitFor(() => expect(name.getAttribute('aria-invalid')).toBe('true'))
    expect(screen.getByText('予約されている語のため使えません')).toBeTruthy()
  })

  it('refuses a field without a label and a name that is taken, without a request', async () => {
    const saved = await showEditor(aForm())
    await add(/^メールアドレス/)
    type(/^名前/, 'name')
    press('完了')
    fireEvent.click(screen.getByRole('button', { name: '保存する', hidden: true }))
    expect(await screen.findByText('同じ名前の項目があります')).toBeTruthy()
    expect(screen.getByText('入力してください')).toBeTruthy()
    expect(saved()).toEqual([])
  })

  it('deletes a field and inserts it again at its position', async () => {
    await showEditor(aForm())
    const names = () =>
      screen.getAllByRole('button', { name: /の操作$/ }).map((one) => one.getAttribute('aria-label'))
    const before = names()
    press('「メールアドレス」の操作')
    fireEvent.click(await screen.findByRole('menuitem', { name: '削除' }))
    await waitFor(() => expect(names()).toHaveLength(2))
    act(() => shownToasts()[0]?.action?.run())
    expect(names()).toEqual(before)
    expect(screen.getByRole('button', { name: '保存する' }).hasAttribute('disabled')).toBe(true)
  })

  it('loads the current fields after a conflict', async () => {
    await showEditor(aForm(), { save: () => ({ status: 409, body: { code: 'VersionConflict' } }) })
    press('「お名前」の操作')
    fireEvent.click(await screen.findByRole('menuitem', { name: '削除' }))
    await waitFor(() => expect(screen.getAllByRole('button', { name: /の操作$/ })).toHaveLength(2))
    press('保存する')
    expect((await screen.findByRole('alert')).textContent).toContain('ほかのメンバーによって変更されました')
    press('最新の項目を読み込む')
    await waitFor(() => expect(screen.getAllByRole('button', { name: /の操作$/ })).toHaveLength(3))
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('warns that the name of a saved field is part of the HTML of sites', async () => {
    await showEditor(aForm())
    press(/^お名前/)
    await screen.findByRole('dialog')
    type(/^名前/, 'full_name')
    expect(screen.getByText(/「name」から「full_name」に変えてください/)).toBeTruthy()
  })

  it('splits pasted lines into options, whose values follow the labels', async () => {
    const saved = await showEditor(aForm({ fields: [] }))
    await add(/^1つ選択/)
    type('ラベル', '職種')
    const first = await screen.findByRole('textbox', { name: '選択肢1の表示' })
    fireEvent.paste(first, { clipboardData: { getData: () => '営業\n 開発 \n\n' } })
    press('選択肢を追加')
    type('選択肢3の表示', '経理')
    press('完了')
    fireEvent.click(screen.getByRole('button', { name: '保存する', hidden: true }))
    await waitFor(() => expect(saved()).toHaveLength(1))
    expect(saved()[0]?.data.fields[0]).toMatchObject({
      options: ['営業', '開発', '経理'].map((value) => ({ value, label: { ja: value, en: '' } })),
    })
  })

  it('adds a focused option after the current one on Enter, but not while an input method composes', async () => {
    await showEditor(aForm({ fields: [] }))
    await add(/^1つ選択/)
    const option = (number: number) =>
      screen.getByRole<HTMLInputElement>('textbox', { name: `選択肢${number}の表示` })
    await screen.findByRole('textbox', { name: '選択肢1の表示' })
    type('選択肢1の表示', '営業')
    fireEvent.keyDown(option(1), { key: 'Enter', isComposing: true })
    expect(screen.queryByRole('textbox', { name: '選択肢2の表示' })).toBeNull()
    press('選択肢を追加')
    await waitFor(() => expect(document.activeElement).toBe(option(2)))
    type('選択肢2の表示', '経理')
    fireEvent.keyDown(option(1), { key: 'Enter' })
    await waitFor(() => expect(document.activeElement).toBe(option(2)))
    expect([option(1), option(2), option(3)].map(({ value }) => value)).toEqual(['営業', '', '経理'])
  })

  it('is read-only without the right to manage forms', async () => {
    await showEditor(aForm(), { rights: ['form.read'] })
    expect(screen.queryByRole('button', { name: '保存する' })).toBeNull()
    expect(screen.queryByRole('button', { name: '項目を追加' })).toBeNull()
    press(/^お名前/)
    await screen.findByRole('dialog')
    expect(screen.getByRole('textbox', { name: /^名前/ }).hasAttribute('readonly')).toBe(true)
    expect(screen.queryByRole('button', { name: '削除' })).toBeNull()
  })
})
