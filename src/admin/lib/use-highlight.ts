import { type RefObject, useEffect } from 'react'
import { foldKana, normalizeUnicode } from '#shared/unicode.ts'

/** Normalises text for searching, so that it ignores width, case and the difference between hiragana and katakana. */
const fold = (text: string) => foldKana(normalizeUnicode(text, 'NFKC').toLowerCase())

/** A character with its combining marks, so that a match does not split characters that NFKC composes. */
const characters = /[\s\S][\p{M}\uff9e\uff9f]*/gu

/**
 * Returns the positions of words in a text as `[from, to)`, ignoring width, case and kana type. `words` must already be
 * normalised (see `fold`).
 */
export function findHits(text: string, words: readonly string[]): [from: number, to: number][] {
  let folded = ''
  /** The index in `text` of each unit of the folded text. */
  const starts: number[] = []
  for (const { 0: character, index } of text.matchAll(characters)) {
    const form = fold(character)
    for (let unit = 0; unit < form.length; unit++) starts.push(index)
    folded += form
  }
  starts.push(text.length)
  const hits: [number, number][] = []
  for (const word of words) {
    for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + word.length)) {
      const last = starts[at + word.length - 1] ?? 0
      // The hit ends at the start of the next character.
      let behind = at + word.length
      while (starts[behind] === last) behind++
      hits.push([starts[at] ?? 0, starts[behind] ?? text.length])
    }
  }
  return hits
}

const name = 'search-hit'

/** Highlights the search words in all descendants of an element that match `selector` (`::highlight(search-hit)`). */
export function useHighlight(
  root: RefObject<HTMLElement | null>,
  selector: string,
  search: string | undefined,
): void {
  useEffect(() => {
    const words = fold(search ?? '')
      .split(/\s+/)
      .filter(Boolean)
    const element = root.current
    if (words.length === 0 || !element || !('highlights' in CSS)) return
    const mark = () => {
      const highlight = new Highlight()
      for (const part of element.querySelectorAll(selector)) {
        const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT)
        for (let node = texts.nextNode(); node; node = texts.nextNode())
          for (const [from, to] of findHits(node.nodeValue ?? '', words)) {
            const range = new Range()
            range.setStart(node, from)
            range.setEnd(node, to)
            highlight.add(range)
          }
      }
      CSS.highlights.set(name, highlight)
    }
    mark()
    // The virtual list adds and removes rows while scrolling.
    let frame = 0
    const observer = new MutationObserver(() => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(mark)
    })
    observer.observe(element, { childList: true, subtree: true, characterData: true })
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
      CSS.highlights.delete(name)
    }
  }, [root, selector, search])
}
