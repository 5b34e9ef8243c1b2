import { useTranslations } from 'use-intl'
import { itemsOf } from './parts.ts'

/** How many items there are; of a single value, that there is one. */
export function NestedPreview({ value }: { value: unknown }) {
  const t = useTranslations('fields.nested')
  if (Array.isArray(value)) return t('items', { count: value.length })
  return itemsOf(value).length > 0 ? t('filled') : null
}
