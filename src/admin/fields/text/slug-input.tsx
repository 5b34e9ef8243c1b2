import { Button, Group } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useReadingOf } from '#admin/lib/use-reading.ts'
import { hasKanji, makeSlug } from '#shared/fields/slug.ts'
import { type FieldInputProps, inputAria } from '../field-props.ts'
import { useSibling } from '../sibling-values.ts'
import { OneText } from './one-text.tsx'

/**
 * A slug that is created from another field. In a new document the slug follows that field until the user edits the
 * slug. In a saved document only the user changes the slug, so that published URLs stay stable.
 */
export function SlugInput(props: FieldInputProps<'TEXT'> & { source: string }) {
  const { field, onChange, readOnly, source } = props
  const t = useTranslations('fields')
  const value = typeof props.value === 'string' ? props.value : ''
  const { value: sibling, isNew } = useSibling(source)
  const text = typeof sibling === 'string' ? sibling : ''
  const made = makeSlug(useReadingOf(text))
  const [asked, setAsked] = useState(false)
  const why = made ? null : hasKanji(text) ? 'kanji' : text.trim() ? 'nothing' : 'empty'
  const hasIssues = props.issues.length > 0
  const said = !readOnly && !hasIssues && (asked || (why === 'kanji' && value === '')) ? why : null
  /**
   * The slug that was created last. Empty at first, even if the other field had a value before this input was mounted.
   */
  const followed = useRef('')

  useEffect(() => {
    const before = followed.current
    followed.current = made
    if (isNew && !readOnly && made !== before && value === before) onChange(made || undefined)
  }, [made, isNew, readOnly, value, onChange])

  return (
    <>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <div style={{ flex: 1 }}>
          <OneText
            field={field}
            value={value}
            onChange={(typed) => {
              setAsked(false)
              onChange(typed)
            }}
            onBlur={props.onBlur}
            readOnly={readOnly}
            invalid={hasIssues}
            attributes={inputAria(props)}
          />
        </div>
        {!readOnly && (
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} />}
            disabled={made !== '' && made === value}
            title={made !== '' && made === value ? t('slug.same') : undefined}
            onClick={() => {
              setAsked(true)
              if (made === '') return
              onChange(made)
              props.onBlur()
            }}
          >
            {t('slug.make')}
          </Button>
        )}
      </Group>
      <div role="status" data-field-hint>
        {said && t(`slug.${said}`)}
      </div>
    </>
  )
}
