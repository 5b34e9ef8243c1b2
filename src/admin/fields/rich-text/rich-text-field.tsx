import { Alert, Button, Group, Stack, Textarea } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { type FieldInputProps, inputAria } from '../field-props.ts'
import { CharacterCount } from '../text/one-text.tsx'
import { lossOf } from './html-loss.ts'
import { RichTextEditor } from './rich-text-editor.tsx'
import { htmlToPlain } from './rich-text-preview.tsx'

/** The editor, or the HTML itself: by choice, or because the text holds what the editor would drop. */
export function RichTextField(props: FieldInputProps<'RICH_TEXT'>) {
  const { value, onChange, onBlur, readOnly, field } = props
  const t = useTranslations('fields.richText')
  const html = typeof value === 'string' ? value : ''
  const [mode, setMode] = useState<'editor' | 'source'>(() => (lossOf(html).length > 0 ? 'source' : 'editor'))
  const limits = <CharacterCount value={htmlToPlain(html)} limits={field} />

  if (mode === 'editor')
    return (
      <>
        <RichTextEditor {...props} onSource={() => setMode('source')} />
        {(field.maxLength != null || field.minLength != null) && limits}
      </>
    )

  const loss = lossOf(html)
  return (
    <Stack gap="xs">
      {loss.length > 0 && (
        <Alert color="yellow" variant="light" icon={<IconAlertTriangle size={18} />}>
          {t('loss', { names: loss.join(', ') })}
        </Alert>
      )}
      <Textarea
        {...inputAria(props)}
        aria-label={t('sourceOf', { name: field.name })}
        value={html}
        readOnly={readOnly}
        error={props.issues.length > 0}
        autosize
        minRows={8}
        maxRows={30}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
        onBlur={onBlur}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <Group>
        <Button variant="default" size="xs" onClick={() => setMode('editor')}>
          {loss.length > 0 ? t('toEditorWithLoss') : t('toEditor')}
        </Button>
      </Group>
    </Stack>
  )
}
