import { expect, it } from 'vitest'
import { testModel } from './test-model.ts'
import { fieldIssues, publishIssues, saveIssues } from './validation.ts'

it('saveIssues reports a missing title and a value of the wrong type, but no exceeded limits', () => {
  expect(saveIssues(testModel, { title: '長すぎるタイトルですよこれは', price: 500 })).toEqual([])
  expect(saveIssues(testModel, { body: '<p>x</p>' })).toEqual([{ path: 'title', code: 'Required' }])
  expect(saveIssues(testModel, { title: 'a', price: '12a' })).toEqual([
    { path: 'price', code: 'InvalidType' },
  ])
})

it('publishIssues lists three broken rules once each, with the index of a list item', () => {
  expect(publishIssues(testModel, { tags: ['良い', '長すぎる'], price: 101 })).toEqual([
    { path: 'title', code: 'Required' },
    { path: 'tags.1', code: 'TooManyCharacters', params: { maximum: 3, actual: 4 } },
    { path: 'price', code: 'TooLargeValue', params: { maximum: 100 } },
  ])
})

it('fieldIssues returns the issues of one field, with relative paths', () => {
  expect(fieldIssues(testModel, 'tags', ['長すぎる'])).toMatchObject([
    { path: '0', code: 'TooManyCharacters' },
  ])
  expect(fieldIssues(testModel, 'title', '')).toEqual([{ path: '', code: 'Required' }])
  expect(fieldIssues(testModel, 'title', '\u3000')).toEqual([{ path: '', code: 'Required' }])
  expect(fieldIssues(testModel, 'price', undefined)).toEqual([])
  expect(fieldIssues(testModel, 'gone', 'x')).toEqual([])
})
