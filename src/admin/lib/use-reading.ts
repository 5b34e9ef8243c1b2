import { type CompositionEvent, useRef } from 'react'
import { Store, useStore } from '#admin/base/store.ts'
import { toHiragana } from '#shared/romaji.ts'

/** A word in composition before its conversion to kanji. The `n` of a final `ん` may still be a Latin letter. */
const unconverted = /^[\p{Script=Hiragana}\p{Script=Katakana}ー\p{Nd}]+[nｎ]?$/u
const kanji = /[\p{Script=Han}々〆ヶ]/u
const maximumWords = 300

/** The readings of words typed anywhere on this page, so that a slug field can use the reading of a title field. */
const heard = new Store<ReadonlyMap<string, string>>(new Map())

/** Stores the reading of a text and of its words, if they can be separated. */
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
 * Returns the reading of a text as far as it was recorded while typing. Parts without a recorded reading stay as they
 * are. If all kanji have a reading, spaces separate the words, except adjacent kanji words: `はじめての記事` is `はじめて の きじ`.
 */
export function readingOf(text: string, words: ReadonlyMap<string, string> = heard.get()): string {
  const level = text.normalize('NFKC')
  if (!kanji.test(level)) return level
  // Longer words are replaced first, because they may contain shorter ones.
  const known = [...words.keys()].sort((a, b) => b.length - a.length)
  const read = known.reduce((rest, word) => rest.replaceAll(word, words.get(word) ?? word), level)
  const parts = kanji.test(read) ? null : apart(level, read)
  return parts?.map((part) => part.read).join(' ') ?? read
}

const segmenter = new Intl.Segmenter('ja', { granularity: 'word' })

/**
 * Splits a text into words with their readings, aligned by the parts that are not kanji. Returns null if text and
 * reading do not match.
 */
function apart(text: string, read: string): { text: string; read: string }[] | null {
  const parts: { text: string; isRead: boolean }[] = []
  for (const { segment } of segmenter.segment(text)) {
    const isRead = !kanji.test(segment)
    const last = parts.at(-1)
    // The boundary between two adjacent kanji words cannot be known, so they are merged.
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

/** Returns the result of {@link readingOf}, and renders again when a new reading was recorded. */
export function useReadingOf(text: string): string {
  return readingOf(text, useStore(heard))
}

/**
 * Records the reading of a name typed with an input method: `いけだや` before it becomes `池田屋`. Returns the props for the
 * input. `onRead` is called with the input's text after a composition ends.
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
