import { useQuery } from '@tanstack/react-query'
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router'
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { spaceRoleQuery } from '#admin/lib/queries.ts'
import { parseSearch, stringifySearch } from '#admin/lib/search-params.ts'
import { answerRequests, renderAsPage, renderInAdmin } from '#admin/lib/testing.tsx'
import { closeAllToasts, shownToasts } from '#admin/lib/toast.ts'
import type { Submission } from '#shared/contract/form-submissions.ts'
import type { Form } from '#shared/contract/forms.ts'
import type { FormField } from '#shared/forms/fields.ts'
import { aForm, aSubmission, aSubmissionDetail } from '../testing.ts'
import { belongs, changePage } from './inbox.queries.ts'
import { Inbox } from './inbox-page.tsx'
import { readInboxSearch } from './inbox-search.ts'
import { LinkedText } from './linked-text.tsx'
import { summaryOf } from './submission-words.ts'

const everyRight = ['form.read', 'form.manage', 'submission.read', 'submission.manage']

interface Answers {
  submissions?: Submission[]
  rights?: string[]
  search?: string
  /** Ids that bulk calls refuse. */
  refused?: string[]
  /** The form of the inbox. */
  shown?: Form
}

const form = aForm()
let shownForm = form

/** The route of the space loads the role before it shows a page. */
function Page() {
  return useQuery(spaceRoleQuery('pond')).data ? <Inbox p="pond" form={shownForm} /> : null
}

/** Shows the inbox of a form, with a server that changes its submissions. Returns the requests that change them. */
async function showInbox({
  submissions = [],
  rights = everyRight,
  search = '',
  refused = [],
  shown = form,
}: Answers) {
  shownForm = shown
  let stored = submissions
  const requests = answerRequests(({ method, path, body }) => {
    const url = new URL(path, 'http://localhost')
    if (path.endsWith('/currentRole')) return { body: { currentRole: { uid: 'a', name: '', held: rights } } }
    if (path.endsWith('/csrfToken')) return { body: { csrfToken: 'x' } }
    if (path.endsWith('/form')) return { body: { forms: [form] } }
    if (path.endsWith(':restore')) return { body: { form } }
    if (method === 'POST') {
      const { ids, data } = body as { ids: string[]; data?: { state: Submission['state'] } }
      const done = ids.filter((id) => !refused.includes(id))
      const change = data ?? { deletedAt: path.endsWith(':bulkDelete') ? '2026-11-21T00:00:00.000Z' : null }
      stored = stored.map((one) => (done.includes(one._id) ? { ...one, ...change } : one))
      const results = ids.map((_id) =>
        done.includes(_id) ? { _id, success: true } : { _id, success: false, code: 'NotFound' },
      )
      return { body: { results } }
    }
    const tab = url.searchParams.get('trash') ? 'trash' : (url.searchParams.get('state') ?? 'all')
    if (url.pathname.endsWith('/message')) {
      const counts = { new: 0, inProgress: 0, done: 0, spam: 0 }
      for (const one of stored) if (one.deletedAt === null) counts[one.state]++
      const found = stored.filter((one) => belongs(one, tab as 'all'))
      return { body: { submissions: found, isMore: false, counts } }
    }
    const one = stored.find(({ _id }) => path.endsWith(_id))
    if (!one) return { status: 404, body: { code: 'NotFound' } }
    const values = [...one.preview, { name: 'utm_source', value: 'news' }]
    return { body: { submission: { ...aSubmissionDetail(1), values, ...one } } }
  })
  const root = createRootRoute()
  const page = createRoute({ getParentRoute: () => root, path: '/$p/-/forms/$form', component: Page })
  const history = createMemoryHistory({ initialEntries: [`/pond/-/forms/${form._id}${search}`] })
  const router = createRouter({ routeTree: root.addChildren([page]), history, parseSearch, stringifySearch })
  // `RouterProvider` is typed for the admin's own router.
  await renderInAdmin(<RouterProvider router={router as never} />)
  return { history, changes: () => requests.filter(({ method }) => method === 'POST') }
}

const rows = () => screen.findAllByRole('row')
const three = [3, 2, 1].map((number) => aSubmission(number))
const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key })

afterEach(() => {
  cleanup()
  act(closeAllToasts)
})

