import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { readStored, readStoredJson, storedKeys, writeStored } from './storage.ts'

const clear = () => {
  localStorage.clear()
  sessionStorage.clear()
}
// Test files share one page.
beforeEach(clear)
afterEach(() => {
  vi.restoreAllMocks()
  clear()
})

it('`writeStored` writes to `localStorage` or `sessionStorage`, and deletes a local value for null', () => {
  writeStored('newt', 'red')
  writeStored('newt', '{"legs":4}', 'sessionStorage')
  expect(readStored('newt')).toBe('red')
  expect(readStoredJson('newt')).toBeNull()
  expect(readStoredJson('newt', 'sessionStorage')).toEqual({ legs: 4 })
  writeStored('newt', null)
  expect(readStored('newt')).toBeNull()
  expect(localStorage.length).toBe(0)
})

it('the storage functions return no values and ignore writes when access to `localStorage` throws', () => {
  vi.spyOn(window, 'localStorage', 'get').mockImplementation(() => {
    throw new Error('forbidden')
  })
  writeStored('newt', 'red')
  expect(readStored('newt')).toBeNull()
  expect(readStoredJson('newt')).toBeNull()
  expect(storedKeys('newt')).toEqual([])
})

it('`writeStored` does not throw if `localStorage` is full', () => {
  const full = {
    setItem: vi.fn(() => {
      throw new Error('full')
    }),
  }
  vi.spyOn(window, 'localStorage', 'get').mockReturnValue(full as unknown as Storage)
  writeStored('newt', 'red')
  expect(full.setItem).toHaveBeenCalledWith('newt', 'red')
})
