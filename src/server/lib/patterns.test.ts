import { RE2JS } from 're2js'
import { describe, expect, it } from 'vitest'
import { cpuTime } from '#test/growth.ts'
import { compiles, matches, stepsOf } from './patterns.ts'

describe('patterns', () => {
  it('match anywhere in the value unless they are anchored', () => {
    expect(matches('[0-9]{3}', 'tel 123')).toBe(true)
    expect(matches('^[0-9]{3}$', 'tel 123')).toBe(false)
    expect(matches('\\p{Han}+', 'ひらがなと漢字')).toBe(true)
  })

  it('a pattern with nested repetitions is evaluated in less than 2 seconds for 40,000 characters', {
    tags: ['full'],
  }, () => {
    const matching = () => expect(matches('^(a+)+$', `${'a'.repeat(40_000)}!`)).toBe(false)
    expect(cpuTime(matching)).toBeLessThan(2_000)
  })

  it.each(['(', '(?=x)', '(x)\\1', '((x{100}){100}){100}', '(.{1,1000}){2}x{900}'])(
    'are refused if they are unsupported or too large: %s',
    (pattern) => {
      expect(compiles(pattern)).toBe(false)
      expect(matches(pattern, 'x')).toBe(false)
    },
  )

  it('that would become too large are refused in less than half of their compile time', () => {
    for (const pattern of [
      `(?:${'a'.repeat(190)}){1000}`,
      '(?:x{1000}){1}'.repeat(14),
      '(?:a|b){1000}'.repeat(15),
    ]) {
      RE2JS.compile(pattern)
      const whole = cpuTime(() => RE2JS.compile(pattern))
      expect(compiles(pattern)).toBe(false)
      expect(Math.min(...[1, 2, 3].map(() => cpuTime(() => compiles(pattern))))).toBeLessThan(whole / 2)
    }
  })

  it.each([
    '[a-z]{1,255}',
    '(?:.?){1000}',
    '(?i)(?P<name>[^\\]\\[x]{2}){200}',
    '\\x{3042}\\p{Han}{3}',
    '[]{9999}]{3}',
    '\\Q{9999}\\E',
    '[[:alpha:]{9}]{9}',
  ])('are accepted if their size is within the limit: %s', (pattern) => expect(compiles(pattern)).toBe(true))

  it('do not match a text that exceeds the length limit', () => {
    expect(matches('x', 'x'.repeat(50_001))).toBe(false)
  })

  it('have a lower limit for the text length if they are larger', () => {
    // 2,003 instructions: with 50,000 characters it would take several seconds.
    const large = '(?:.?){1000}$'
    expect(matches(large, 'x'.repeat(4_900))).toBe(true)
    expect(matches(large, 'x'.repeat(5_100))).toBe(false)
    expect(stepsOf(large, 'x'.repeat(4_900))).toBeGreaterThan(9_000_000)
    expect(stepsOf(large, 'x'.repeat(5_100))).toBe(0)
    expect(matches('^https?://[\\w/:%#$&?()~.=+-]+$', `https://${'x'.repeat(49_000)}`)).toBe(true)
  })
})
