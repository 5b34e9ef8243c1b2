import { describe, expect, it } from 'vitest'
import { readTruncatedJson } from './truncated-json.ts'

describe('readTruncatedJson', () => {
  const whole =
    '{"enabled":true,"subject":{"ja":"\\"a, b\\" {","en":""},"days":[1,20,-3],"body":"line\\n\\u3042"}'

  it('reads the stored part of JSON that was cut at any position', () => {
    const value = JSON.parse(whole)
    for (let length = 1; length < whole.length; length++) {
      const read = readTruncatedJson(`${whole.slice(0, length)}…`)
      if (read === undefined) expect(length).toBeLessThan('{"enabled":true'.length)
      else expect(Object.keys(value)).toEqual(expect.arrayContaining(Object.keys(read as object)))
    }
    expect(readTruncatedJson(`${whole.slice(0, 36)}…`)).toEqual({ enabled: true, subject: { ja: '"a…' } })
  })

  it('returns undefined for other texts', () => {
    for (const text of ['', '…', 'text…', '{"a":1}', '{text…', '[{"a":1}…'])
      expect(readTruncatedJson(text)).toBeUndefined()
  })
})
