import { Textarea, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import type { PanelProps } from './model-editor.tsx'

interface BasicsProps extends Omit<PanelProps, 'savedUid' | 'onTitle'> {
  nameLabel: string
  uidLabel: string
  /** A note on the consequences of changing the uid. */
  children?: ReactNode
}

/** Name, uid and description of a model or custom type. */
export function Basics({ draft, problem, readOnly, onEdit, onBlur, ...props }: BasicsProps) {
  const t = useTranslations('models.panel')
  return (
    <>
      <TextInput
        label={props.nameLabel}
        value={draft.name}
        error={problem('name')}
        readOnly={readOnly}
        maxLength={100}
        autoComplete="off"
        withAsterisk
        onChange={(event) => onEdit({ name: event.currentTarget.value })}
        onBlur={() => onBlur('name')}
      />
      <TextInput
        label={props.uidLabel}
        value={draft.uid}
        error={problem('uid')}
        readOnly={readOnly}
        maxLength={64}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        withAsterisk
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        onChange={(event) => onEdit({ uid: event.currentTarget.value })}
        onBlur={() => onBlur('uid')}
      />
      {props.children}
      <Textarea
        label={t('description')}
        value={draft.description}
        error={problem('description')}
        readOnly={readOnly}
        maxLength={1000}
        autosize
        minRows={2}
        maxRows={8}
        onChange={(event) => onEdit({ description: event.currentTarget.value })}
        onBlur={() => onBlur('description')}
      />
    </>
  )
}
