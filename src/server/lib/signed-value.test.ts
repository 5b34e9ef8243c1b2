import { expect, it } from 'vitest'
import { readSignedValue, signValue } from './signed-value.ts'

const key = 'k'.repeat(32)
const soon = new Date(Date.now() + 60_000)

it('a signed value can be read only unchanged, with its key and purpose, until it expires', () => {
  const text = signValue(key, 'upload', { id: '写真', size: 3 }, soon)
  expect(text).toMatch(/^[\w-]+\.[\w-]{43}$/)
  expect(readSignedValue(key, 'upload', text)).toEqual({ id: '写真', size: 3 })
  expect(readSignedValue(key, 'download', text)).toBeUndefined()
  expect(readSignedValue('x'.repeat(32), 'upload', text)).toBeUndefined()
  expect(
    readSignedValue(key, 'upload', signValue(key, 'upload', {}, new Date(Date.now() - 1000))),
  ).toBeUndefined()
  for (const other of ['', '.', 'x', `${text}.`, `${text}x`, text.slice(1), text.replace('.', '')])
    expect(readSignedValue(key, 'upload', other)).toBeUndefined()
})
