import { Badge, Text } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import { RequiredBadge } from '#admin/ui/required-badge.tsx'
import type { Field } from '#shared/fields/index.ts'

interface FieldMarksProps {
  field: Field
  isRequired?: boolean
  /** Whether the user may change the document but not this field. */
  isReadOnly?: boolean
}

/** Renders the marks next to a field's name in a form: required, read-only for this user, unique. */
export function FieldMarks({ field, isRequired = field.required, isReadOnly = false }: FieldMarksProps) {
  const t = useTranslations('fields')
  return (
    <>
      {isRequired && <RequiredBadge />}
      {isReadOnly && (
        <Badge
          size="xs"
          variant="default"
          tt="none"
          radius="sm"
          leftSection={<IconLock size={10} aria-hidden="true" />}
        >
          {t('readOnly')}
        </Badge>
      )}
      {field.unique && (
        <Text span size="xs" c="dimmed" fw={400}>
          {t('unique')}
        </Text>
      )}
    </>
  )
}
