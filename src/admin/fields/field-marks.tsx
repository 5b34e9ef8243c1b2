import { Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { RequiredBadge } from '#admin/ui/required-badge.tsx'
import type { Field } from '#shared/fields/index.ts'

/** What stands beside the name of a field in a form: that it must be filled in, and that its values may not repeat. */
export function FieldMarks({ field, isRequired = field.required }: { field: Field; isRequired?: boolean }) {
  const t = useTranslations('fields')
  return (
    <>
      {isRequired && <RequiredBadge />}
      {field.unique && (
        <Text span size="xs" c="dimmed" fw={400}>
          {t('unique')}
        </Text>
      )}
    </>
  )
}
