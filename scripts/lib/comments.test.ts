import { describe, expect, it } from 'vitest'
import { codeOf, commentsOf, testTitlesOf } from './comments.mjs'

describe('commentsOf', () => {
  it('returns the comments of scripts, style sheets and SQL', () => {
    const text = "const address = 'https://example.com' // One\n/** Two */\n"
    expect(commentsOf('a.ts', text)).toEqual([
      { text: '// One', start: 38, end: 44 },
      { text: '/** Two */', start: 45, end: 55 },
    ])
    expect(commentsOf('a.tsx', 'const a = <b>{/* One */}// text</b>').map(({ text }) => text)).toEqual([
      '/* One */',
    ])
    expect(
      commentsOf('a.css', 'a::before { content: "/* no */"; /* One */ }').map(({ text }) => text),
    ).toEqual(['/* One */'])
    expect(commentsOf('a.sql', "SELECT '-- no', $$-- no$$ -- One\n").map(({ text }) => text)).toEqual([
      '-- One',
    ])
  })

  it('throws for a script that cannot be parsed', () => {
    expect(() => commentsOf('a.ts', 'const = 1')).toThrow('a.ts cannot be parsed')
  })
})

describe('testTitlesOf', () => {
  it('returns literal titles only', () => {
    const text =
      "describe('unit', () => {\n  it.each(rows)('returns %s', run)\n  it(title, run)\n  call('other')\n  test.info().outputPath('file')\n})\n"
    expect(testTitlesOf('a.test.ts', text).map((title) => title.text)).toEqual(['unit', 'returns %s'])
  })
})

describe('codeOf', () => {
  const isSame = (file: string, one: string, other: string) => codeOf(file, one) === codeOf(file, other)

  it('is equal for scripts that differ only in comments and formatting', () => {
    expect(isSame('a.ts', '// One\nconst a = [1, 2n] // two\n', '/* 1 */ const a = [\n  1, 2n,\n]')).toBe(
      true,
    )
    expect(isSame('a.ts', 'const a = 1', 'const a = 2')).toBe(false)
    expect(isSame('a.ts', "const a = '// one'", "const a = '// two'")).toBe(false)
    expect(isSame('a.ts', 'if (a) b()', '// if (a) b()')).toBe(false)
    expect(isSame('a.ts', 'let a: string', 'let a: number')).toBe(false)
  })

  it('is equal for style sheets and SQL that differ only in the text of comments', () => {
    expect(isSame('a.css', '/* one */ a { color: red }', 'a { color: red } /* two */')).toBe(false)
    expect(isSame('a.css', 'a { color: red } /* one */', 'a { color: red } /* two */')).toBe(true)
    expect(isSame('a.css', 'a { content: "/* one */" }', 'a { content: "/* two */" }')).toBe(false)
    expect(isSame('a.sql', 'SELECT 1 -- one\n', 'SELECT 1 -- two\n')).toBe(true)
    expect(isSame('a.sql', "SELECT '-- one'\n", "SELECT '-- two'\n")).toBe(false)
  })

  it('contains directives without their reasons', () => {
    const directive = '// biome-ignore lint/suspicious/noExplicitAny: '
    expect(isSame('a.ts', `${directive}one\na()`, `${directive}two\na()`)).toBe(true)
    expect(isSame('a.ts', `${directive}one\na()`, 'a()')).toBe(false)
    expect(isSame('a.test.ts', '/** @module-tag full */\na()', '/** two */\na()')).toBe(false)
  })

  it('omits titles in test files only', () => {
    const [one, two] = ["it('returns one', () => a(1))", "it('returns two', () => a(1))"] as const
    expect(isSame('a.test.ts', one, two)).toBe(true)
    expect(isSame('a.ts', one, two)).toBe(false)
    expect(isSame('a.test.ts', one, one.replace('a(1)', 'a(2)'))).toBe(false)
    expect(isSame('a.test.ts', one, one.replace('it(', 'it.skip('))).toBe(false)
  })

  it('is the whole text of a JSON file', () => {
    expect(codeOf('a.json', '{ "a": 1 }')).toBe('{ "a": 1 }')
  })
})
