import { expect, it } from 'vitest'
import type { View } from '#shared/contract/views.ts'
import { listState, searchOf } from './view-state.ts'

const view = (uid: string, personal: boolean, settings: View['settings'] = {}): View => ({
  uid,
  personal,
  settings,
  modelUid: 'article',
  name: uid,
  type: 'TABLE',
  version: 1,
  createdAt: '',
  updatedAt: '',
})
const own = view('b'.repeat(24), true)
const shared = view('a'.repeat(24), false, { sort: 'title', status: 'draft' })
const views = [shared, own]

it('listState selects the first shared view if the URL names neither a view nor settings', () => {
  expect(listState({}, views)).toEqual({ view: shared, settings: shared.settings, edited: false })
  expect(listState({}, [own]).view).toBeUndefined()
  expect(listState({ q: 'x' }, views)).toEqual({ view: undefined, settings: { q: 'x' }, edited: true })
  expect(listState({ view: 'all' }, views)).toEqual({ view: undefined, settings: {}, edited: false })
  expect(listState({ view: 'c'.repeat(24) }, views).view).toBeUndefined()
})

it('searchOf omits settings that equal the settings of the view, and sets `edited` if they differ', () => {
  const same = { status: 'draft', sort: 'title' } as const
  expect(searchOf(shared, same, true)).toEqual({ view: shared.uid })
  const search = searchOf(shared, {}, true)
  expect(search).toEqual({ view: shared.uid, edited: true })
  expect(listState(search, views)).toEqual({ view: shared, settings: {}, edited: true })
  expect(searchOf(undefined, { q: 'x' }, true)).toEqual({ q: 'x', view: 'all' })
  expect(searchOf(undefined, { q: 'x' }, false)).toEqual({ q: 'x' })
})
