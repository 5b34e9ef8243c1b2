import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { renderInAdmin } from '#admin/lib/testing.tsx'
import type { Language } from '#shared/languages.ts'
import { findByWords } from './find-sections.ts'
import { SectionList } from './section-list.tsx'
import { spaceSections } from './sections.ts'

afterEach(cleanup)

async function show(language: Language = 'ja', rights?: readonly string[]) {
  const sections = spaceSections.filter(({ right }) => !rights || !right || rights.includes(right))
  const root = createRootRoute({
    component: () => (
      <>
        <SectionList label="設定" sections={sections} params={{ p: 'acme' }} />
        <Outlet />
      </>
    ),
  })
  const router = createRouter({
    routeTree: root.addChildren([createRoute({ getParentRoute: () => root, path: '/$' })]),
    history: createMemoryHistory({ initialEntries: ['/acme/-/sso'] }),
  })
  // `RouterProvider` is typed for the admin's own router.
  await renderInAdmin(<RouterProvider router={router as never} />, language)
  await screen.findByRole('navigation')
  return router
}

const box = () => screen.getByRole('searchbox')
const type = (text: string) => fireEvent.change(box(), { target: { value: text } })
const names = () =>
  within(screen.getByRole('navigation'))
    .queryAllByRole('link')
    .map((link) => link.textContent)
const press = (key: string, more: object = {}) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more })

describe('the list of settings', () => {
  it('shows the sections in groups, and marks the open one', async () => {
    await show()
    expect(screen.getByRole('region', { name: 'メンバーと権限' }).textContent).toContain('ロール')
    expect(screen.getByRole('link', { current: 'page' }).textContent).toBe('シングルサインオン（SSO）')
  })

  it('shows and finds only the given sections, and omits a group without sections', async () => {
    await show('ja', ['token.manage'])
    expect(names()).toEqual(['基本情報', 'メンバー', 'ロール', 'APIキー', 'ジョブ'])
    type('監査')
    expect(names()).toEqual([])
    expect(screen.getByText('該当する設定はありません')).toBeTruthy()
    cleanup()
    await show('ja', [])
    expect(screen.queryByRole('region', { name: 'セキュリティ' })).toBeNull()
  })

  it('moves through the list with arrow keys, and opens the first result with Enter', async () => {
    const router = await show('en')
    press('/')
    expect(document.activeElement).toBe(box())
    type('role')
    expect(names()).toEqual(['Roles', 'Groups and roles'])
    press('ArrowDown')
    press('ArrowDown')
    expect(document.activeElement?.textContent).toBe('Groups and roles')
    press('ArrowUp')
    press('ArrowUp')
    expect(document.activeElement).toBe(box())
    press('Enter')
    await waitFor(() => expect(router.state.location.pathname).toBe('/acme/-/roles'))
    press('Escape')
    expect(names()).toHaveLength(spaceSections.length)
  })

  it('opens and searches nothing during an IME composition', async () => {
    const router = await show()
    box().focus()
    fireEvent.compositionStart(box())
    fireEvent.input(box(), { target: { value: 'けんs' }, isComposing: true })
    press('Enter', { isComposing: true })
    press('Enter', { keyCode: 229 })
    press('ArrowDown', { keyCode: 229 })
    expect(names()).toHaveLength(spaceSections.length)
    expect(document.activeElement).toBe(box())
    fireEvent.input(box(), { target: { value: '権限' }, isComposing: true })
    fireEvent.compositionEnd(box())
    expect(names()).toContain('ロール')
    expect(router.state.location.pathname).toBe('/acme/-/sso')
  })
})

describe('findByWords', () => {
  const find = (query: string) =>
    findByWords(spaceSections, query, ({ title, words }) => ({ name: title, words })).map(({ to }) =>
      to.replace('/$p/-/', ''),
    )
  it.each([
    ['めんば', 'members'],
    ['ﾒﾝﾊﾞｰ', 'members'],
    ['menba', 'members'],
    ['MEMBER', 'members'],
    ['kengen', 'roles'],
    ['shoutai', 'invitations'],
    ['syotai', 'invitations'],
    ['がぞう', 'images'],
    ['gazou', 'images'],
    ['ほぞん', 'storage'],
    ['s3', 'storage'],
    ['ＳＳＯ', 'sso'],
    ['hikkoshi', 'moves'],
    ['wordpress', 'moves'],
    ['ip アドレス', 'security'],
    ['2fa', 'security'],
  ])('for %s finds the section %s', (query, page) => {
    expect(find(query)).toContain(page)
  })

  it('requires all words', () => {
    expect(find('ip トークン')).toEqual([])
  })
})
