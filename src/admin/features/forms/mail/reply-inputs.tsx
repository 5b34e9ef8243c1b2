import { Alert, Anchor, Group, Text, TextInput } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import { useTranslations } from 'use-intl'
import type { useForm } from '#admin/lib/use-form.ts'
import type { Form } from '#shared/contract/forms.ts'
import type { Language } from '#shared/languages.ts'
import { LocalizedInput } from '../fields/localized-input.tsx'
import { insertText } from './insert-text.ts'
import { type MailValues, placeholderFields, readAddress, unknownPlaceholders } from './mail-values.ts'
import { PlaceholderMenu } from './placeholder-menu.tsx'

interface ReplyInputsProps {
  p: string
  form: Form
  inputs: Pick<ReturnType<typeof useForm<MailValues>>, 'values' | 'set' | 'field' | 'errorOf' | 'readOnly'>
  /** The language of the texts in the inputs. */
  language: Language
  /** Called when the user enters one of the texts. */
  onFocus: () => void
}

type TextName = 'subject' | 'body'

/** The texts of the automatic reply, and the address for answers to it. */
export function ReplyInputs({ p, form, inputs, language, onFocus }: ReplyInputsProps) {
  const t = useTranslations('forms.mail')
  const { values, set, field, errorOf, readOnly } = inputs
  const elements = useRef<Record<TextName, HTMLInputElement | HTMLTextAreaElement | null>>({
    subject: null,
    body: null,
  })
  /** The input in which the cursor was last. */
  const target = useRef<TextName>('body')
  const fields = placeholderFields(form.fields)
  const unknown =
    form.fields.length > 0
      ? [...new Set([values.subject, values.body].flatMap((text) => unknownPlaceholders(text, form.fields)))]
      : []

  function enter(name: TextName) {
    target.current = name
    onFocus()
  }

  function insert(name: TextName, placeholder: string) {
    const input = elements.current[name]
    if (input) insertText(input, placeholder, (text) => set(name, { ...values[name], [language]: text }))
  }

  return (
    <>
      {!form.fields.some(({ type }) => type === 'email') && (
        <Alert color="orange" variant="light" icon={<IconAlertTriangle size={18} />}>
          {t('reply.noEmailField')}{' '}
          <Anchor
            size="sm"
            c="inherit"
            underline="always"
            renderRoot={(props) => (
              <Link {...props} to="/$p/-/forms/$form/fields" params={{ p, form: form._id }} />
            )}
          >
            {t('reply.toFields')}
          </Anchor>
        </Alert>
      )}
      <LocalizedInput
        name="subject"
        label={t('reply.subject')}
        language={language}
        value={values.subject}
        onChange={(next) => set('subject', next)}
        onFocus={() => enter('subject')}
        inputRef={(input) => {
          elements.current.subject = input
        }}
        error={errorOf('subject')}
        maxLength={150}
        readOnly={readOnly}
        required
      />
      <div>
        <LocalizedInput
          name="body"
          label={t('reply.body')}
          language={language}
          value={values.body}
          onChange={(next) => set('body', next)}
          onFocus={() => enter('body')}
          inputRef={(input) => {
            elements.current.body = input
          }}
          error={errorOf('body')}
          maxLength={5000}
          readOnly={readOnly}
          rows={[8, 24]}
          multiline
          required
        />
        {!readOnly && fields.length > 0 && (
          <Group gap="sm" mt="xs">
            <PlaceholderMenu
              fields={fields}
              labelOf={() => t(target.current === 'subject' ? 'reply.subject' : 'reply.body')}
              onInsert={(placeholder) => insert(target.current, placeholder)}
            />
          </Group>
        )}
        {unknown.length > 0 && (
          <Alert color="orange" variant="light" role="status" p="xs" mt="xs">
            {t('reply.unknown', { names: unknown.map((name) => `{{${name}}}`).join(' ') })}
          </Alert>
        )}
        <Text size="xs" c="dimmed" mt="xs">
          {form.fields.length === 0 && `${t('reply.withoutFields', { example: '{{name}}' })} `}
          {t('reply.values')}
        </Text>
      </div>
      <TextInput
        {...field('replyTo')}
        label={t('reply.replyTo')}
        description={t('reply.replyToHint')}
        placeholder="support@example.com"
        inputMode="email"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={320}
        onBlur={() => !readOnly && set('replyTo', readAddress(values.replyTo))}
      />
    </>
  )
}
