import { useTranslations } from 'use-intl'

/** Shows the number of items. For a single value, shows whether it is filled. */
export function NestedPreview({ value }: { value: unknown }) {
  const t = useTranslations('fields.nested')
  if (Array.isArray(value)) return t('items', { count: value.length })
  return value == null ? null : t('filled')
}
