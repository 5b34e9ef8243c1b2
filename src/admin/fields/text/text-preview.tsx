import { useTranslations } from 'use-intl'
import { shorten } from '#shared/unicode.ts'

/** The text on one line. Several texts are joined with a separator. */
export function TextPreview({ value }: { value: unknown }) {
  const t = useTranslations('fields')
  return Array.isArray(value) ? value.filter((text) => text !== '').join(t('separator')) : firstWords(value)
}

/** Returns the beginning of a text, at most 200 UTF-16 units, for a cell. */
function firstWords(value: unknown): string {
  return typeof value === 'string' ? shorten(value, 200) : ''
}
