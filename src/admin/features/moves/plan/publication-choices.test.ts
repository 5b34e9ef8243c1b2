import { expect, it } from 'vitest'
import type { PlannedState } from '#shared/contract/move-plans.ts'
import { countChoices } from '#shared/publication-states.ts'
import { countDocuments, withChoices } from './publication-choices.ts'

const stateOf = (state: PlannedState['state'], count: number, choice: PlannedState['choice']) => ({
  ...{ key: state, state, statement: `status: ${state}`, count, changed: 0, examples: [], choice },
})

const posts = {
  from: 'post',
  name: '記事',
  states: [
    stateOf('published', 3, 'publish'),
    stateOf('unknown', 4, 'draft'),
    stateOf('archived', 2, 'draft'),
    stateOf('trashed', 1, 'leaveOut'),
  ],
}
const pages = { from: 'page', name: 'ページ', states: [stateOf('unknown', 5, 'draft')] }

it('countChoices counts contents by choice', () => {
  expect(countChoices([posts, pages])).toEqual({ publish: 3, draft: 11, leaveOut: 1 })
  expect(countChoices([])).toEqual({ publish: 0, draft: 0, leaveOut: 0 })
})

it('countDocuments excludes documents with the choice `leaveOut`', () => {
  const documents = { draft: 1, published: 1, changed: 1, unpublished: 1 }
  expect(countDocuments({ documents, states: posts.states })).toBe(9)
  expect(countDocuments({ documents })).toBe(4)
})

it('withChoices replaces only the choice of the given model and state', () => {
  const tags: { from: string; states?: PlannedState[] } = { from: 'tag' }
  const changed = withChoices([posts, pages, tags], [{ from: 'post', key: 'archived', choice: 'leaveOut' }])
  expect(changed[0]?.states?.map(({ choice }) => choice)).toEqual([
    'publish',
    'draft',
    'leaveOut',
    'leaveOut',
  ])
  expect(changed.slice(1)).toEqual([pages, tags])
})
