import { type CompositionEvent, useRef } from 'react'

const kanaOnly = /^[\p{Script=Hiragana}\p{Script=Katakana}ー]+$/u

/**
 * Hears how a name is read while it is typed with an input method: `いけだや` before it becomes `池田屋`. `props` go to
 * the input, `read` writes a name as it is read, as far as that was heard. `onRead` is called with the input's text
 * when something new was heard.
 */
export function useReading(onRead: (text: string) => void) {
  const heard = useRef(new Map<string, string>())
  const kana = useRef('')
  return {
    read: (name: string): string => {
      // Longer words first: they may contain others.
      const words = [...heard.current.keys()].sort((a, b) => b.length - a.length)
      return words.reduce((text, word) => text.replaceAll(word, heard.current.get(word) ?? word), name)
    },
    props: {
      onCompositionUpdate: ({ data }: CompositionEvent<HTMLInputElement>) => {
        if (kanaOnly.test(data)) kana.current = data
      },
      onCompositionEnd: ({ data, currentTarget }: CompositionEvent<HTMLInputElement>) => {
        if (data && kana.current) heard.current.set(data, kana.current)
        kana.current = ''
        onRead(currentTarget.value)
      },
    },
  }
}
