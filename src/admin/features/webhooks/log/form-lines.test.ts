import { describe, expect, it } from 'vitest'
import { formLines, isForm } from './form-lines.ts'

describe('formLines', () => {
  it('decodes names and values, one field per line', () => {
    expect(formLines('text=%E5%85%AC%E9%96%8B+%26+more&a%5B0%5D=')).toBe('text: 公開 & more\na[0]: ')
  })
})

describe('isForm', () => {
  it('returns whether the content type is a form', () => {
    const form = { name: 'Content-Type', value: 'application/x-www-form-urlencoded; charset=utf-8' }
    expect(isForm([form])).toBe(true)
    expect(isForm([{ ...form, value: 'application/json' }])).toBe(false)
    expect(isForm([{ ...form, value: null }])).toBe(false)
    expect(isForm([])).toBe(false)
  })
})
