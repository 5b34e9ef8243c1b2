/** The languages of the user interface and of mails. Japanese is the first and the default. */
export const languages = ['ja', 'en'] as const
export type Language = (typeof languages)[number]

export function isLanguage(value: unknown): value is Language {
  return languages.includes(value as Language)
}

/**
 * Returns the first supported language of these tags: of a browser (`en-US`), an `Accept-Language` header (`en;q=0.9`)
 * or a system (`ja_JP.UTF-8`). Returns `otherwise` if no tag is supported.
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