describe('readInboxSearch', () => {
  it('omits invalid values and the default tab', () => {
    expect(readInboxSearch({ tab: 'new', message: 'x' })).toEqual({})
    expect(readInboxSearch({ tab: 'done', message: 'a'.repeat(24) })).toEqual({
      tab: 'done',
      message: 'a'.repeat(24),
    })
  })
})

describe('summaryOf', () => {
  it('shows the labels of options and omits consents', () => {
    const common = { help: { ja: '', en: '' }, required: false, message: { ja: '', en: '' } }
    const label = (text: string) => ({ ja: text, en: '' })
    const options = [
      { value: 'a', label: label('見積り') },
      { value: 'b', label: label('採用') },
    ]
    const fields: FormField[] = [
      { ...common, type: 'consent', name: 'agree', label: label('同意'), link: '' },
      { ...common, type: 'choice', name: 'kind', label: label('用件'), options, display: 'radio' },
      { ...common, type: 'checkboxes', name: 'topics', label: label('話題'), options },
    ]
    const preview = Object.entries({ agree: 'true', kind: 'a', topics: 'b, a, other', note: 'a' })
    const submission = { email: null, preview: preview.map(([name, value]) => ({ name, value })) }
    expect(summaryOf(submission, fields, 'ja')).toEqual({
      title: '見積り',
      email: null,
      rest: ['採用, 見積り, other', 'a'],
    })
  })
})

describe('changePage', () => {
  it('removes changed submissions that belong to another tab, and adjusts the numbers', () => {
    const page = { submissions: three, counts: { new: 3, inProgress: 0, done: 1, spam: 0 }, next: undefined }
    const changed = new Map([three[0]!, three[2]!].map((one) => [one._id, one]))
    const after = changePage(page, 'new', changed, { state: 'done' })
    expect(after.submissions).toEqual([three[1]])
    expect(after.counts).toEqual({ new: 1, inProgress: 0, done: 3, spam: 0 })
    expect(changePage(page, 'all', changed, { state: 'done' }).submissions).toHaveLength(3)
    expect(changePage(page, 'new', changed, { deletedAt: 'now' }).counts.new).toBe(1)
  })
})

