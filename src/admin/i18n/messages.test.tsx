import { createTranslator } from 'use-intl/core'
import { describe, expect, it, vi } from 'vitest'
import { errorStatus, issueCodes } from '#shared/errors.ts'
import { messages as englishEditing } from './editing.en.ts'
import { messages as japaneseEditing } from './editing.ja.ts'
import { messages as englishFirst } from './messages.en.ts'
import { messages as japaneseFirst } from './messages.ja.ts'

const japanese = { ...japaneseFirst, ...japaneseEditing }
const english = { ...englishFirst, ...englishEditing }

type Tree = { [key: string]: string | Tree }

function flatten(tree: Tree, prefix = ''): Map<string, string> {
  const texts = new Map<string, string>()
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value === 'string') texts.set(prefix + key, value)
    else for (const [inner, text] of flatten(value, `${prefix}${key}.`)) texts.set(inner, text)
  }
  return texts
}

/** Returns the arguments of an ICU message, including those inside plural and select branches. */
function placeholders(text: string): Set<string> {
  const names = new Set<string>()
  let at = 0
  const message = () => {
    for (; at < text.length && text[at] !== '}'; at++) if (text[at] === '{') argument()
  }
  const argument = () => {
    const head = /^\{\s*(\w+)\s*(?:,\s*(plural|select|selectordinal)\s*,)?/.exec(text.slice(at))
    if (!head?.[1]) throw new Error(`No argument at ${at} of ${text}`)
    names.add(head[1])
    at += head[0].length
    if (!head[2]) {
      while (text[at] !== '}') at++
      return
    }
    for (; text[at] !== '}'; at++) {
      if (text[at] !== '{') continue
      at++
      message()
    }
  }
  message()
  return names
}

const ja = flatten(japanese)
const en = flatten(english)

describe('placeholders', () => {
  it('returns the arguments of a message and of its select branches', () => {
    expect(placeholders('{a}と{n, number} {k, select, yes {{maximum}まで} other {なし}}')).toEqual(
      new Set(['a', 'n', 'k', 'maximum']),
    )
  })
})

describe('the two catalogues', () => {
  it('have the same keys', () => {
    expect([...en.keys()].sort()).toEqual([...ja.keys()].sort())
  })

  it('have the same placeholders', () => {
    const differing = [...ja.keys()].filter(
      (key) =>
        [...placeholders(ja.get(key) ?? '')].sort().join() !==
        [...placeholders(en.get(key) ?? '')].sort().join(),
    )
    expect(differing).toEqual([])
  })

  it.each([
    ['ja', japanese, ja],
    ['en', english, en],
  ] as const)('contain only texts that can be parsed and are not empty (%s)', (locale, messages, texts) => {
    const broken: string[] = []
    const t = createTranslator({
      locale,
      messages: messages as typeof japanese,
      onError: (error) => {
        // Arguments are missing here on purpose. The test only collects messages that cannot be parsed.
        if (error.code === 'INVALID_MESSAGE') broken.push(error.message)
      },
    })
    for (const key of texts.keys()) t(key as 'common.ok')
    expect(broken).toEqual([])
    expect([...texts.values()].filter((text) => text.trim() === '')).toEqual([])
  })

  it('contain no Japanese characters in the English texts, except the name of the language', () => {
    const japaneseLetters = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u
    const found = [...en].filter(([, text]) => japaneseLetters.test(text.replace('日本語', '')))
    expect(found).toEqual([])
  })
})

describe('the Japanese texts of codes', () => {
  it('exist for the error codes, `undefined` and `NetworkError`', () => {
    const codes = [...Object.keys(errorStatus), 'undefined', 'NetworkError'].sort()
    expect(Object.keys(japanese['server-error']).sort()).toEqual(codes)
  })

  it('exist for the issue codes and `other`', () => {
    expect(Object.keys(japanese.issue).sort()).toEqual([...issueCodes, 'other'].sort())
  })
})

describe('`loadEditingTexts`', () => {
  it('adds the editing texts to the active catalogue and to a catalogue that is loaded later', async () => {
    // Other test files of this process may have loaded the texts already. A fresh module simulates a new visit.
    vi.resetModules()
    const { activateCatalogue, loadCatalogue, loadEditingTexts, translator } = await import('./messages.ts')
    activateCatalogue(await loadCatalogue('ja'))
    expect(translator().has('models.delete.title')).toBe(false)
    await loadEditingTexts()
    expect(translator().has('models.delete.title')).toBe(true)
    activateCatalogue(await loadCatalogue('en'))
    expect(translator()('common.cancel')).toBe('Cancel')
    expect(translator().has('models.delete.title')).toBe(true)
  })
})
