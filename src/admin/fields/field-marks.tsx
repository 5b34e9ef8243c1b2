import { Badge, Text } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import { RequiredBadge } from '#admin/ui/required-badge.tsx'
import type { Field } from '#shared/fields/index.ts'

interface FieldMarksProps {
  field: Field
  isRequired?: boolean
  /** This person may not change it, though they may change the document. */
  isReadOnly?: boolean
}

/** What stands beside the name of a field in a form: that it must be filled in, who may not, and that its values may not repeat. */
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
