import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { isComposing } from '#admin/lib/composing.ts'
import { type FieldInputProps, inputAria } from '../field-props.ts'
import { useUnfinished } from '../unfinished.ts'
import { EmbedCard } from './embed-card.tsx'
import { useEmbedCode } from './use-embed-code.ts'

/** The input of an embed field. A URL is replaced by its embed code. Pasted embed code is used unchanged. */
export function EmbedField(props: FieldInputProps<'EMBED'>) {
  const { value, onChange, onBlur, readOnly } = props
  const t = useTranslations('fields.embed')
  const code = typeof value === 'string' && value.trimStart().startsWith('<') ? value : null
  // Text that is neither a URL nor code stays in the input.
  const [typed, setTyped] = useState(code === null && typeof value === 'string' ? value : '')
  const { ask, asking, problem, forget } = useEmbedCode((found) => take(found.code))
  const box = useRef<HTMLInputElement>(null)
  const isAddress = code === null && /^https?:\/\/\S+$/i.test(typed.trim())
  useUnfinished(isAddress && !readOnly, () => ask(typed))

  function take(next: string) {
    setTyped('')
    onChange(next === '' ? undefined : next)
    onBlur()
  }

  /** On blur, replaces a URL by its embed code, unless this has just failed. Other text is validated as it is. */
  function leave() {
    if (isAddress && problem === null) void ask(typed)
    else onBlur()
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || isComposing(event)) return
    event.preventDefault()
    void ask(typed)
  }

  if (code !== null)
    return (
      <EmbedCard
        code={code}
        name={props.field.name}
        id={props.id}
        labelId={props.labelId}
        describedBy={props.describedBy}
        invalid={props.issues.length > 0}
        {...(readOnly
          ? {}
          : {
              onRemove: () => {
                take('')
                requestAnimationFrame(() => box.current?.focus())
              },
            })}
      />
    )
  return (
    <Stack gap={4}>
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <TextInput
          ref={box}
          {...inputAria(props)}
          flex={1}
          value={typed}
          placeholder="https://"
          autoComplete="off"
          inputMode="url"
          readOnly={readOnly}
          error={problem ?? props.issues.length > 0}
          onChange={(event) => {
            const next = event.currentTarget.value
            forget()
            if (next.trimStart().startsWith('<')) take(next.trim())
            else {
              // The text is also stored in the document, so that validation reports it. Otherwise it would be lost
              // without a message.
              setTyped(next)
              onChange(next.trim() === '' ? undefined : next)
            }
          }}
          onKeyDown={onKeyDown}
          onBlur={readOnly ? onBlur : leave}
        />
        {!readOnly && (
          <Button
            variant="default"
            loading={asking}
            disabled={typed.trim() === ''}
            onClick={() => void ask(typed)}
          >
            {t('apply')}
          </Button>
        )}
      </Group>
      {!readOnly && (
        <Text size="xs" c="dimmed">
          {t('hint')}
        </Text>
      )}
    </Stack>
  )
}
