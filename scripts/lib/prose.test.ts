import { describe, expect, it } from 'vitest'
import { lineRange, subjectFaults, wordsToAvoid } from './prose.mjs'

const words = (text: string) => wordsToAvoid(text).map(({ word }) => word)

describe('wordsToAvoid', () => {
  it('returns words with their offsets', () => {
    expect(wordsToAvoid('Tells whoever asks.')).toMatchObject([
      { word: 'Tells', index: 0 },
      { word: 'whoever', index: 6 },
    ])
  })

  it('recognises phrases that continue on the next line of a comment', () => {
    expect(words('/**\n * The address is that\n * of the space.\n */')).toHaveLength(1)
    expect(words('// The limit is no longer\n// valid')).toEqual([])
  })

  it('reports `To` only at the beginning of a sentence', () => {
    expect(words('Returns it. To be used once.')).toEqual(['To'])
    expect(words('Returns it in order to use it.')).toEqual([])
  })

  it('skips code, quotations and standard terms', () => {
    expect(words('Calls `whoever` and shows "by itself".')).toEqual([])
    expect(words('The caller must hold the space lock. `x` stands for a value.')).toEqual([])
  })
})

describe('lineRange', () => {
  it('counts lines from 1', () => {
    expect(lineRange('a\nbc\nd', { start: 2, end: 4 })).toEqual({ first: 2, last: 2 })
    expect(lineRange('a\nbc\nd', { start: 0, end: 6 })).toEqual({ first: 1, last: 3 })
  })
})

describe('subjectFaults', () => {
  it('accepts Conventional Commits', () => {
    expect(subjectFaults('feat(webhooks): retry failed deliveries with backoff')).toEqual([])
    expect(subjectFaults('docs: describe jobs')).toEqual([])
  })

  it('returns one fault for each broken rule', () => {
    expect(subjectFaults('Retry failed deliveries')).toHaveLength(1)
    expect(subjectFaults(`fix: ${'x'.repeat(68)}`)).toHaveLength(1)
    expect(subjectFaults('fix(jobs): tell whoever asks')).toHaveLength(2)
  })
})
