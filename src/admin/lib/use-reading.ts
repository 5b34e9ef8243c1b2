import { type CompositionEvent, useRef } from 'react'
import { Store, useStore } from '#admin/base/store.ts'
import { toHiragana } from '#shared/romaji.ts'

/** What an input method shows of a word before it converts it; the `n` of a last `ん` may still be a letter. */
const unconverted = /^[\p{Script=Hiragana}\p{Script=Katakana}ー\p{Nd}]+[nｎ]?$/u
const kanji = /[\p{Script=Han}々〆ヶ]/u
const maximumWords = 300

/** Words as they were read when they were typed, anywhere in this page: a title is read for the slug beside it. */
const heard = new Store<ReadonlyMap<string, string>>(new Map())

/** Of a sentence also its words are known, as far as they can be told apart. */
function hear(text: string, kana: string): void {
  const parts = apart(text, kana)?.filter((part) => part.text !== part.read) ?? []
  const words = new Map(heard.get())
  for (const part of [...parts, { text, read: kana }]) {
    words.delete(part.text)
    words.set(part.text, part.read)
  }
  heard.set(new Map([...words].slice(-maximumWords)))
}

/**
 * A text as it was read when it was typed, as far as that was heard, with spaces between the words that can be told
 * apart by the kana of the text: `はじめての記事` is `はじめて の きじ`.
 */
export function readingOf(text: string, words: ReadonlyMap<string, string> = heard.get()): string {
  const level = text.normalize('NFKC')
  if (!kanji.test(level)) return level
  // Longer words first: they may contain others.
  const known = [...words.keys()].sort((a, b) => b.length - a.length)
  const read = known.reduce((rest, word) => rest.replaceAll(word, words.get(word) ?? word), level)
  const parts = kanji.test(read) ? null : apart(level, read)
  return parts?.map((part) => part.read).join(' ') ?? read
}

const segmenter = new Intl.Segmenter('ja', { granularity: 'word' })

/** A text in words and how these are read: what is not kanji stands in both. Null where they do not fit together. */
function apart(text: string, read: string): { text: string; read: string }[] | null {
  const parts: { text: string; isRead: boolean }[] = []
  for (const { segment } of segmenter.segment(text)) {
    const isRead = !kanji.test(segment)
    const last = parts.at(-1)
    // Where one of two words with kanji ends and the next begins, nothing tells.
    if (last && !last.isRead && !isRead) last.text += segment
    else parts.push({ text: segment, isRead })
  }
  const sound = toHiragana(read)
  const words: { text: string; read: string }[] = []
  let at = 0
  for (const [index, part] of parts.entries()) {
    if (part.isRead) {
      if (!sound.startsWith(toHiragana(part.text), at)) return null
      words.push({ text: part.text, read: part.text })
      at += part.text.length
      continue
    }
    const next = parts[index + 1]
    const end = next ? sound.indexOf(toHiragana(next.text), at + 1) : sound.length
    if (end <= at) return null
    words.push({ text: part.text, read: sound.slice(at, end) })
    at = end
  }
  return at === sound.length ? words : null
}

/** {@link readingOf}; renders again when something new was heard. */
export function useReadingOf(text: string): string {
  return readingOf(text, useStore(heard))
}

/**
 * Hears how a name is read while it is typed with an input method: `いけだや` before it becomes `池田屋`. The props go to
 * the input; `onRead` is called with the input's text when something new was heard.
 */
export function useReading(onRead?: (text: string) => void) {
  const kana = useRef('')
  return {
    onCompositionUpdate: ({ data }: CompositionEvent) => {
      if (unconverted.test(data)) kana.current = data.replace(/[nｎ]$/u, 'ん')
    },
    onCompositionEnd: ({ data, currentTarget }: CompositionEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      if (kana.current && kanji.test(data)) hear(data.normalize('NFKC'), kana.current.normalize('NFKC'))
      kana.current = ''
      onRead?.(currentTarget.value)
    },
  }
}
