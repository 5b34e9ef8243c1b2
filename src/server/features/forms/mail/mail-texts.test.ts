import { describe, expect, it } from 'vitest'
import { notificationValues, replyText } from './mail-texts.ts'

const long = `${'\n'.repeat(500)}x`

describe('replyText', () => {
  it('reads each value once, and only its beginning', () => {
    let reads = 0
    const a = {
      name: 'a',
      get value() {
        reads++
        return '花子'
      },
    }
    const text = { ja: '{{a}}{{ a }}{{long}}'.repeat(20), en: '' }
    expect(replyText({ subject: text, body: text }, [a, { name: 'long', value: long }], 'ja')).toEqual({
      subject: '花子'.repeat(40),
      body: '花子'.repeat(40),
    })
    expect(reads).toBe(1)
  })
})

describe('notificationValues', () => {
  it('reads the beginning of names and values only', () => {
    const [{ label, value } = { label: 'missing', value: '' }] = notificationValues(
      [{ name: long, value: ['a'.repeat(512_000), 'b'] }],
      [],
      'ja',
    )
    expect([label, value]).toEqual(['', `${'a'.repeat(1999)}…`])
  })
})
