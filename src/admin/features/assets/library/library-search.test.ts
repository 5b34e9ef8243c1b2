import { describe, expect, it } from 'vitest'
import { assetListQuery } from '#shared/contract/assets.ts'
import { filterOf, isNarrowed, orders, readLibrarySearch, withPart } from './library-search.ts'

const tag = 'a'.repeat(24)

describe('readLibrarySearch', () => {
  it('reads valid properties', () => {
    const search = {
      page: '3',
      search: '夏の池',
      accept: 'image/*',
      createdBy: tag,
      tags: `${tag},${tag}`,
      missingAlt: 'true',
      order: 'fileName',
      view: 'list',
      open: tag,
    }
    expect(readLibrarySearch(search)).toEqual({ ...search, page: 3 })
  })

  it('ignores invalid properties', () => {
    const search = {
      page: '0',
      search: ' ',
      accept: '"',
      createdBy: 'x',
      tags: 'x',
      order: 'size',
      view: 'x',
    }
    expect(readLibrarySearch(search)).toEqual({})
  })

  it("`orders` contains only orders of the API contract, and the contract's default first", () => {
    for (const order of orders) expect(assetListQuery.parse({ order }).order).toBe(order)
    expect(assetListQuery.parse({}).order).toBe(orders[0])
  })
})

it('filterOf omits the page, the view and the open asset', () => {
  expect(filterOf({ page: 2, view: 'list', open: tag, search: 'a' })).toEqual({ search: 'a' })
})

it('isNarrowed is true for the filter `missingAlt`, and false for order, trash and page', () => {
  expect(isNarrowed({ order: 'fileName', trash: 'true', page: 4 })).toBe(false)
  expect(isNarrowed({ missingAlt: 'true' })).toBe(true)
})

it('withPart sets or removes a property, and removes the page', () => {
  expect(withPart({ page: 9, search: 'a' }, 'order', 'fileName')).toEqual({ search: 'a', order: 'fileName' })
  expect(withPart({ search: 'a', tags: 'none' }, 'tags', undefined)).toEqual({ search: 'a' })
})
