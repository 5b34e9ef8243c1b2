import { useTranslations } from 'use-intl'

/** The number of items; for a single value, that it is filled. */
export function NestedPreview({ value }: { value: unknown }) {
  const t = useTranslations('fields.nested')
  if (Array.isArray(value)) return t('items', { count: value.length })
  return value == null ? null : t('filled')
}