describe('the inbox', () => {
  it('shows the values of each submission and the numbers by state', async () => {
    await showInbox({ submissions: [...three, aSubmission(9, { state: 'done', fileCount: 2 })] })
    const [first] = await rows()
    expect(first?.textContent).toContain('訪問者3visitor3@example.com資料を送ってください。')
    const tabs = within(screen.getByRole('navigation', { name: '受信箱の分類' }))
    expect(tabs.getByRole('link', { name: /未対応/, current: 'page' }).textContent).toBe('未対応3')
    expect(tabs.getByRole('link', { name: /対応済み/ }).textContent).toBe('対応済み1')
  })

  it('marks the active row as done with a key, and undoes it', async () => {
    const { changes } = await showInbox({ submissions: three })
    await rows()
    press('j')
    await waitFor(() => expect(document.activeElement?.getAttribute('data-index')).toBe('0'))
    press('j')
    await waitFor(() => expect(document.activeElement?.getAttribute('data-index')).toBe('1'))
    press('e')
    await waitFor(() => expect(screen.getAllByRole('row')).toHaveLength(2))
    expect(changes().map(({ body }) => body)).toEqual([{ ids: [three[1]!._id], data: { state: 'done' } }])
    act(() => shownToasts()[0]?.action?.run())
    await waitFor(() => expect(screen.getAllByRole('row')).toHaveLength(3))
    expect(changes()[1]?.body).toEqual({ ids: [three[1]!._id], data: { state: 'new' } })
  })

  it('selects a range, and keeps the submissions selected that could not be changed', async () => {
    const { changes } = await showInbox({ submissions: three, refused: [three[1]!._id] })
    const [first, , last] = await rows()
    fireEvent.click(within(first!).getAllByRole('gridcell')[0]!)
    fireEvent.click(last!, { shiftKey: true })
    const bar = within(screen.getByRole('region', { name: '選択した送信内容の操作' }))
    expect(bar.getByText('3件を選択中')).toBeTruthy()
    fireEvent.click(bar.getByRole('button', { name: 'ゴミ箱に移す' }))
    const dialog = await screen.findByRole('dialog', { name: '変更できなかった送信内容があります' })
    expect(dialog.textContent).toContain('2件を変更しました。1件は変更できませんでした。')
    expect(dialog.textContent).toContain('訪問者2')
    expect(screen.getAllByRole('row', { hidden: true })).toHaveLength(1)
    expect(screen.getByText('1件を選択中')).toBeTruthy()
    expect(changes()[0]?.path).toContain(':bulkDelete')
  })

  it('opens a submission without changing its state, and steps to the next one', async () => {
    const { changes, history } = await showInbox({ submissions: three })
    fireEvent.click((await rows())[0]!)
    const drawer = within(await screen.findByRole('dialog'))
    await waitFor(() => expect(history.location.search).toBe(`?message=${three[0]!._id}`))
    fireEvent.click(drawer.getByRole('button', { name: '次へ' }))
    await waitFor(() => expect(history.location.search).toBe(`?message=${three[1]!._id}`))
    expect(changes()).toEqual([])
    // A submission that leaves the list stays open, and the next one is the one that followed it.
    fireEvent.click(await drawer.findByRole('button', { name: '対応済みにする' }))
    await waitFor(() => expect(changes()).toHaveLength(1))
    expect(await drawer.findByRole('button', { name: '状態：対応済み' })).toBeTruthy()
    fireEvent.click(drawer.getByRole('button', { name: '次へ' }))
    await waitFor(() => expect(history.location.search).toBe(`?message=${three[2]!._id}`))
  })

  it('shows all values with labels or names, and safe links', async () => {
    const { _id } = three[0]!
    await showInbox({ submissions: three, search: `?message=${_id}` })
    const drawer = within(await screen.findByRole('dialog'))
    const address = await drawer.findByRole('link', { name: 'visitor3@example.com' })
    expect(address.getAttribute('href')).toBe('mailto:visitor3@example.com')
    expect(drawer.getByText('お名前')).toBeTruthy()
    expect(drawer.getByText('utm_source')).toBeTruthy()
    expect(drawer.getByRole('link', { name: 'https://example.com/contact' }).getAttribute('rel')).toContain(
      'noopener',
    )
    expect(drawer.getByRole('button', { name: '対応中にする' })).toBeTruthy()
  })

  it('is read-only without the right to manage submissions', async () => {
    await showInbox({
      submissions: three,
      rights: ['form.read', 'submission.read'],
      search: `?message=${three[0]!._id}`,
    })
    const drawer = within(await screen.findByRole('dialog'))
    expect(await drawer.findByText('未対応')).toBeTruthy()
    expect(drawer.queryByRole('button', { name: '対応中にする' })).toBeNull()
    expect(screen.queryAllByRole('checkbox', { hidden: true })).toEqual([])
  })

  it.each([
    ['', 'まだ何も届いていません'],
    ['?tab=spam', '迷惑な送信内容はありません'],
    ['?tab=trash', 'ゴミ箱は空です'],
  ])('explains an empty tab %s', async (search, title) => {
    await showInbox({ search })
    expect(await screen.findByRole('heading', { name: title })).toBeTruthy()
    expect(screen.queryByRole('button', { name: '書き出す' }) === null).toBe(search === '?tab=trash')
  })
})

describe('the inbox of a form in the trash', () => {
  it('explains where the form is, and restores it', async () => {
    const { changes } = await showInbox({ shown: aForm({ deletedAt: '2026-11-21T00:00:00.000Z' }) })
    expect(await screen.findByRole('heading', { name: 'このフォームはゴミ箱にあります' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: '書き出す' })).toBeNull()
    fireEvent.click(screen.getByRole('button', { name: '「お問い合わせ」を元に戻す' }))
    await waitFor(() => expect(changes()[0]?.path).toContain(':restore'))
  })
})

describe('LinkedText', () => {
  it('links web addresses only, without signs that follow them', async () => {
    await renderAsPage(() => (
      <LinkedText text={'見て：https://a.example/x?y=1。\njavascript:alert(1) http://b.example/.'} />
    ))
    await screen.findByText(/見て/)
    expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
      'https://a.example/x?y=1',
      'http://b.example/',
    ])
  })
})
