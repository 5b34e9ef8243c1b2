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
    expect(replyText({ subject: text, body: text }, [a, { name: 'long', value: long }], [], 'ja')).toEqual({
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

describe('the values of a mail', () => {
  it('are labels of options, and the agreement of a visitor', () => {
    const text = (ja: string, en: string) => ({ ja, en })
    const common = { help: text('', ''), required: false, message: text('', '') }
    const fields = [
      {
        ...common,
        type: 'checkboxes' as const,
        name: 'kinds',
        label: text('種類', 'Kinds'),
        options: [
          { value: 'a1', label: text('見積り', 'Quote') },
          { value: 'b2', label: text('', 'Other') },
        ],
      },
      { ...common, type: 'consent' as const, name: 'terms', label: text('規約', 'Terms') },
    ]
    const values = [
      { name: 'kinds', value: ['a1', 'b2', 'unknown'] },
      { name: 'terms', value: 'on' },
    ]
    expect(notificationValues(values, fields, 'ja')).toEqual([
      { label: '種類', value: '見積り\nOther\nunknown' },
      { label: '規約', value: '同意する' },
    ])
    const body = text('{{kinds}}', '')
    expect(replyText({ subject: body, body }, values, fields, 'ja').body).toBe('見積り Other unknown')
  })
})
