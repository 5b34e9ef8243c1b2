/** The languages that people are spoken to in; Japanese first. */
export const languages = ['ja', 'en'] as const
export type Language = (typeof languages)[number]

export function isLanguage(value: unknown): value is Language {
  return languages.includes(value as Language)
}

/**
 * The first of these tags that is a language of ours: of a browser (`en-US`), of an `Accept-Language` header (`en;q=0.9`)
 * or of a system (`ja_JP.UTF-8`). `otherwise` when none is.
 */
export function preferredLanguage(tags: readonly string[] = [], otherwise: Language = 'ja'): Language {
  const found = tags.map(
    (tag) =>
      tag
        .trim()
        .toLowerCase()
        .split(/[-_.;@]/)[0],
  )
  return found.find(isLanguage) ?? otherwise
}
