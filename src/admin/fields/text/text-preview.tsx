import { useTranslations } from 'use-intl'
import { shorten } from '#shared/unicode.ts'

/** The text on one line; several are joined. */
export function TextPreview({ value }: { value: unknown }) {
  const t = useTranslations('fields')
  return Array.isArray(value) ? value.filter((text) => text !== '').join(t('separator')) : firstWords(value)
}

/** As much of a long text as a cell can show. */
function firstWords(value: unknown): string {
  return typeof value === 'string' ? shorten(value, 200) : ''
}
