import { describe, expect, it } from 'vitest'
import { newField } from './draft.ts'
import { isTabRow, moveRow, renameTab, rowsOf } from './field-rows.ts'

const make = (uid: string, tab?: string) => ({
  ...newField('TEXT', { uid, name: uid, key: uid }),
  ...(tab ? { tab } : {}),
})
const plain = ['a', 'b', 'c'].map((uid) => make(uid))
const tabbed = [make('a'), make('b', 'SEO'), make('c', '詳細'), make('d', 'SEO')]
const seen = (fields: typeof plain) =>
  rowsOf(fields)
    .map((row) => (isTabRow(row) ? `[${row.tabName ?? ''}]` : row.uid))
    .join(' ')

describe('field rows', () => {
  it('`rowsOf` returns headings only if there are tabs', () => {
    expect(seen(plain)).toBe('a b c')
    expect(seen(tabbed)).toBe('[] a [SEO] b d [詳細] c')
  })

  it.each([
    [0, 2, 'b c a'],
    [2, 0, 'c a b'],
    [1, 1, 'a b c'],
    [1, 9, 'a b c'],
  ])('`moveRow` without tabs from %i to %i results in %j', (from, to, rows) => {
    expect(seen(moveRow(plain, from, to))).toBe(rows)
  })

  it.each([
    // A field moves to the tab of the heading above it. A tab without fields disappears.
    [4, 5, '[] a [SEO] b [詳細] d c'],
    [6, 3, '[] a [SEO] c b d'],
    [1, 3, '[SEO] b a d [詳細] c'],
    [3, 0, '[] b a [SEO] d [詳細] c'],
    // A heading moves with its fields.
    [2, 0, '[SEO] b d [] a [詳細] c'],
    [2, 6, '[] a [詳細] c [SEO] b d'],
  ])('`moveRow` with tabs from %i to %i results in %j', (from, to, rows) => {
    expect(seen(moveRow(tabbed, from, to))).toBe(rows)
  })

  it('`moveRow` returns the given fields if the target row does not exist', () => {
    expect(moveRow(tabbed, 2, 99)).toBe(tabbed)
  })

  it('`renameTab` renames, merges and removes tabs', () => {
    expect(seen(renameTab(tabbed, 'SEO', '検索'))).toBe('[] a [検索] b d [詳細] c')
    expect(seen(renameTab(tabbed, 'SEO', '詳細'))).toBe('[] a [詳細] b c d')
    expect(seen(renameTab(renameTab(tabbed, 'SEO', null), '詳細', null))).toBe('a b c d')
    expect(seen(renameTab(tabbed, null, '基本'))).toBe('[基本] a [SEO] b d [詳細] c')
  })
})
