import { describe, expect, it } from 'vitest'
import { cpuTime, leastCpuTime } from '#test/growth.ts'
import { firstCharacter, normalizablePieces, normalizeUnicode, shorten, shownName } from './unicode.ts'

const forms = ['NFC', 'NFKC'] as const

describe('normalizeUnicode', () => {
  it.each([
    'ﾊﾟﾋﾟﾌﾟ ＡＢＣ か\u3099 \u304b\u309a',
    'Vie\u0323\u0302t Nam, ti\u00ea\u0301ng',
    'שָׁלוֹם בְּרֵאשִׁית',
    'กำลังใจ น้ำ ຳ',
    'क्षत्रिय ড়েঁ\u09c7\u09be',
    '\u1100\u1161\u11a8\u1100\u1161 \u00e9\u0316\u0301 \ufdfa ſ\u0307 葛\u{e0100} 👩🏽‍🚀',
    `a${'\u0301'.repeat(30)}`,
    `a${'\u0301\u0316'.repeat(15)}e\u0301`,
    `か${'ﾞ'.repeat(100)}`,
    '',
  ])('returns the result of String.normalize for %j', (text) => {
    for (const form of forms) expect(normalizeUnicode(text, form)).toBe(text.normalize(form))
  })

  it('normalises the text around a run of more than 30 marks like String.normalize', () => {
    const run = `a${'\u0301\u0316'.repeat(40)}`
    for (const form of forms) {
      const around = normalizeUnicode(`ﾊﾟe\u0316\u0301\u1100\u1161${run}か\u3099ﾊﾟ`, form)
      expect(around.startsWith('ﾊﾟe\u0316\u0301\u1100\u1161'.normalize(form))).toBe(true)
      expect(around.endsWith('か\u3099ﾊﾟ'.normalize(form))).toBe(true)
      expect([...around.normalize('NFD')].sort()).toEqual(
        [...`ﾊﾟe\u0316\u0301\u1100\u1161${run}か\u3099ﾊﾟ`.normalize(form).normalize('NFD')].sort(),
      )
    }
  })

  it('normalizablePieces divides a text into pieces that can be normalised separately', () => {
    const all = Array.from({ length: 0x30000 }, (_, codePoint) => String.fromCodePoint(codePoint)).filter(
      (character) => character.isWellFormed(),
    )
    // Characters that normalising may join with the character before them.
    const joined = new Set(all.flatMap((character) => [...character.normalize('NFD')].slice(1)))
    const wrong = all.filter((character) => {
      const isCut = [...normalizablePieces(`a${character}`, 1)][0] === 'a'
      const [first = ''] = character.normalize('NFKD')
      return isCut && (joined.has(first) || /\p{M}/u.test(first))
    })
    expect(wrong).toEqual([])
    const text = 'ﾊﾟか\u3099 한\u1100\u1161\u11a8 \u00e9\u0316\u0301 \ufdfa葛\u{e0100} 👩🏽‍🚀 ㄱㅏ'.repeat(5)
    for (let size = 1; size < 20; size++) {
      const pieces = [...normalizablePieces(text, 2 * size + 8)]
      expect(pieces.join('')).toBe(text)
      expect(pieces.map((piece) => piece.normalize('NFKC')).join('')).toBe(text.normalize('NFKC'))
    }
    expect([...normalizablePieces('\u0301'.repeat(100), 10)]).toHaveLength(5)
  })

  it('differs from String.normalize for 32 marks in non-canonical order, at each of 70 positions', () => {
    for (const marks of ['\u0301\u0316', '\u{1e8d0}\u{1d165}'])
      for (let before = 0; before < 70; before++) {
        const text = 'あ'.repeat(before) + marks.repeat(16)
        // A piece has at most 30 marks. The last two of 32 marks are not reordered across its boundary.
        expect(normalizeUnicode(text, 'NFC') !== text.normalize('NFC'), `${before}`).toBe(true)
      }
  })

  it('takes less than 20 times as long as String.normalize for 4,000 runs of 30 marks', () => {
    const text = `a${'\u0315\u0300'.repeat(15)}`.repeat(4_000)
    const own = leastCpuTime(() => text.normalize('NFKC'))
    expect(leastCpuTime(() => normalizeUnicode(text, 'NFKC'))).toBeLessThan(20 * own)
  })

  it.each(['\u0301\u0316', 'ﾞ\u0316', '\u0344\u0315', '\u{1e8d0}\u{1d165}\u0301'])(
    'takes less time for a long run of marks (%j) than String.normalize for half of the run',
    { tags: ['full'] },
    (marks) => {
      const text = `a${marks.repeat(20_000)}`
      const linear = leastCpuTime(() => forms.map((form) => normalizeUnicode(text, form)))
      // The built-in function takes quadratic time, so it takes a quarter of the time for half the text.
      const half = text.slice(0, text.length / 2)
      expect(linear).toBeLessThan(cpuTime(() => forms.map((form) => half.normalize(form))))
    },
  )
})

/** A farmer, England's flag, Persian with a non-joiner, and Sinhala with a joiner. */
const joined = [
  '🧑🏽\u200d🌾',
  '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  'کتاب\u200cها',
  'ක්\u200dෂ',
]

describe('shownName', () => {
  it.each(joined)('returns %s unchanged, and removes invisible characters around it', (name) => {
    expect(shownName(name, '-')).toBe(name)
    expect(shownName(`a\u202e${name}\u200b\n`, '-')).toBe(`a${name}`)
  })
})

it('firstCharacter returns the first user-perceived character', () => {
  for (const emoji of joined.slice(0, 2)) expect(firstCharacter(`${emoji}の会`)).toBe(emoji)
  expect(firstCharacter('が')).toBe('が')
  expect(firstCharacter('')).toBe('')
})

describe('shorten', () => {
  it.each(joined.slice(0, 2))('cuts a text before or after %s, but not inside', (emoji) => {
    for (let room = 0; room < emoji.length; room++)
      expect(shorten(`あいう${emoji}え`, 3 + room)).toBe('あいう')
    expect(shorten(`あいう${emoji}え`, 3 + emoji.length)).toBe(`あいう${emoji}`)
  })

  it('cuts a single long character at the limit, and replaces an unpaired surrogate', () => {
    expect(shorten(`あ${'\u0301'.repeat(1_000)}`, 10)).toBe(`あ${'\u0301'.repeat(9)}`)
    expect(shorten('あ\ud83e', 2)).toBe('あ\ufffd')
    expect(shorten('', 10)).toBe('')
  })
})
