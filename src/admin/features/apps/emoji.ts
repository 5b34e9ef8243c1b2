export const suggestedEmoji = ['📝', '📰', '📣', '📚', '🛍️', '🏠', '👥', '📷', '🎪', '🍽️', '💬', '🌱']

const segmenter = new Intl.Segmenter('ja', { granularity: 'grapheme' })

/** The last character as people count them that was typed: a family emoji of eleven units is one. */
export function lastCharacter(text: string): string {
  return [...segmenter.segment(text.trim())].at(-1)?.segment ?? ''
}
