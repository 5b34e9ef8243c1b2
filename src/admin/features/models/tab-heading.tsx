import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import classes from './field-list.module.css'

interface TabHeadingProps {
  /** null: of the fields that stand on no tab. */
  name: string | null
  readOnly: boolean
  onRename: (to: string | null) => void
}

/** The name of a tab above its fields. Another one counts when it is left: on the way it might be that of another tab. */
export function TabHeading({ name, readOnly, onRename }: TabHeadingProps) {
  const t = useTranslations('models.layout')
  const [typed, setTyped] = useState(name ?? '')
  const commit = () => {
    if ((typed.trim() || null) !== name) onRename(typed.trim() || null)
  }
  return (
    <TextInput
      className={classes.tab ?? ''}
      variant="unstyled"
      aria-label={t('tabName')}
      placeholder={t('noTab')}
      value={typed}
      readOnly={readOnly}
      maxLength={50}
      autoComplete="off"
      onChange={(event) => setTyped(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !event.nativeEvent.isComposing) event.currentTarget.blur()
      }}
      onBlur={commit}
    />
  )
}
