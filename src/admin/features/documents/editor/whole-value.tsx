import { Text } from '@mantine/core'
import { useMemo } from 'react'
import { useTranslations } from 'use-intl'
import { adminFieldType } from '#admin/fields/index.ts'
import type { Field } from '#shared/fields/index.ts'
import { useEditor } from './editor-context.ts'
import { markDifferences } from './text-difference.ts'
import classes from './whole-value.module.css'

interface WholeValueProps {
  field: Field
  value: unknown
  /** The value to compare with. An equal value highlights nothing. */
  other: unknown
}

/** Shows a whole value for comparison: text with its differences highlighted, other values as a preview. */
export function WholeValue({ field, value, other }: WholeValueProps) {
  const t = useTranslations('documents.conflict')
  const { place } = useEditor()
  const { preview: Preview, prose } = adminFieldType(field)
  if (value == null || value === '' || (Array.isArray(value) && value.length === 0))
    return (
      <Text size="sm" c="dimmed">
        {t('empty')}
      </Text>
    )
  if (!prose) return <Preview field={field} value={value} place={place} />
  const [text, otherText] = prose(value, other)
  return <Marked text={text} other={otherText} />
}

function Marked({ text, other }: { text: string; other: string }) {
  const stretches = useMemo(() => markDifferences(text, other), [text, other])
  return stretches.map((stretch, index) =>
    stretch.own ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: all pieces are created again together.
      <mark key={index} className={classes.own}>
        {stretch.text}
      </mark>
    ) : (
      stretch.text
    ),
  )
}
