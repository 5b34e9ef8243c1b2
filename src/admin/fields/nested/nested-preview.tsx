import { useTranslations } from 'use-intl'

/** How many items there are; of a single value, that there is one. */
export function NestedPreview({ value }: { value: unknown }) {
  const t = useTranslations('fields.nested')
  if (Array.isArray(value)) return t('items', { count: value.length })
  return value == null ? null : t('filled')
}
